import type { Load, Place } from '../../../engine/domain/assignment/round-view.ts';
import type { AssignmentSettings } from '../../../schema/assignment/assignment.ts';
import type { SentCourier } from '../../../schema/assignment/courier.ts';

/** A task for which a company may send somebody. */
export interface CourierJob {
  readonly taskId: number;
  readonly load: Load;
  readonly pickup: Place | null;
  readonly dropoff: Place | null;
}

export interface CalledOff {
  readonly organizationId: number;
  readonly taskIds: readonly number[];
}

/** A courier company. */
export interface CourierProvider {
  /** As `provider` of its couriers. */
  readonly name: string;
  /** Whether it would take such a load at all, if none of its vehicles had anything else; nobody is asked for that. */
  mayCarry(settings: AssignmentSettings, load: Load): boolean;
  /**
   * Asks it to take jobs: whom it sends for which task, those that it does not take left out. To ask twice for the same
   * task is to ask once. Rejects when nobody knows what it has taken.
   */
  book(
    organizationId: number,
    settings: AssignmentSettings,
    jobs: readonly CourierJob[],
  ): Promise<ReadonlyMap<number, SentCourier>>;
  /** Tasks that it took are not to be carried out by it after all. To say so twice is to say so once. */
  withdraw(organizationId: number, taskIds: readonly number[]): Promise<void>;
  /**
   * Tasks that the company means to carry out and should not: they were cancelled, or it never got them, or no longer
   * has them. The durable rows decide, so that the caller need not remember bookings. It lists some of them, and never
   * one whose booking may still be on its way to the task.
   */
  findCalledOff(): Promise<readonly CalledOff[]>;
}
