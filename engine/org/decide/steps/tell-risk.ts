import type { TaskRecord } from '../../../../schema/tasks/task.ts';
import { dueAtOf } from '../../../domain/tasks/delay.ts';
import type { Draft } from '../../state/draft.ts';

/** Warns when a task is expected after it is due, and was not `before`: again only after it was safe in between. */
export function tellRisk(draft: Draft, before: TaskRecord, task: TaskRecord): void {
  const { id: taskId, etaAt } = task;
  if (!isAtRisk(task) || isAtRisk(before)) return;
  const risk = { etaAt, dueAt: dueAtOf(task) };
  draft.put({ kind: 'tell', type: 'task.at_risk', taskId, extra: risk, step: { kind: 'at_risk', details: risk } });
}

/** A courier who has come is no longer expected: the last ETA only stays as it was. */
function isAtRisk(task: TaskRecord): boolean {
  return task.arrivedAt === null && task.etaAt !== null && task.etaAt > dueAtOf(task);
}
