import { setTimeout as delay } from 'node:timers/promises';
import { memoryStore, Session } from '../../gateway/client/session.ts';
import { Api } from '../../gateway/console/live/api.ts';
import { type Changes, LiveCore } from '../../gateway/console/live/live-core.ts';
import { isOpen, type Records } from '../../gateway/console/live/records.ts';
import { LatencyHistogram } from '../load/latency-histogram.ts';
import { serveOrder, sleepFully } from '../load/serve-order.ts';
import type { ConsoleOrder, ConsoleOutcome } from './console-order.ts';

/** Consoles without a screen: the program of the console's worker, many times in one process. */

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

  private constructor(api: Api, caller: Awaited<ReturnType<Api['me']>>, seen: Seen) {
    this.#seen = seen;
    this.core = new LiveCore(api, caller, (changes) => this.#changed(changes));
    void this.core.run();
  }

  /** Resolves when it is live. */
  static async open(api: Api, seen: Seen): Promise<HeadlessConsole> {
    const opened = new HeadlessConsole(api, await api.me(), seen);
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

serveOrder(async (order: ConsoleOrder, tellWindow): Promise<ConsoleOutcome> => {
  const seen: Seen = { lags: new LatencyHistogram(), isInWindow: false, cut: 0 };
  const startedAt = performance.now();
  const opened = await openAll(order, seen);
  const openedInSeconds = (performance.now() - startedAt) / 1_000;
  tellWindow('start');
  seen.isInWindow = true;
  await sleepFully(order.seconds * 1_000);
  seen.isInWindow = false;
  tellWindow('end');
  const [{ events, positions }] = opened as [HeadlessConsole];
  await delay(SETTLED_MS);
  const [first, ...others] = opened.map(({ core }) => openTasksOf(core.records));
  return {
    openedInSeconds,
    events,
    positions,
    lagP50Ms: seen.lags.percentile(0.5) ?? Number.POSITIVE_INFINITY,
    lagP95Ms: seen.lags.percentile(0.95) ?? Number.POSITIVE_INFINITY,
    cut: seen.cut,
    different: others.filter((tasks) => tasks !== first).length,
  };
});

async function openAll({ baseUrl, logins, consoles }: ConsoleOrder, seen: Seen): Promise<HeadlessConsole[]> {
  const stores = await Promise.all(
    logins.map(async (login) => {
      const store = memoryStore();
      await new Session({ baseUrl, store }).signIn(login);
      return store;
    }),
  );
  const opened: HeadlessConsole[] = [];
  let next = 0;
  const opener = async () => {
    for (let number = next++; number < consoles; number = next++) {
      const store = Promise.resolve(stores[number % stores.length]!);
      opened.push(await HeadlessConsole.open(new Api({ baseUrl, store, onEnded: () => {} }), seen));
    }
  };
  await Promise.all(Array.from({ length: OPENED_AT_ONCE }, opener));
  return opened;
}

/** The open tasks with their states, as a text to compare. */
function openTasksOf({ tasks }: Records): string {
  const open = [...tasks.values()].filter(({ row }) => isOpen(row.status));
  return open
    .map(({ row }) => `${row.id} ${row.status} ${row.agentId}`)
    .sort()
    .join('\n');
}
