import type { Answer } from '../live/protocol.ts';
import { attemptAfter, attemptAnswered, longAgo, NO_ATTEMPT } from './new-key.ts';
import { ofUser } from './of-user.ts';

/** A customer that is known, by its id, or a new one by name and phone. */
export interface Chosen {
  readonly id: number | null;
  readonly name: string;
  readonly phone: string;
}

/** A place as it is typed. */
export interface TypedPlace {
  readonly address: string;
  /** Latitude and longitude, with a comma between. */
  readonly pin: string;
}

/** The task that is being made, as it is typed. */
export interface Draft extends TypedPlace {
  readonly name: string;
  readonly taskType: string;
  readonly customer: Chosen;
  readonly dueMinutes: number;
  readonly notes: string;
  /** Nobody, `look` for a search, or the id of a courier. */
  readonly courier: string;
}

export const EMPTY_DRAFT: Draft = {
  name: '',
  taskType: 'delivery',
  customer: { id: null, name: '', phone: '' },
  address: '',
  pin: '',
  dueMinutes: 60,
  notes: '',
  courier: '',
};

/** It stays when its form is closed, until it is created or discarded. */
export const draft = ofUser(EMPTY_DRAFT);
export const isDrafting = ofUser(false);
const attempt = ofUser(NO_ATTEMPT);

/** The key of the draft's order, as long as both stay: sent again it makes one task, also by a form that was closed meanwhile. */
export function keyOfOrder(order: unknown): string {
  attempt.value = attemptAfter(attempt.peek(), order);
  return attempt.value.key;
}

/** The refusal of an order that was sent so long ago that it could be made twice. Pressed again, it is another one. */
export function oldOrder(order: unknown): Answer<never> | undefined {
  const refusal = longAgo(attempt.peek(), order);
  if (refusal) attempt.value = NO_ATTEMPT;
  return refusal;
}

/** A refused order is another one when it is sent again: what was in its way may be gone. */
export function meetAnswer(key: string, answer: Answer): void {
  if (attempt.peek().key === key) attempt.value = attemptAnswered(attempt.peek(), answer);
}

/** Discards the draft that became a task, unless somebody has typed since. Returns whether it did. */
export function discardSent(sent: Draft): boolean {
  const isSame = draft.peek() === sent;
  if (isSame) discardDraft();
  return isSame;
}

export function discardDraft(): void {
  draft.value = EMPTY_DRAFT;
  attempt.value = NO_ATTEMPT;
  isDrafting.value = false;
}
