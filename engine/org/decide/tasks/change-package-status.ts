import type { ChangePackageStatus } from '../../../../schema/commands.ts';
import { notFound, refusal } from '../../../../schema/errors.ts';
import { judgePackageStep } from '../../../domain/tasks/package-machine.ts';
import { isPickedUpByPackage } from '../../../domain/tasks/pickup.ts';
import { changedTask } from '../../../domain/tasks/task-deadline.ts';
import { maySee } from '../../../domain/tasks/task-machine.ts';
import type { Draft } from '../../state/draft.ts';
import { type DecideContext, type Decision, done, refuse } from '../decision.ts';
import { rule } from '../rule.ts';
import { isOnlyOffered } from '../steps/payment-steps.ts';
import { tellPickedUp } from './pick-up-task.ts';

export const changePackageStatusRule = rule<ChangePackageStatus>({
  needs: (needed, { packageId }) => needed.package(packageId),
  task: (draft, { packageId }) => draft.findPackage(packageId)?.owner ?? undefined,
  target: ({ packageId }) => ({ kind: 'package', id: packageId }),
  decide: decideChangePackageStatus,
});

/**
 * PATCH /packages/:id. The first package of a task that is picked up says that the courier has the goods. Refuses: 404, also for a package of a task that the agent does not have; 409 PACKAGE_DETACHED
 * without a task, INVALID_PACKAGE_TRANSITION, also for an agent that has not accepted the task.
 */
export function decideChangePackageStatus(
  draft: Draft,
  command: ChangePackageStatus,
  context: DecideContext,
): Decision {
  const { packageId, input, caller } = command;
  const found = draft.findPackage(packageId);
  const facts = found?.owner && draft.findTask(found.owner.id);
  const isHidden = caller.role === 'agent' && !(facts && maySee(facts.task, caller));
  if (!found || isHidden) return refuse(notFound('Package', packageId));
  if (!facts) return refuse(refusal('PACKAGE_DETACHED'));
  const { record: before } = found;
  const { status: from } = before;
  const { status: to } = input;
  const verdict = judgePackageStep(from, to, { hasAmount: facts.task.amountMinor !== null });
  if (verdict.kind === 'unchanged') return done('package', packageId);
  if (caller.role === 'agent' && isOnlyOffered(facts.task)) {
    const message = 'The packages of a task move once the agent has accepted it';
    return refuse(refusal('INVALID_PACKAGE_TRANSITION', message, { from, to, allowed: [] }));
  }
  if (verdict.kind === 'refused') return refuse(verdict.refusal);

  const record = { ...before, version: before.version + 1, status: input.status, updatedAt: context.now };
  const packages = facts.packages.map((other) => (other.id === packageId ? record : other));
  const isFirst = record.status === 'picked_up' && isPickedUpByPackage(facts.task);
  const pickedUpAt = isFirst ? context.now : facts.task.pickedUpAt;
  const task = changedTask(facts.task, { pickedUpAt }, context.now);
  const step = { previousStatus: before.status, status: record.status, reason: input.reason ?? null };
  draft.put({ kind: 'put-package', record, leaves: null });
  draft.put({ kind: 'put-task', task, packages });
  draft.put({
    kind: 'tell',
    type: 'package.status_changed',
    taskId: task.id,
    extra: { packageId, ...step },
    step: {
      kind: 'package_status_changed',
      reason: step.reason,
      details: { packageId, fromStatus: step.previousStatus, toStatus: step.status },
    },
  });
  if (isFirst) tellPickedUp(draft, task, context.now);
  return done('package', packageId);
}
