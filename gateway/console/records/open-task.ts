import { computed } from '@preact/signals';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { task } from '../page/link.ts';
import { ofUser } from '../page/of-user.ts';
import { taskId } from '../page/state.ts';

/** The open task as the API has it, where the worker does not hold it: that has open tasks and those of today. */
export const olderTask = ofUser<TaskView | null>(null);

/** The task that the panel shows, and that keys act on; null while it is on its way. */
export const openTask = computed<TaskView | null>(() => {
  const id = taskId.value;
  return [task.value, olderTask.value].find((each) => each?.id === id) ?? null;
});
