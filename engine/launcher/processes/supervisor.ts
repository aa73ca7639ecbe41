import { setTimeout as delay } from 'node:timers/promises';
import { LIMITS } from '../../../schema/limits.ts';

/** A running process, as far as its supervisor is concerned. */
export interface Service {
  readonly pid: number;
  readonly ended: Promise<string>;
  stop(): Promise<void>;
  kill(): void;
}

export interface Supervisor<S extends Service> {
  /** Starts the service; rejects when the first start fails, without trying again. */
  start(): Promise<S>;
  /** Stops the service in any state; also cancels a start in progress. */
  stop(): Promise<void>;
  kill(): void;
}

/**
 * Makes a service that is ready, or rejects and leaves nothing running. `signal` cancels it; `previous` is the service
 * that it replaces.
 */
type OpenService<S extends Service> = (signal: AbortSignal, previous: S | undefined) => Promise<S>;

/** Starts a service under a supervisor that its owner stops. */
export type KeepRunning = <S extends Service>(name: string, open: OpenService<S>) => Promise<S>;

interface SupervisorOptions<S extends Service> {
  readonly name: string;
  readonly open: OpenService<S>;
  readonly say: (message: string) => void;
  /** The service ended more often than LIMITS.restartsPerMinute allows. */
  readonly onGivenUp: (message: string) => void;
}

/**
 * Keeps one process running:
 *
 *     starting → running → ended → pause → starting → …
 *     any state but stopped → stopped (asked to stop, or given up)
 *
 * An end without a request leads to a restart after a pause that doubles with each end of the last minute.
 */
export function createSupervisor<S extends Service>(options: SupervisorOptions<S>): Supervisor<S> {
  const stopping = new AbortController();
  const endings: number[] = [];
  let service: S | undefined;
  let opening: Promise<unknown> = Promise.resolve();

  function open(): Promise<S> {
    const opened = options.open(stopping.signal, service).then((current) => {
      service = current;
      void current.ended.then((how) => restartAfter(`${options.name} ${how}`));
      return current;
    });
    opening = opened.catch(() => {});
    return opened;
  }

  async function restartAfter(ending: string): Promise<void> {
    if (stopping.signal.aborted) return;
    const now = performance.now();
    while (endings[0] !== undefined && endings[0] < now - 60_000) endings.shift();
    endings.push(now);
    if (endings.length > LIMITS.restartsPerMinute) {
      options.onGivenUp(`${ending}, for the ${endings.length}th time within a minute`);
      return;
    }
    const pauseMs = Math.min(LIMITS.firstRestartPauseMs * 2 ** (endings.length - 1), LIMITS.lastRestartPauseMs);
    options.say(`${ending}; starting it again in ${pauseMs} ms`);
    try {
      await delay(pauseMs, undefined, { signal: stopping.signal });
      await open();
      options.say(`${options.name} is back (process ${service?.pid})`);
    } catch (error) {
      await restartAfter(`${options.name} failed to start again: ${(error as Error).message}`);
    }
  }

  return {
    start: open,
    async stop() {
      stopping.abort();
      await opening;
      await service?.stop();
    },
    kill() {
      stopping.abort();
      service?.kill();
    },
  };
}
