import type { Assignment } from './policy.ts';

/** The record of a replayed day. Times are milliseconds from its start. */
export interface DayRecord {
  readonly policy: string;
  readonly assignments: readonly Carried[];
  readonly declined: readonly (Assignment & { readonly at: number })[];
  /** How long each decision took. */
  readonly roundMs: readonly number[];
}

export interface Carried extends Assignment {
  readonly decidedAt: number;
  readonly pickedUpAt: number;
  /** When each of `orderIds` was dropped off. */
  readonly droppedOffAt: readonly number[];
}
