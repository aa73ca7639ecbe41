import { type Refusal, refusal } from '../../../schema/errors.ts';
import type { RandomSource } from '../../runtime/random.ts';
import type { IdKind } from '../../store/actor/actor-store.ts';

/** The due timers of an organization, as its rows name them. */
export interface DueTimers {
  readonly taskIds: readonly number[];
  /** Agents of whose shifts one begins or ends, or a break. */
  readonly agentIds: readonly number[];
  /** The time of the next timer after these: as Postgres knew it, or set in memory since. */
  readonly nextDeadlineAt: string | null;
}

/** The inputs of a decision besides the state and the command. */
export interface DecideContext {
  /** ISO 8601; never before the organization's last change. */
  readonly now: string;
  readonly random: RandomSource;
  nextId(kind: IdKind): number;
  /** Present when the engine has looked at the timers. */
  readonly due?: DueTimers | undefined;
}

/** The record that answers a command, as it is after the change. */
export type Shown =
  | {
      readonly kind: 'task' | 'package' | 'customer' | 'warehouse' | 'agent' | 'request' | 'payment' | 'organization';
      readonly id: number;
    }
  /** JSON that is no record of its own. */
  | { readonly kind: 'written'; readonly json: string }
  /** The organization is being deleted. */
  | { readonly kind: 'deletion' }
  | { readonly kind: 'nothing' };

/** The end of a decision: the draft is to be applied, or a coded refusal. */
export type Decision =
  | { readonly ok: true; readonly status: 200 | 201; readonly shown: Shown }
  | { readonly ok: false; readonly refusal: Refusal };

export function done(kind: Extract<Shown, { id: number }>['kind'], id: number, status: 200 | 201 = 200): Decision {
  return { ok: true, status, shown: { kind, id } };
}

/** Done, or not needed; no caller reads the answer. */
export const NOTHING_SHOWN: Decision = { ok: true, status: 200, shown: { kind: 'nothing' } };

export function refuse(refusal: Refusal): Decision {
  return { ok: false, refusal };
}

/** A 400 that only the engine can find: it rests on the record or on the organization's settings. */
export function violate(...violations: readonly string[]): Decision {
  return refuse(refusal('VALIDATION_FAILED', undefined, { violations }));
}
