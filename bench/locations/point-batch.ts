import { requestHead } from '../load/http-pool.ts';
import { seededNumbers } from '../scenarios/seeded-numbers.ts';

/** The length of an ISO time with milliseconds. */
const STAMP_CHARS = 24;
const PLACEHOLDER = '2000-01-01T00:00:00.000Z';
/** How often the agents of a batch are somewhere else before they are where they began. */
const PLACES = 4;
/** About 40 m, so that no agent moves impossibly fast. */
const STEP_MICRO_DEGREES = 400;

export interface BatchTarget {
  readonly url: URL;
  readonly apiKey: string;
}

/**
 * The points of some agents as whole requests, encoded once: each time one is sent only its times are overwritten.
 * Times of a batch advance with the clock, and by a millisecond where the clock has not.
 */
export class PointBatch {
  readonly #requests: readonly { readonly bytes: Buffer; readonly stamps: readonly number[] }[];
  #next = 0;
  #lastMs = 0;

  constructor(target: BatchTarget, agentIds: readonly number[], seed: number) {
    this.#requests = Array.from({ length: PLACES }, (_, place) => encode(target, agentIds, seed, place));
  }

  /** The next request. Its bytes are good until this has been called again as often as there are places. */
  next(): Buffer {
    const { bytes, stamps } = this.#requests[this.#next++ % PLACES]!;
    this.#lastMs = Math.max(Date.now(), this.#lastMs + 1);
    const stamp = Buffer.from(new Date(this.#lastMs).toISOString(), 'latin1');
    for (const at of stamps) bytes.set(stamp, at);
    return bytes;
  }
}

function encode({ url, apiKey }: BatchTarget, agentIds: readonly number[], seed: number, place: number) {
  const draw = seededNumbers(seed);
  const points = agentIds.map((agentId) => {
    const latitude = (52_400_000 + draw(200_000) + place * STEP_MICRO_DEGREES) / 1e6;
    const longitude = (13_300_000 + draw(200_000)) / 1e6;
    const [accuracy, speed, heading] = [3 + draw(20), draw(180) / 10, draw(360)];
    return { agentId, latitude, longitude, recordedAt: PLACEHOLDER, accuracy, speed, heading };
  });
  const body = JSON.stringify({ points });
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json', 'content-length': `${body.length}` };
  const bytes = Buffer.from(`${requestHead('POST', '/api/v1/agents/locations', url, headers)}\r\n${body}`, 'latin1');
  const stamps: number[] = [];
  for (let at = bytes.indexOf(PLACEHOLDER); at !== -1; at = bytes.indexOf(PLACEHOLDER, at + STAMP_CHARS))
    stamps.push(at);
  return { bytes, stamps };
}
