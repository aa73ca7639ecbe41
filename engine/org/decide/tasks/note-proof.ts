import type { NoteProof } from '../../../../schema/commands.ts';
import { notFound } from '../../../../schema/errors.ts';
import { changedTask } from '../../../domain/tasks/task-deadline.ts';
import type { Draft } from '../../state/draft.ts';
import { type DecideContext, type Decision, NOTHING_SHOWN, refuse } from '../decision.ts';
import { needsTask, rule, taskById } from '../rule.ts';
import { tellUpdated } from '../steps/tell-updated.ts';

export const noteProofRule = rule<NoteProof>({
  needs: needsTask,
  task: taskById,
  decide: decideNoteProof,
});

/** A proof of this kind is stored. Once for each kind: what the task knows already changes nothing. Refuses: 404. */
function decideNoteProof(draft: Draft, { taskId, proof }: NoteProof, { now }: DecideContext): Decision {
  const before = draft.findTask(taskId)?.task;
  if (!before) return refuse(notFound('Task', taskId));
  const proofs = before.proofs ?? [];
  if (proofs.includes(proof)) return NOTHING_SHOWN;
  draft.put({ kind: 'put-task', task: changedTask(before, { proofs: [...proofs, proof] }, now) });
  tellUpdated(draft, taskId, ['proofs'], { kind: 'updated', details: { changed: ['proofs'], proof } });
  return NOTHING_SHOWN;
}
