import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { GeneratorMessage } from './load-messages.ts';

/** Starting, connecting and summing up, beside the run itself. */
const MARGIN_MS = 30_000;

/** The common part of every order. */
interface Timed {
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

export interface LoadWatch {
  readonly signal: AbortSignal;
  /** Called at both ends of the measured window, with the generator's process id. */
  readonly onWindow: (edge: 'start' | 'end', generatorPid: number) => void;
  /** Called when it is prepared, if it reports that. */
  readonly onReady?: (generatorPid: number) => void;
  /** Ends the window early, for programs that allow it: the results of what there was still come. */
  readonly endedBy?: AbortSignal;
  /** Keeps the process, idle, after it has sent its results, so that its CPU time can still be read. */
  readonly keptUntil?: Promise<unknown>;
}

/**
 * Has an order carried out by a process of its own, whose program answers with `serveOrder`. Rejects when the generator
 * fails, goes silent, or `signal` is aborted.
 */
export async function runGenerator<Outcome>(
  program: URL,
  order: Timed,
  { signal, onWindow, onReady, endedBy, keptUntil }: LoadWatch,
): Promise<Outcome> {
  const deadline = AbortSignal.timeout((order.warmUpSeconds + order.seconds) * 1_000 + MARGIN_MS);
  const tooLate = new AbortController();
  const ending = AbortSignal.any([signal, deadline, tooLate.signal]);
  const generator = fork(fileURLToPath(program), { execArgv: ['--import', import.meta.resolve('tsx')] });
  const ended = once(generator, 'exit');
  try {
    const outcome = await new Promise<Outcome>((resolve, reject) => {
      ending.addEventListener('abort', () => reject(new Error('the load generator was called off, or kept silent')));
      generator.once('error', reject);
      generator.once('exit', (code) => reject(new Error(`the load generator exited with code ${code}`)));
      generator.on('message', (message: GeneratorMessage<Outcome>) => {
        if (message.kind === 'failed') return reject(new Error(`the load generator failed: ${message.reason}`));
        if (message.kind === 'ready') onReady?.(generator.pid!);
        else if (message.kind === 'window') onWindow(message.edge, generator.pid!);
        else resolve(message.outcome);
      });
      generator.send(order);
      const end = () => {
        generator.send('end');
        setTimeout(() => tooLate.abort(), MARGIN_MS).unref();
      };
      if (endedBy?.aborted) end();
      else endedBy?.addEventListener('abort', end);
    });
    await keptUntil;
    return outcome;
  } finally {
    generator.kill('SIGKILL');
    await ended;
  }
}
