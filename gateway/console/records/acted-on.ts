import type { Failure } from '../live/protocol.ts';
import { refusalText } from '../page/refusals.ts';

/** How an action on many tasks ended: those that were refused, each with the reason in words. */
export interface ActedOn {
  readonly done: number;
  readonly refused: readonly { readonly taskId: number; readonly words: string }[];
  /** Why the calls about the rest of the tasks were not made, or had no effect that is known. */
  readonly failure?: Failure;
}

export interface Report {
  readonly isWhole: boolean;
  /** The reasons are to be read one by one. */
  readonly isListed: boolean;
  readonly fault: string | null;
  /** The tasks of the call that failed, and of those that were not made after it. */
  readonly unconfirmed: number;
}

/** The page shows so much of it. The reasons of the tasks that were refused stay when a later call fails as a whole. */
export function reportOf({ done, refused, failure }: ActedOn, asked: number): Report {
  const isListed = refused.length > 0 && asked > 1;
  const onlyReason = isListed ? null : (refused[0]?.words ?? null);
  const fault = failure ? refusalText(failure) : onlyReason;
  const unconfirmed = failure ? asked - done - refused.length : 0;
  return { isWhole: !failure && refused.length === 0, isListed, fault, unconfirmed };
}
