import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export type SubscribersRequest =
  | {
      readonly kind: 'open';
      readonly count: number;
      readonly port: number;
      readonly path: string;
      readonly key: string;
    }
  /** Delays count from now. */
  | { readonly kind: 'forget' }
  /** The first one stops reading, and goes on. */
  | { readonly kind: 'stall' }
  | { readonly kind: 'wake' }
  /** All connections are dropped at once, and nobody comes back until told to. */
  | { readonly kind: 'leave' }
  | { readonly kind: 'return' }
  /** Answered when everybody has got as far. */
  | { readonly kind: 'reach'; readonly sequence: number };

export interface SubscribersReport {
  /** The bytes that each has received so far. */
  readonly clients: readonly { readonly count: number; readonly sum: number }[];
  /** Events that came to somebody who had come past them. */
  readonly twice: number;
  readonly resyncs: number;
  /** Connections that have ended. */
  readonly cuts: number;
  /** From the decision to the client, of all that came since the last `forget`; up to 4 % more than it was. */
  readonly delayMs: { readonly p50: number; readonly p99: number; readonly max: number };
}

export interface Subscribers {
  ask(request: SubscribersRequest, patienceMs?: number): Promise<SubscribersReport>;
  stop(): Promise<void>;
}

const STAND_IN = fileURLToPath(new URL('./stand-in-subscribers.ts', import.meta.url));
const PATIENCE_MS = 120_000;

/** Clients in a process of their own, so that they do not share the event loop of the measured process. */
export function startSubscribers(): Subscribers {
  const child: ChildProcess = fork(STAND_IN, { execArgv: ['--import', 'tsx'] });
  const exited = once(child, 'exit');
  let asking: Promise<unknown> = Promise.resolve();
  return {
    ask(request, patienceMs = PATIENCE_MS) {
      const answer = asking.then(async () => {
        child.send(request);
        const signal = AbortSignal.timeout(patienceMs);
        const [report] = (await Promise.race([
          once(child, 'message', { signal }),
          exited.then(() => Promise.reject(new Error('the clients have ended'))),
        ])) as [SubscribersReport];
        return report;
      });
      asking = answer.catch(() => {});
      return answer;
    },
    async stop() {
      if (child.exitCode === null) child.disconnect();
      await exited;
    },
  };
}
