import type { ScanPackage } from '../../../../schema/commands.ts';
import { notFound, refusal } from '../../../../schema/errors.ts';
import { isGone, WITH_PROOFS } from '../../../domain/tasks/requirements.ts';
import { changedTask } from '../../../domain/tasks/task-deadline.ts';
import { maySee } from '../../../domain/tasks/task-machine.ts';
import type { Draft } from '../../state/draft.ts';
import { type DecideContext, type Decision, done, refuse, violate } from '../decision.ts';
import { needsTask, rule, taskById } from '../rule.ts';

export const scanPackageRule = rule<ScanPackage>({
  needs: needsTask,
  task: taskById,
  decide: decideScanPackage,
});

/**
 * POST /tasks/:id/scans. Of packages with the same barcode one after the other, those that are gone last; once all are
 * scanned, another scan changes nothing. Refuses, in this order: 400 for an `occurredAt` in the future; 404, also for the
 * task of another agent; 409 PROOF_NOT_EXPECTED before somebody accepted the task and once it is cancelled,
 * BARCODE_UNKNOWN.
 */
function decideScanPackage(draft: Draft, command: ScanPackage, { now }: DecideContext): Decision {
  const { taskId, caller, input } = command;
  const scannedAt = input.occurredAt ?? now;
  if (scannedAt > now) return violate('occurredAt must not be in the future');
  const facts = draft.findTask(taskId);
  if (!facts || !maySee(facts.task, caller)) return refuse(notFound('Task', taskId));
  if (!WITH_PROOFS.has(facts.task.status)) return refuse(refusal('PROOF_NOT_EXPECTED'));
  const ofBarcode = facts.packages.filter(({ barcode }) => barcode === input.barcode);
  const [first] = ofBarcode;
  if (!first) return refuse(refusal('BARCODE_UNKNOWN', undefined, { barcode: input.barcode }));
  const unscanned = ofBarcode.filter(({ scannedAt }) => scannedAt === null);
  // One that is gone needs no scan: it must not take that of one at the door.
  const before = unscanned.find((one) => !isGone(one)) ?? unscanned[0];
  if (!before) return done('package', first.id);
  const record = { ...before, version: before.version + 1, scannedAt, updatedAt: now };
  const packages = facts.packages.map((other) => (other === before ? record : other));
  const task = changedTask(facts.task, {}, now);
  draft.put({ kind: 'put-package', record, leaves: null });
  draft.put({ kind: 'put-task', task, packages });
  const scan = { packageId: record.id, barcode: input.barcode };
  const step = { kind: 'package_scanned', at: scannedAt, details: scan } as const;
  draft.put({ kind: 'tell', type: 'package.scanned', taskId, extra: { ...scan, scannedAt }, step });
  return done('package', record.id);
}
