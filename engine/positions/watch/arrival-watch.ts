import { LIMITS } from '../../../schema/limits.ts';
import { AWAY, approach } from '../../domain/travel/arrival.ts';
import { isoTime } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import { type NoteSender, SYSTEM } from './note-sender.ts';
import type { Approach, WatchedAgent } from './watched-agent.ts';

/** An arrival that its actor has not taken yet. */
interface Untold {
  readonly nextAttemptAt: number;
  readonly givenUpAt: number;
}

/** Sees agents arrive. Times are monotonic, but those of points. */
export class ArrivalWatch {
  readonly #sender: NoteSender;
  readonly #log: Log;
  /** In the order of their next attempts. Their agents may stand still, and send nothing that would bring them up again. */
  readonly #untold = new Map<Approach, Untold>();

  constructor(sender: NoteSender, log: Log) {
    this.#sender = sender;
    this.#log = log;
  }

  /** An agent that has moved, to where a point says precisely. */
  see({ agent, awaited }: WatchedAgent, now: number): void {
    for (const known of awaited) {
      if (known.arrival.kind === 'arrived') continue;
      const arrival = approach(known.arrival, known.place, agent);
      const hasArrived = arrival.kind === 'arrived';
      // Found again with the next point, when there is room.
      if (hasArrived && this.#untold.size >= LIMITS.untoldArrivals) continue;
      known.arrival = arrival;
      if (hasArrived) this.#tell(known, now, now + LIMITS.arrivalPatienceMs);
    }
  }

  /** Nobody is awaited there any more. */
  forget(ended: readonly Approach[]): void {
    for (const one of ended) this.#untold.delete(one);
  }

  /** Repeats failed attempts, even for agents that stand still. */
  tellAgain(now: number): void {
    for (const [one, { nextAttemptAt, givenUpAt }] of this.#untold) {
      if (nextAttemptAt > now || !this.#sender.hasRoom) return;
      if (givenUpAt <= now) this.#giveUp(one);
      else this.#tell(one, now, givenUpAt);
    }
  }

  #tell(one: Approach, now: number, givenUpAt: number): void {
    const { arrival, organizationId, taskId, agentId, stop } = one;
    this.#untold.delete(one);
    if (arrival.kind !== 'arrived') return;
    this.#untold.set(one, { nextAttemptAt: now + LIMITS.arrivalRetryMs, givenUpAt });
    if (one.isAsking || !this.#sender.hasRoom) return;
    const { sinceMs, latitude, longitude } = arrival;
    const at = isoTime(sinceMs);
    one.isAsking = true;
    this.#sender.send(
      organizationId,
      { kind: 'note-arrival', caller: SYSTEM, taskId, agentId, place: stop, at, latitude, longitude },
      (isSettled) => {
        one.isAsking = false;
        if (isSettled) this.#untold.delete(one);
      },
    );
  }

  /** An agent that is still there arrives with its next point. */
  #giveUp(one: Approach): void {
    this.#untold.delete(one);
    one.arrival = AWAY;
    const { organizationId, taskId } = one;
    this.#log.warn({ organizationId, taskId }, 'an arrival could not be sent to its actor');
  }
}
