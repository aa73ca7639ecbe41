import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '../../engine/launcher/processes/free-port.ts';
import type { Releaser } from '../../engine/runtime/lifecycle.ts';
import { verdictLines } from '../report/print-report.ts';
import { say } from '../report/say.ts';
import { GATEWAY, startServerOver } from '../stand/server-process.ts';
import { startTemporaryStores } from '../stand/temporary-stores.ts';
import { spreadOf } from '../statistics.ts';
import { parseLifeOptions } from './life-options.ts';

/** Source: the project's performance goals. */
const MOST_MS = { gateway: 1_000, launcher: 3_000 };
const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
const LAUNCHER = fileURLToPath(new URL('../../engine/launcher/start.mjs', import.meta.url));
const GREETING = 'API key';
const STOP_DEADLINE_MS = 30_000;

/** `npm run bench -- start`: how long a gateway, and a whole local instance, take until they serve. */
export async function runStart(args: readonly string[], releaser: Releaser, signal: AbortSignal): Promise<number> {
  const { rounds } = parseLifeOptions(args);
  const gateway = await measureGateway(rounds, releaser, signal);
  const launcher = await measureLauncher(rounds, releaser);
  const verdict = (claim: string, times: readonly number[], most: number) => {
    const { median, min, max } = spreadOf(times);
    const measured = `${median.toFixed(0)} ms (${min.toFixed(0)}–${max.toFixed(0)})`;
    return { claim: `${claim} within ${most} ms`, measured, met: median <= most };
  };
  say(
    '',
    ...verdictLines([
      verdict('a gateway on migrated stores is ready', gateway, MOST_MS.gateway),
      verdict('npm start on data of an earlier run greets', launcher, MOST_MS.launcher),
    ]),
  );
  return 0;
}

async function measureGateway(rounds: number, releaser: Releaser, signal: AbortSignal): Promise<number[]> {
  const stores = await startTemporaryStores(releaser, signal);
  const database = await stores.makeDatabase('bench_start');
  const plan = { name: 'start', program: GATEWAY, readyPath: '/readyz' };
  const times: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const startedAt = performance.now();
    const server = await startServerOver(database, plan, stores, releaser, signal);
    const time = performance.now() - startedAt;
    await server.stop();
    // The first one compiles what has changed, and takes the shards from nobody.
    if (round > 0) times.push(time);
  }
  say(`gateway: ${times.map((time) => time.toFixed(0)).join(', ')} ms`);
  return times;
}

async function measureLauncher(rounds: number, releaser: Releaser): Promise<number[]> {
  const directory = mkdtempSync(join(tmpdir(), 'dispatch-bench-start-'));
  releaser.push('data folder', () => rmSync(directory, { recursive: true, force: true, maxRetries: 3 }));
  const times: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const startedAt = performance.now();
    const stop = await startLauncher(directory, releaser);
    const time = performance.now() - startedAt;
    await stop();
    // The first one makes the data.
    if (round > 0) times.push(time);
  }
  say(`npm start: ${times.map((time) => time.toFixed(0)).join(', ')} ms`);
  return times;
}

/** As `npm start` does. Resolves at the greeting, to what stops it. */
async function startLauncher(dataDirectory: string, releaser: Releaser): Promise<() => Promise<void>> {
  const port = await findFreePort();
  const { PATH } = process.env;
  const launcher = spawn(process.execPath, [LAUNCHER], {
    cwd: REPOSITORY,
    env: { PATH, DATA_DIR: dataDirectory, PORT: `${port}` },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(launcher, 'exit');
  const stop = async () => {
    launcher.kill('SIGTERM');
    await ended;
  };
  releaser.push('npm start', stop, STOP_DEADLINE_MS);
  let printed = '';
  await new Promise<void>((resolve, reject) => {
    launcher.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
      if (printed.includes(GREETING)) resolve();
    });
    launcher.once('exit', (code) => reject(new Error(`npm start exited with code ${code}:\n${printed}`)));
  });
  return stop;
}
