import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { beginEdit } from '../page/edit.ts';
import { may } from '../page/link.ts';
import { text } from '../text/english.ts';
import { Button } from '../ui/controls.tsx';
import { pending, reattempt } from './act.ts';
import { askForCourier, askToCancel, isEditable, isReattemptable, lookForCourier, takeBack } from './dialog-state.ts';

const { act: words } = text;

/** The actions that the task and the rights of the user allow. Anything else is not offered. */
export function TaskButtons({ task }: { readonly task: TaskView }) {
  const ids = [task.id];
  const isJob = task.children.length > 0;
  const isOver = task.status === 'completed' || task.status === 'cancelled';
  const hasCourier = task.agentId !== null || task.courierId !== null;
  const isUnassigned = !isOver && !hasCourier && !isJob;
  const canTakeBack = !isJob && (task.status === 'assigned' || task.status === 'accepted');
  const canReattempt = isReattemptable(task);
  const isPending = pending.value.has(task.id);
  return (
    <p class="actions" aria-busy={isPending}>
      {isUnassigned && may('tasks:assign') && (
        <>
          <Button kind="main" busy={isPending} onClick={() => askForCourier(ids)}>
            {words.assign} <kbd>a</kbd>
          </Button>
          {!task.search && (
            <Button busy={isPending} onClick={() => lookForCourier(ids)}>
              {words.look} <kbd>f</kbd>
            </Button>
          )}
        </>
      )}
      {!isOver && hasCourier && may('tasks:exceptions') && (
        <Button busy={isPending} onClick={() => askForCourier(ids)}>
          {words.reassign} <kbd>r</kbd>
        </Button>
      )}
      {canTakeBack && may('tasks:assign') && (
        <Button busy={isPending} onClick={() => takeBack(ids)}>
          {words.unassign} <kbd>u</kbd>
        </Button>
      )}
      {canReattempt && (
        <>
          <Button kind="main" busy={isPending} onClick={() => void reattempt(task.id, false)}>
            {words.reattempt} <kbd>y</kbd>
          </Button>
          {task.pickupLocation && (
            <Button busy={isPending} onClick={() => void reattempt(task.id, true)}>
              {words.bringBack}
            </Button>
          )}
        </>
      )}
      {isEditable(task) && (
        <Button busy={isPending} onClick={() => beginEdit(task)}>
          {words.edit} <kbd>e</kbd>
        </Button>
      )}
      {!isOver && may('tasks:change') && (
        <Button kind="danger" busy={isPending} onClick={() => askToCancel(ids)}>
          {words.cancel} <kbd>c</kbd>
        </Button>
      )}
    </p>
  );
}
