import type { Load, Place } from '../../../engine/domain/planning/round-view.ts';
import type { AssignmentSettings } from '../../../schema/assignment.ts';
import type { SentCourier } from '../../../schema/courier.ts';

/** A task for which a company may send somebody. */
export interface CourierJob {
  readonly taskId: number;
  readonly load: Load;
  readonly pickup: Place | null;
  readonly dropoff: Place | null;
}

/** A courier company. */
export interface CourierProvider {
  /** As `provider` of its couriers. */
  readonly name: string;
  /**
   * Asks it to take jobs: whom it sends for which task, those that it does not take left out. To ask twice for the same
   * task is to ask once. Rejects when nobody knows what it has taken.
   */
  book(
    organizationId: number,
    settings: AssignmentSettings,
    jobs: readonly CourierJob[],
  ): Promise<ReadonlyMap<number, SentCourier>>;
  /** Tasks that it took are not to be carried out by it after all. */
  withdraw(organizationId: number, taskIds: readonly number[]): Promise<void>;
}
