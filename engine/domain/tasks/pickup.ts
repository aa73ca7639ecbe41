import { type Refusal, refusal } from '../../../schema/errors.ts';
import type { TaskRecord, TaskStatus } from '../../../schema/tasks/task.ts';

/** The courier has the task for good, and it has not ended. */
const EXPECTED_IN: readonly TaskStatus[] = ['accepted', 'in_transit'];

/**
 * POST /tasks/:id/picked-up of a task that nobody has picked up.
 * Refuses with STATUS_DERIVED, NO_PICKUP_PLACE, PICKUP_NOT_EXPECTED.
 */
export function checkPickup({
  status,
  childIds,
  pickupLocationId,
}: Pick<TaskRecord, 'status' | 'childIds' | 'pickupLocationId'>): Refusal | undefined {
  if (childIds !== null) return refusal('STATUS_DERIVED', 'A job is not picked up, its children are', { status });
  if (pickupLocationId === null) return refusal('NO_PICKUP_PLACE');
  if (EXPECTED_IN.includes(status)) return undefined;
  const message = `The goods of a task in ${status} cannot be picked up`;
  return refusal('PICKUP_NOT_EXPECTED', message, { status, expectedIn: EXPECTED_IN });
}

const WITH_COURIER: ReadonlySet<TaskStatus> = new Set(['assigned', 'accepted', 'in_transit']);

/** Whether the first package that is picked up says that the courier has the goods; a job has no courier of its own. */
export function isPickedUpByPackage({
  status,
  childIds,
  pickupLocationId,
  pickedUpAt,
}: Pick<TaskRecord, 'status' | 'childIds' | 'pickupLocationId' | 'pickedUpAt'>): boolean {
  return WITH_COURIER.has(status) && childIds === null && pickupLocationId !== null && pickedUpAt === null;
}
