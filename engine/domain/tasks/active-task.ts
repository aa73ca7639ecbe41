import type { TaskStatus } from '../../../schema/tasks/task.ts';

interface OpenTask {
  readonly taskId: number;
  readonly status: TaskStatus;
}

/** The task that an agent is busy with: one on its way, else one accepted; of several the one made first. */
export function activeTaskOf(openTasks: Iterable<OpenTask>): number | null {
  let found: OpenTask | undefined;
  for (const task of openTasks) {
    if (task.status === 'assigned') continue;
    const isBetter =
      !found ||
      (task.status === 'in_transit' && found.status !== 'in_transit') ||
      (task.status === found.status && task.taskId < found.taskId);
    if (isBetter) found = task;
  }
  return found?.taskId ?? null;
}
