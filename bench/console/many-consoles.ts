import { setTimeout as delay } from 'node:timers/promises';
import { memoryStore, Session } from '../../gateway/client/session.ts';
import { Api } from '../../gateway/console/live/api.ts';
import { type Changes, LiveCore } from '../../gateway/console/live/live-core.ts';
import { isOpen, type Records } from '../../gateway/console/live/records.ts';
import { LatencyHistogram } from '../load/latency-histogram.ts';
import { serveOrder, sleepFully } from '../load/serve-order.ts';
import type { ConsoleOrder, ConsoleOutcome } from './console-order.ts';
import { StreamReader } from './stream-reader.ts';

/**
 * Consoles without a screen, in one process: some with the program of the console's worker, which must see everything in time;
 * of the others only the streams are read. A machine that runs the bench could not run two hundred browsers beside it.
 */

/** An organization lets two exports run at a time. */
const OPENED_AT_ONCE = 2;
const POLL_MS = 20;
const SETTLED_MS = 2_000;

interface Seen {
  readonly lags: LatencyHistogram;
  isInWindow: boolean;
  cut: number;
}

class HeadlessConsole {
  readonly core: LiveCore;
  readonly #seen: Seen;
  events = 0;
  positions = 0;

  private constructor(api: Api, timeZone: string, seen: Seen) {
    this.#seen = seen;
    this.core = new LiveCore(api, timeZone, (changes) => this.#changed(changes));
    void this.core.run();
  }

  /** Resolves when it is live. */
  static async open(api: Api, seen: Seen): Promise<HeadlessConsole> {
    const { data: caller } = await api.me();
    const opened = new HeadlessConsole(api, caller.organization!.timeZone, seen);
    while (opened.core.connection.state !== 'live') await delay(POLL_MS);
    return opened;
  }

  #changed({ tasks, positions, connection }: Changes): void {
    if (!this.#seen.isInWindow) return;
    if (positions) this.positions += 1;
    if (connection && this.core.connection.state === 'cut') this.#seen.cut += 1;
    const { lagMs } = this.core.connection;
    if (!tasks) return;
    this.events += 1;
    if (lagMs !== null) this.#seen.lags.add(lagMs);
  }
}

serveOrder(async (order: ConsoleOrder, tellWindow, tellReady): Promise<ConsoleOutcome> => {
  const seen: Seen = { lags: new LatencyHistogram(), isInWindow: false, cut: 0 };
  const startedAt = performance.now();
  const { opened, readers } = await openAll(order, seen);
  const openedInSeconds = (performance.now() - startedAt) / 1_000;
  tellReady();
  await sleepFully(order.settlingSeconds * 1_000);
  tellWindow('start');
  seen.isInWindow = true;
  const before = readers.map(({ bytes }) => bytes);
  await sleepFully(order.seconds * 1_000);
  seen.isInWindow = false;
  tellWindow('end');
  const read = readers.map(({ bytes }, index) => bytes - before[index]!).sort((a, b) => a - b);
  const [{ events, positions }] = opened as [HeadlessConsole];
  await delay(SETTLED_MS);
  const [first, ...others] = opened.map(({ core }) => openTasksOf(core.records));
  return {
    openedInSeconds,
    events,
    positions,
    lagP50Ms: seen.lags.percentile(0.5) ?? Number.POSITIVE_INFINITY,
    lagP95Ms: seen.lags.percentile(0.95) ?? Number.POSITIVE_INFINITY,
    cut: seen.cut + readers.filter(({ isOver }) => isOver).length,
    leastBytes: read.at(0) ?? 0,
    mostBytes: read.at(-1) ?? 0,
    different: others.filter((tasks) => tasks !== first).length,
  };
});

interface Opened {
  readonly opened: HeadlessConsole[];
  readonly readers: StreamReader[];
}

async function openAll({ baseUrl, logins, consoles, programs }: ConsoleOrder, seen: Seen): Promise<Opened> {
  const users = await Promise.all(
    logins.map(async (login) => {
      const store = memoryStore();
      const session = new Session({ baseUrl, store });
      await session.signIn(login);
      return { store, authorization: (await session.headers())['authorization']! };
    }),
  );
  const opened: HeadlessConsole[] = [];
  const readers: StreamReader[] = [];
  let next = 0;
  const opener = async () => {
    for (let number = next++; number < consoles; number = next++) {
      const { store, authorization } = users[number % users.length]!;
      if (number >= programs) readers.push(await StreamReader.open(baseUrl, authorization));
      else {
        const api = new Api({ baseUrl, store: Promise.resolve(store), onEnded: () => {}, onCaller: () => {} });
        opened.push(await HeadlessConsole.open(api, seen));
      }
    }
  };
  await Promise.all(Array.from({ length: OPENED_AT_ONCE }, opener));
  return { opened, readers };
}

/** The open tasks with their states, as a text to compare. */
function openTasksOf({ tasks }: Records): string {
  const open = [...tasks.values()].filter(({ row }) => isOpen(row.status));
  return open
    .map(({ row }) => `${row.id} ${row.status} ${row.agentId}`)
    .sort()
    .join('\n');
}
