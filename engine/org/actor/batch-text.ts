import type { BatchItem, CreateTasks } from '../../../schema/commands.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { CreateTaskInput } from '../../../schema/tasks/create-task.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { findKept } from '../apply/apply-decision.ts';
import { charsBesideBody, packageChars } from '../decide/steps/family-size.ts';
import type { OrgState } from '../state/org-state.ts';

/**
 * Whether the events and the answer of a batch would repeat too much text that is not in its body, whose size bounds the
 * rest: of packages that move, of the tasks that they leave, of jobs that get a child, and of moved packages in answers
 * that are kept. The same batch sent again has no more of it than it had at first.
 */
export function isTooLong(state: OrgState, { items }: CreateTasks, nowMs: number): boolean {
  let chars = 0;
  for (const item of items) {
    chars += charsOf(state, item, nowMs);
    if (chars > LIMITS.batchTextChars) return true;
  }
  return false;
}

function charsOf(state: OrgState, item: BatchItem, nowMs: number): number {
  if ('errorBody' in item) return 0;
  const kept = item.idempotency && findKept(state, item.idempotency, nowMs);
  if (!kept) return charsBesideBody(state, item.input);
  const { fingerprint, status, body } = kept.record;
  return fingerprint === item.idempotency!.fingerprint && status < 300 ? charsOfKept(body, item.input) : 0;
}

function charsOfKept(body: string, input: CreateTaskInput): number {
  const moved = new Set([input, ...(input.children ?? [])].flatMap(({ packageIds }) => packageIds ?? []));
  if (moved.size === 0) return 0;
  const task = JSON.parse(body) as TaskView;
  const packages = [task, ...(task.children ?? [])].flatMap((one) => one.packages);
  return packages.filter(({ id }) => moved.has(id)).reduce((chars, one) => chars + packageChars(one), 0);
}
