import type { CustomerRecord } from '../../../schema/customers/customer.ts';
import type { AgentOfTask } from '../../../schema/fleet/agent.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { RecencyMap } from './recency-map.ts';
import type { TaskFacts } from './state-view.ts';

/** The durability of a record in memory; both are 0 for a record that was read from Postgres. */
export interface Basis {
  /** Batch that carries the newest change. */
  readonly ticket: number;
  /** Sequence of the log at which the record is what it is. */
  readonly sequence: number;
}

export interface Live<T> extends Basis {
  readonly record: T;
}

export interface LiveTask extends TaskFacts {
  readonly ticket: number;
  /** Set once more when the change gets its event. */
  sequence: number;
  /** How often it was asked for since it was made, or since it ended; counted up to two. */
  uses: number;
  /** Set by a read, and cleared when its turn to leave memory comes: then it stays for another turn. */
  wasRead: boolean;
  /** The answer to its reads, while it is kept. */
  shown: KeptAnswer | undefined;
}

/** The answer to reads of a task: made once, kept with its record, in the queue of those that leave memory. */
export interface KeptAnswer {
  readonly live: LiveTask;
  readonly json: string;
  readonly etag: string;
  /** Records beside the task's own that it shows. */
  readonly customer: CustomerRecord | undefined;
  readonly agent: AgentOfTask | undefined;
  /** Set when it is given again, and cleared when its turn to leave comes: then it stays for another turn. */
  wasUsed: boolean;
  next: KeptAnswer | undefined;
}

export const READ: Basis = { ticket: 0, sequence: 0 };

/** Removes entries in order of use until somewhat below the bound, so that it is done rarely; entries that are kept or not durable stay. */
export function evictOldest<K, T extends { readonly ticket: number }>(
  entries: RecencyMap<K, T>,
  bound: number,
  durableTicket: number,
  forget: (entry: T) => void = () => {},
  isKept: (key: K, entry: T) => boolean = () => false,
): void {
  if (entries.size <= bound) return;
  const target = somewhatBelow(bound);
  for (const [key, entry] of entries.entries()) {
    if (entries.size <= target) return;
    if (entry.ticket > durableTicket || isKept(key, entry)) continue;
    entries.delete(key);
    forget(entry);
  }
}

/** How many stay where more than `bound` are. */
export function somewhatBelow(bound: number): number {
  return bound - Math.min(Math.ceil(bound / 5), LIMITS.evictedAtOnce);
}
