import type { CustomerRecord } from '../../../schema/customers/customer.ts';
import type { AgentOfTask } from '../../../schema/fleet/agent.ts';
import { etagOf } from '../../views/parts/etag.ts';
import { encodeTask } from '../../views/task-view.ts';
import { isPassing } from '../state/books/task-book.ts';
import { BoundedMap } from '../state/bounded-map.ts';
import type { LiveTask } from '../state/live.ts';
import type { OrgState } from '../state/org-state.ts';

/** A task as a read answers it. */
export interface ShownTask {
  readonly json: string;
  readonly etag: string;
}

interface Kept extends ShownTask {
  readonly customer: CustomerRecord | undefined;
  readonly agent: AgentOfTask | undefined;
}

/**
 * The answers to reads of tasks, made once per change. Every change makes a new record in memory, so an answer is right
 * as long as the records that it shows are the same objects. One process has one such store for all organizations,
 * bounded by the length of its texts. A change leaves the old answer behind, and its record with it, until it was unused
 * from one sweep to the next.
 */
export class ShownTasks {
  readonly #kept: BoundedMap<LiveTask, Kept>;

  constructor(mostChars: number) {
    this.#kept = new BoundedMap(mostChars, ({ json }) => json.length);
  }

  /** UTF-16 units of all texts. */
  get chars(): number {
    return this.#kept.taken;
  }

  /** Lets go of the answers that nobody has asked for since the sweep before. */
  sweep(): void {
    this.#kept.sweep();
  }

  of(state: OrgState, live: LiveTask): ShownTask {
    const { customerId, agentId, childIds } = live.task;
    // A job shows its children, each of which may have changed.
    if (childIds !== null) return encode(state, live);
    const customer = customerId === null ? undefined : state.findCustomer(customerId);
    const agent = agentId === null ? undefined : state.findShownAgent(agentId);
    const kept = this.#kept.get(live);
    if (kept && kept.customer === customer && kept.agent === agent) {
      this.#kept.touch(live);
      return kept;
    }
    const shown = { ...encode(state, live), customer, agent };
    // A walk through many tasks does not push out the answers that are asked for again.
    if (!isPassing(live) || this.#kept.hasRoomFor(shown)) this.#kept.set(live, shown);
    return shown;
  }
}

function encode(state: OrgState, live: LiveTask): ShownTask {
  const json = encodeTask(state.bundleOf(live));
  return { json, etag: etagOf(json) };
}
