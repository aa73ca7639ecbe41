import { type Refusal, refusal } from '../../../schema/errors.ts';
import type { RandomSource } from '../../runtime/random.ts';
import type { IdKind } from '../../store/actor/actor-store.ts';

/** What a decision may use besides the state and the command. */
export interface DecideContext {
  /** ISO 8601; never before the organization's last change. */
  readonly now: string;
  readonly random: RandomSource;
  nextId(kind: IdKind): number;
}

/** The record that answers a command, as it is after the change. */
export type Shown =
  | {
      readonly kind: 'task' | 'package' | 'customer' | 'warehouse' | 'agent' | 'request' | 'payment' | 'organization';
      readonly id: number;
    }
  /** What is no record of its own, as JSON. */
  | { readonly kind: 'written'; readonly json: string }
  /** That the organization is being deleted. */
  | { readonly kind: 'deletion' }
  | { readonly kind: 'nothing' };

/** How a decision ended: what was drafted is to be done, or a coded refusal. */
export type Decision =
  | { readonly ok: true; readonly status: 200 | 201; readonly shown: Shown }
  | { readonly ok: false; readonly refusal: Refusal };

export function done(kind: Extract<Shown, { id: number }>['kind'], id: number, status: 200 | 201 = 200): Decision {
  return { ok: true, status, shown: { kind, id } };
}

/** Done, or not needed; nobody reads the answer. */
export const NOTHING_SHOWN: Decision = { ok: true, status: 200, shown: { kind: 'nothing' } };

export function refuse(refusal: Refusal): Decision {
  return { ok: false, refusal };
}

/** 400 that only the engine could find: it rests on the record or on the organization's settings. */
export function violate(...violations: readonly string[]): Decision {
  return refuse(refusal('VALIDATION_FAILED', undefined, { violations }));
}
