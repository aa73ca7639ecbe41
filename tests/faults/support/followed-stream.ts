import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { Journal, SeenEvent } from '../../support/journal.ts';
import type { SeededOrganization } from '../../support/seeds/seed.ts';
import { PATIENCE_MS } from '../../support/until.ts';

export interface FollowedStream {
  /** The number of connections so far. */
  readonly connections: number;
  /** Resolves when the client has seen the event of this sequence; rejects after `patienceMs`. */
  reaches(sequence: number, patienceMs?: number): Promise<void>;
  stop(): void;
}

const RECONNECT_MS = 50;

/**
 * Opens a client that watches an organization and resumes by Last-Event-ID whenever its connection ends. Resolves when
 * it is connected for the first time.
 */
export async function followStream(
  journal: Journal,
  baseUrl: string,
  organization: SeededOrganization,
): Promise<FollowedStream> {
  const follower = new Follower(journal, baseUrl, organization);
  const following = follower.follow();
  await Promise.race([follower.ready, following]);
  return follower;
}

class Follower implements FollowedStream {
  connections = 0;
  readonly ready: Promise<void>;
  readonly #journal: Journal;
  readonly #baseUrl: string;
  readonly #organization: SeededOrganization;
  readonly #stopped = new AbortController();
  #isReady = () => {};
  #see: ((event: SeenEvent) => void) | undefined;
  #lastEventId: string | undefined;
  #last = 0;
  #lostPlace: string | undefined;

  constructor(journal: Journal, baseUrl: string, organization: SeededOrganization) {
    this.#journal = journal;
    this.#baseUrl = baseUrl;
    this.#organization = organization;
    this.ready = new Promise((resolve) => {
      this.#isReady = resolve;
    });
  }

  /** Connects again and again until it is stopped. Never rejects. */
  async follow(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      await this.#connect(signal);
      await delay(RECONNECT_MS);
    }
  }

  async reaches(sequence: number, patienceMs = PATIENCE_MS): Promise<void> {
    const givenUpAt = performance.now() + patienceMs;
    while (this.#last < sequence) {
      if (this.#lostPlace) throw new Error(`the stream lost its place: ${this.#lostPlace}`);
      if (performance.now() > givenUpAt) throw new Error(`the stream is at ${this.#last}, ${sequence} did not come`);
      await delay(10);
    }
    // One event too many would come right behind.
    await delay(50);
  }

  stop(): void {
    this.#stopped.abort();
  }

  /** Follows one connection to its end. */
  async #connect(signal: AbortSignal): Promise<void> {
    const { organizationId, key } = this.#organization;
    const resume = this.#lastEventId === undefined ? {} : { 'last-event-id': this.#lastEventId };
    const outgoing = request(new URL(`/api/v1/realtime/organizations/${organizationId}/events`, this.#baseUrl), {
      agent: false,
      headers: { 'x-api-key': key, ...resume },
      signal,
    });
    const parser = createParser({ onEvent: (message) => this.#take(message) });
    outgoing.on('response', (incoming) => {
      // A stream that is refused for now is asked for again.
      if (incoming.statusCode === 200) this.connections += 1;
      incoming.setEncoding('utf8').on('data', (text: string) => parser.feed(text));
      incoming.on('error', () => {});
    });
    outgoing.on('error', () => {});
    const closed = new Promise((resolve) => outgoing.once('close', resolve));
    outgoing.end();
    await closed;
  }

  #take({ id, event, data }: EventSourceMessage): void {
    if (id !== undefined) this.#lastEventId = id;
    if (event === 'stream.ready') return this.#start(data);
    if (event === 'stream.resync') this.#lostPlace = data;
    if (event?.startsWith('stream.')) return;
    const body = JSON.parse(data) as { sequence: number; data: { task: { id: number } } };
    this.#last = body.sequence;
    this.#see?.({ sequence: body.sequence, taskId: body.data.task.id });
  }

  #start(data: string): void {
    if (this.#see) return;
    this.#last = Number((JSON.parse(data) as { position: string }).position.split('-')[1]);
    this.#see = this.#journal.watched(this.#organization.organizationId, this.#last);
    this.#isReady();
  }
}
