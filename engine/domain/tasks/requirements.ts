import type { OrganizationSettings } from '../../../schema/accounts/organization.ts';
import {
  REQUIREMENTS,
  type Requirement,
  type Requirements,
  type RequirementsInput,
} from '../../../schema/fields/requirements.ts';
import type { PackageRecord, PackageStatus } from '../../../schema/tasks/package.ts';
import type { ProofKind } from '../../../schema/tasks/proof.ts';
import type { TaskRecord, TaskStatus } from '../../../schema/tasks/task.ts';

/** Nothing is asked for. */
const NONE: Requirements = { signature: false, photo: false, pin: false, barcodes: false, note: false };

/** The statuses in which a task takes proofs and scans: somebody has accepted it, and it was not cancelled. */
export const WITH_PROOFS: ReadonlySet<TaskStatus> = new Set(['accepted', 'in_transit', 'completed']);

/** The present requirements with the named ones changed; null when nothing is asked for. */
export function requirementsAfter(
  before: Requirements | null,
  changes: RequirementsInput | null | undefined,
): Requirements | null {
  const after = { ...(before ?? NONE) };
  for (const name of REQUIREMENTS) after[name] = changes?.[name] ?? after[name];
  return REQUIREMENTS.some((name) => after[name]) ? after : null;
}

/** The requirements of a new task whose order names none. */
export function usualRequirements({ requirements }: OrganizationSettings): Requirements | null {
  return requirementsAfter(null, requirements as RequirementsInput | null | undefined);
}

const GONE: ReadonlySet<PackageStatus> = new Set(['cancelled', 'returned', 'lost', 'damaged']);

/** Whether nobody can scan the package at the door any more. */
export function isGone({ status }: Pick<PackageRecord, 'status'>): boolean {
  return GONE.has(status);
}

/** The requirements that are not met when a task is to be completed as succeeded. */
export function missingOf(
  { requirements, proofs }: Pick<TaskRecord, 'requirements' | 'proofs'>,
  packages: readonly Pick<PackageRecord, 'barcode' | 'status' | 'scannedAt'>[],
  note: string | null | undefined,
): readonly Requirement[] {
  if (requirements === null) return [];
  const isThere: Readonly<Record<Requirement, () => boolean>> = {
    signature: () => isProven(proofs, 'signature'),
    photo: () => isProven(proofs, 'photo'),
    pin: () => isProven(proofs, 'pin'),
    barcodes: () => packages.every((one) => barcodeOf(one.barcode) === null || isGone(one) || one.scannedAt !== null),
    note: () => (note ?? '').trim() !== '',
  };
  return REQUIREMENTS.filter((name) => requirements[name] && !isThere[name]());
}

/** A blank one is none: nobody could scan it. Packages of earlier releases may have one. */
export function barcodeOf(given: string | null | undefined): string | null {
  return given?.trim() ? given : null;
}

function isProven(proofs: readonly ProofKind[] | null, kind: ProofKind): boolean {
  return proofs?.includes(kind) === true;
}
