import { LIMITS } from '../../../schema/limits.ts';
import { etagOf } from '../../views/parts/etag.ts';
import { encodeTask } from '../../views/task-view.ts';
import { isPassing } from '../state/books/task-book.ts';
import type { KeptAnswer, LiveTask } from '../state/live.ts';
import type { OrgState } from '../state/org-state.ts';

/** A task as a read answers it. */
export type ShownTask = Pick<KeptAnswer, 'json' | 'etag'>;

/**
 * The answers to reads of tasks, made once per change and kept with the record in memory. Every change makes a new record,
 * so an answer is right as long as the records that it shows are the same objects. One process has one such store for all
 * organizations, bounded by the length of its texts. Answers that nobody asks for leave within two rounds of sweeps, and the
 * records that were replaced meanwhile leave with them.
 */
export class ShownTasks {
  readonly #mostChars: number;
  /** The answers in the order of leaving: a chain, and a mark on each that was used, so that a use touches one object alone. */
  #first: KeptAnswer | undefined;
  #last: KeptAnswer | undefined;
  #count = 0;
  #chars = 0;

  constructor(mostChars: number) {
    this.#mostChars = mostChars;
  }

  /** UTF-16 units of all texts. */
  get chars(): number {
    return this.#chars;
  }

  of(state: OrgState, live: LiveTask): ShownTask {
    const { customerId, agentId, childIds } = live.task;
    // A job shows its children, each of which may have changed.
    if (childIds !== null) return encode(state, live);
    const customer = customerId === null ? undefined : state.findCustomer(customerId);
    const agent = agentId === null ? undefined : state.findShownAgent(agentId);
    const kept = live.shown;
    if (kept && kept.customer === customer && kept.agent === agent) {
      kept.wasUsed = true;
      return kept;
    }
    const made = { live, ...encode(state, live), customer, agent, wasUsed: false, next: undefined };
    // A walk through many tasks does not push out the answers that are asked for again.
    if (!isPassing(live) || this.#chars + made.json.length <= this.#mostChars) this.#keep(made);
    return made;
  }

  /** Gives a part of all answers their turn to leave, so that each has one in LIMITS.unusedTextsMs. */
  sweep(): void {
    const turns = Math.ceil((this.#count * LIMITS.answersSweptMs) / LIMITS.unusedTextsMs);
    for (let turn = 0; turn < turns; turn++) this.#turnFirst(true);
  }

  #keep(answer: KeptAnswer): void {
    if (answer.json.length > this.#mostChars) return;
    for (let turn = 0; this.#chars + answer.json.length > this.#mostChars; turn++)
      this.#turnFirst(turn < LIMITS.answersSpared);
    answer.live.shown = answer;
    this.#count += 1;
    this.#chars += answer.json.length;
    this.#append(answer);
  }

  /** The first answer leaves, or goes to the end when it was used and may be spared. */
  #turnFirst(isSpared: boolean): void {
    const answer = this.#first!;
    this.#first = answer.next;
    answer.next = undefined;
    if (!this.#first) this.#last = undefined;
    const isCurrent = answer.live.shown === answer;
    if (isCurrent && answer.wasUsed && isSpared) {
      answer.wasUsed = false;
      this.#append(answer);
      return;
    }
    if (isCurrent) answer.live.shown = undefined;
    this.#count -= 1;
    this.#chars -= answer.json.length;
  }

  #append(answer: KeptAnswer): void {
    if (this.#last) this.#last.next = answer;
    else this.#first = answer;
    this.#last = answer;
  }
}

function encode(state: OrgState, live: LiveTask): ShownTask {
  const json = encodeTask(state.bundleOf(live));
  return { json, etag: etagOf(json) };
}
