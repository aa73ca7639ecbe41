import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { LIMITS } from '../../../schema/limits.ts';
import { LaunchError } from './launch-error.ts';
import { splitLines } from './line-splitter.ts';

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly uid?: number;
  readonly gid?: number;
}

/** One step of asking a process to go: the signal, and how long to wait before the next step. */
export interface StopStep {
  readonly signal: NodeJS.Signals;
  readonly patienceMs: number;
}

export interface Child {
  readonly name: string;
  readonly pid: number;
  /** Tells how it ended ("exited with code 1"). Never rejects. */
  readonly ended: Promise<string>;
  /** The end of its output, for the message about its failure. */
  lastLines(): string;
  /** Resolves when the process is gone. */
  stop(): Promise<void>;
  /** Sends kill -9 to its process group. */
  kill(): void;
}

interface StartOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Gives the child an IPC channel, whose end tells it that the launcher is gone. */
  readonly ipc?: boolean;
  readonly onLine: (line: string) => void;
  readonly stopSteps: readonly StopStep[];
}

/** After the end of a process its last output is waited for this long: a grandchild may hold the pipe open. */
const LAST_OUTPUT_MS = 200;

/**
 * Starts a process in a group of its own: a Ctrl-C in the terminal reaches only the launcher, which stops
 * its children in the right order. Throws LaunchError when the program cannot be run at all.
 */
export async function startChild(name: string, command: Command, options: StartOptions): Promise<Child> {
  const process = spawn(command.file, command.args, {
    ...(command.uid === undefined ? {} : { uid: command.uid }),
    ...(command.gid === undefined ? {} : { gid: command.gid }),
    ...(options.env ? { env: options.env } : {}),
    ...(options.cwd ? { cwd: options.cwd } : {}),
    stdio: options.ipc ? ['ignore', 'pipe', 'pipe', 'ipc'] : ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const lines: string[] = [];
  for (const stream of [process.stdout, process.stderr]) {
    if (stream)
      splitLines(stream, (line) => {
        lines.push(line);
        if (lines.length > LIMITS.lastLines) lines.shift();
        options.onLine(line);
      });
  }
  const ended = endOf(process);
  try {
    await once(process, 'spawn');
  } catch (error) {
    throw new LaunchError(`${name} cannot be started: ${(error as Error).message}`);
  }
  const pid = process.pid!;
  let stopping: Promise<void> | undefined;
  return {
    name,
    pid,
    ended,
    lastLines: () => lines.join('\n'),
    stop() {
      stopping ??= stopInSteps(options.stopSteps, (signal) => process.kill(signal), ended);
      return stopping;
    },
    kill: () => killGroup(pid),
  };
}

/**
 * Waits until `probe` says yes. Throws when the child ends first, when `deadlineMs` is over, or when
 * `signal` is aborted; the child is gone by then.
 */
export async function waitUntilReady(
  child: Child,
  probe: () => Promise<boolean>,
  deadlineMs: number,
  signal?: AbortSignal,
): Promise<void> {
  let end: string | undefined;
  void child.ended.then((how) => {
    end = how;
  });
  const givenUpAt = performance.now() + deadlineMs;
  for (;;) {
    const ready = await Promise.race([probe(), child.ended.then(() => false)]);
    if (end !== undefined) throw new ChildEndedError(child, end);
    if (ready && !signal?.aborted) return;
    if (signal?.aborted || performance.now() > givenUpAt) {
      await child.stop();
      throw new LaunchError(
        signal?.aborted ? `${child.name}: start called off` : `${child.name} was not ready within ${deadlineMs} ms`,
      );
    }
    await delay(LIMITS.processPollMs);
  }
}

/** A child ended before it was ready. */
export class ChildEndedError extends LaunchError {
  constructor(child: Child, how: string) {
    super(`${child.name} ${how} before it was ready. Its last words:\n${child.lastLines() || '(none)'}`);
  }
}

/** Sends each signal in turn until `gone` resolves. Throws when even the last one has no effect. */
export async function stopInSteps(
  steps: readonly StopStep[],
  send: (signal: NodeJS.Signals) => unknown,
  gone: Promise<unknown>,
): Promise<void> {
  for (const step of steps) {
    send(step.signal);
    const patience = new AbortController();
    const waited = delay(step.patienceMs, 'still there', { signal: patience.signal }).catch(() => 'gone');
    const outcome = await Promise.race([gone.then(() => 'gone'), waited]);
    patience.abort();
    if (outcome === 'gone') return;
  }
  throw new Error(`a process is still there after ${steps.map((step) => step.signal).join(', ')}`);
}

async function endOf(process: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    process.once('error', (error) => resolve(`failed: ${error.message}`));
    process.once('exit', (code, signal) => {
      const how = signal ? `was ended by ${signal}` : `exited with code ${code}`;
      const late = setTimeout(() => resolve(how), LAST_OUTPUT_MS);
      process.once('close', () => {
        clearTimeout(late);
        resolve(how);
      });
    });
  });
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
