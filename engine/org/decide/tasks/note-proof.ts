import type { NoteProof } from '../../../../schema/commands.ts';
import { notFound } from '../../../../schema/errors.ts';
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
  const task = { ...before, version: before.version + 1, proofs: [...proofs, proof], updatedAt: now };
  draft.put({ kind: 'put-task', task });
  tellUpdated(draft, taskId, ['proofs'], { kind: 'updated', details: { changed: ['proofs'], proof } });
  return NOTHING_SHOWN;
}
