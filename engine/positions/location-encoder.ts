import { LIMITS } from '../../schema/limits.ts';
import { isStale } from '../domain/travel/location-rule.ts';
import { isoTime } from '../runtime/clock.ts';
import { encodePosition } from '../views/position-view.ts';
import type { LiveAgent } from './live-agent.ts';
import type { LocationAudience } from './location-audience.ts';
import type { LocationPatch } from './location-patch.ts';
import type { MovedAgents } from './moved-agents.ts';

/** The part of a message that one patch has. */
interface Fragment {
  /** The agents in the patch, each with a comma before it. */
  readonly bytes: Buffer;
  readonly count: number;
  /** Agents that have left it. They may be in another patch of the message. */
  readonly gone: readonly LiveAgent[];
}

type Which = 'moved' | 'missed';

const NOTHING: Fragment = { bytes: Buffer.alloc(0), count: 0, gone: [] };

/** The messages of one tick: the position of each agent, and each patch, is encoded once. */
export class LocationEncoder {
  readonly #organizationId: number;
  readonly #moved: MovedAgents;
  readonly #nowMs: number;
  readonly #items = new Map<LiveAgent, string>();
  readonly #fragments = { moved: new Map<LocationPatch, Fragment>(), missed: new Map<LocationPatch, Fragment>() };

  constructor(organizationId: number, moved: MovedAgents, nowMs: number) {
    this.#organizationId = organizationId;
    this.#moved = moved;
    this.#nowMs = nowMs;
  }

  itemOf(agent: LiveAgent): string {
    let item = this.#items.get(agent);
    if (item === undefined) {
      item = encodePosition(agent, isStale(agent, this.#nowMs));
      this.#items.set(agent, item);
    }
    return item;
  }

  /**
   * The message for streams that had everything before, or for those that were behind. Undefined when there is nothing
   * to send. The message has an agent that has left all patches once more, and one that has changed them once.
   */
  messageOf({ patches, holds }: LocationAudience, which: Which): readonly Buffer[] | undefined {
    const parts: Buffer[] = [];
    const gone = new Set<LiveAgent>();
    let count = 0;
    for (const patch of patches) {
      const fragment = this.#fragmentOf(patch, which);
      if (fragment.count > 0) parts.push(fragment.bytes);
      count += fragment.count;
      for (const agent of fragment.gone) if (!holds(agent)) gone.add(agent);
    }
    count += gone.size;
    if (count === 0) return undefined;
    if (gone.size > 0) parts.push(this.#join(gone));
    const head = `"type":"agent.locations_updated","timestamp":"${isoTime(this.#nowMs)}","apiVersion":"v1"`;
    const start = `event: agent.locations_updated\ndata: {${head},"organizationId":${this.#organizationId},"data":{"items":[`;
    parts[0] = parts[0]!.subarray(1);
    return packed([Buffer.from(start, 'latin1'), ...parts, Buffer.from(`],"count":${count}}}\n\n`, 'latin1')]);
  }

  #fragmentOf(patch: LocationPatch, which: Which): Fragment {
    const known = this.#fragments[which].get(patch);
    if (known) return known;
    const moved = patch.pick(this.#moved);
    const agents = which === 'moved' ? moved : [...new Set([...moved, ...patch.missedBefore(this.#moved)])];
    const fragment = agents.length === 0 ? NOTHING : this.#encode(patch, agents);
    this.#fragments[which].set(patch, fragment);
    return fragment;
  }

  #encode(patch: LocationPatch, agents: readonly LiveAgent[]): Fragment {
    const inside: LiveAgent[] = [];
    const gone: LiveAgent[] = [];
    for (const agent of agents) (patch.holds(agent) ? inside : gone).push(agent);
    return { bytes: this.#join(inside), count: inside.length, gone };
  }

  #join(agents: Iterable<LiveAgent>): Buffer {
    let list = '';
    for (const agent of agents) list += `,${this.itemOf(agent)}`;
    // It holds only ASCII, where latin1 needs no search for the ends of characters.
    return Buffer.from(list, 'latin1');
  }
}

/** The same bytes in fewer pieces: small ones that follow each other are copied into one. */
function packed(parts: readonly Buffer[]): readonly Buffer[] {
  const pieces: Buffer[] = [];
  let small: Buffer[] = [];
  const flush = () => {
    if (small.length > 0) pieces.push(small.length === 1 ? small[0]! : Buffer.concat(small));
    small = [];
  };
  for (const part of parts) {
    if (part.length < LIMITS.leastSharedBytes) small.push(part);
    else {
      flush();
      pieces.push(part);
    }
  }
  flush();
  return pieces;
}
