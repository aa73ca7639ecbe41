import type { AssignmentRequestRecord } from '../../../../schema/assignment/assignment.ts';
import { LIMITS } from '../../../../schema/limits.ts';
import { evictOldest, type Live, READ } from '../live.ts';
import { RecencyMap } from '../recency-map.ts';

/** Requests that agents were asked lately, open or not, and all open requests of some agents. */
export class RequestBook {
  readonly #requests = new RecencyMap<number, Live<AssignmentRequestRecord>>();
  /** Agents whose open requests are all here. */
  readonly #wholeOf = new Set<number>();
  /** The ids of those that wait for an answer, by agent: looked for with each task that comes to one. */
  readonly #openOf = new Map<number, Set<number>>();

  find(id: number): AssignmentRequestRecord | undefined {
    return this.#requests.get(id)?.record;
  }

  put(record: AssignmentRequestRecord, basis: Omit<Live<AssignmentRequestRecord>, 'record'>): void {
    this.#requests.set(record.id, { record, ...basis });
    this.#noteOpen(record, record.status === 'pending');
  }

  /** Adds requests that were read; for those in memory, memory is right. */
  absorb(read: readonly AssignmentRequestRecord[], wholeOf: Iterable<number>): void {
    for (const record of read) if (!this.#requests.has(record.id)) this.put(record, READ);
    for (const agentId of wholeOf) this.#wholeOf.add(agentId);
  }

  /** Whether `openOf` has the word on this agent. */
  knowsOpenOf(agentId: number): boolean {
    return this.#wholeOf.has(agentId);
  }

  /** The requests that an agent has not answered. */
  openOf(agentId: number): AssignmentRequestRecord[] {
    return Array.from(this.#openOf.get(agentId) ?? [], (id) => this.find(id)!);
  }

  evict(durableTicket: number): void {
    evictOldest(this.#requests, LIMITS.requestsInMemory, durableTicket, ({ record }) => {
      if (record.status !== 'pending') return;
      this.#noteOpen(record, false);
      // The next question reads again.
      this.#wholeOf.delete(record.agentId);
    });
  }

  #noteOpen({ id, agentId }: AssignmentRequestRecord, isOpen: boolean): void {
    const open = this.#openOf.get(agentId);
    if (isOpen) {
      if (open) open.add(id);
      else this.#openOf.set(agentId, new Set([id]));
    } else if (open?.delete(id) && open.size === 0) this.#openOf.delete(agentId);
  }
}
