import type { AssignmentRequestRecord } from '../../../../schema/assignment/assignment.ts';
import { LIMITS } from '../../../../schema/limits.ts';
import { evictOldest, type Live, READ } from '../live.ts';
import { RecencyMap } from '../recency-map.ts';

/** Requests that agents were asked lately, open or not, and all open requests of some agents. */
export class RequestBook {
  readonly #requests = new RecencyMap<number, Live<AssignmentRequestRecord>>();
  /** Agents whose open requests are all here. */
  readonly #wholeOf = new Set<number>();

  find(id: number): AssignmentRequestRecord | undefined {
    return this.#requests.get(id)?.record;
  }

  put(record: AssignmentRequestRecord, basis: Omit<Live<AssignmentRequestRecord>, 'record'>): void {
    this.#requests.set(record.id, { record, ...basis });
  }

  /** Adds requests that were read; for those in memory, memory is right. */
  absorb(read: readonly AssignmentRequestRecord[], wholeOf: Iterable<number>): void {
    for (const record of read) if (!this.#requests.has(record.id)) this.#requests.set(record.id, { record, ...READ });
    for (const agentId of wholeOf) this.#wholeOf.add(agentId);
  }

  /** Whether `openOf` has the word on this agent. */
  knowsOpenOf(agentId: number): boolean {
    return this.#wholeOf.has(agentId);
  }

  /** The requests that an agent has not answered. */
  openOf(agentId: number): AssignmentRequestRecord[] {
    const all = Array.from(this.#requests.values(), ({ record }) => record);
    return all.filter((request) => request.agentId === agentId && request.status === 'pending');
  }

  evict(durableTicket: number): void {
    evictOldest(this.#requests, LIMITS.requestsInMemory, durableTicket);
    // An evicted request may be open: the next question reads again.
    this.#wholeOf.clear();
  }
}
