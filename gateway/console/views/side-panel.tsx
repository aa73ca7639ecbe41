import { NewTask } from '../actions/new-task.tsx';
import { useFocusInPanel } from '../page/covered.ts';
import { isDrafting } from '../page/draft.ts';
import { TaskPanel } from './task-panel.tsx';

/** The task that is being made, or the one that is open. */
export function SidePanel() {
  useFocusInPanel();
  return isDrafting.value ? <NewTask /> : <TaskPanel />;
}
