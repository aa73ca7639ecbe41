import { setMaxListeners } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { parseArgs } from 'node:util';
import { buildPrograms, isBuilt } from '../../../engine/launcher/build/build-programs.mjs';
import { createReleaser } from '../../../engine/runtime/lifecycle.ts';
import { randomName } from '../stores.ts';
import { groupFiles, separateFiles } from './file-groups.ts';
import { killLeftovers, LEFTOVERS_DEADLINE_MS, RUN_VARIABLE } from './leftover-processes.ts';
import { ALL_ROUNDS_VARIABLE } from './rounds.ts';
import { openRunFolder } from './run-folder.ts';
import { startSharedStores } from './shared-stores.ts';
import { createTally, type Tally } from './tally.ts';
import { listTestFiles, selectTestFiles, toFilter } from './test-files.ts';
import { translateTree } from './translate-tree.ts';

/** More than a small machine has cores: many tests wait for processes to start and for time to pass. */
const FILES_AT_A_TIME = 6;
/** A joined file holds many test files, and beside other heavy work it needs its time. */
const FILE_TIMEOUT_MS = 600_000;
const SLOW_FILE_TIMEOUT_MS = 900_000;
const INTERRUPTED = 130;
/** Fewer files start sooner without being joined. */
const JOINED_FROM = 20;
/** It asks V8 which functions of which file ran, so every source must stay a script of its own. */
const NEVER_JOINED = 'tests/docs/create-path.test.ts';

/**
 * Runs the selection of the tests below `root` on stores of its own and leaves nothing behind. `args`: `[--slow] [part of
 * a path …]`. Resolves to the exit code.
 */
export async function runTests(root: string, args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, options: { slow: { type: 'boolean' } }, allowPositionals: true });
  const withSlow = values.slow ?? false;
  if (withSlow) process.env[ALL_ROUNDS_VARIABLE] = 'yes';
  const filters = positionals.map((typed) => toFilter(root, typed));
  const { files, slow } = selectTestFiles(listTestFiles(root), filters, withSlow);
  const tally = createTally();
  for (const file of slow) tally.problem(`${file} runs only with --slow`);
  if (files.length === 0) tally.problem(`no test file matches ${filters.join(' ') || 'tests/**/*.test.ts'}`);

  const interruption = new AbortController();
  // Every file listens to it until its turn comes.
  setMaxListeners(0, interruption.signal);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interruption.abort());
  if (files.length > 0)
    await runOnStores(root, files, withSlow ? SLOW_FILE_TIMEOUT_MS : FILE_TIMEOUT_MS, tally, interruption.signal);

  const interrupted = interruption.signal.aborted;
  if (interrupted) tally.problem('interrupted');
  const outcome = tally.close(interrupted ? [] : files.map((file) => join(root, file)));
  for (const problem of outcome.problems) console.log(`✖ ${problem.replaceAll(root, '')}`);
  console.log(`time of the files by stage: ${outcome.stages || 'none'}`);
  console.log(outcome.summary);
  if (interrupted) return INTERRUPTED;
  return outcome.failed ? 1 : 0;
}

async function runOnStores(
  root: string,
  files: string[],
  timeoutMs: number,
  tally: Tally,
  signal: AbortSignal,
): Promise<void> {
  const releaser = createReleaser((name, error) => tally.problem(`${name} did not stop: ${textOf(error)}`));
  const directory = openRunFolder();
  releaser.push('temporary folder', () => rmSync(directory, { recursive: true, force: true, maxRetries: 3 }));
  try {
    const joined = files.length < JOINED_FROM ? [] : files.filter((file) => file !== NEVER_JOINED);
    const groups = groupFiles(joined);
    const translating = translateTree(root, join(directory, 'translated'), groups);
    // The run reports its failure below; until it has ended it writes to the folder.
    const translated = translating.catch(() => {});
    releaser.push('translation', () => translated);
    const environment = await startSharedStores(directory, releaser, signal);
    // Tests start the programs as production does.
    if (!isBuilt()) await buildPrograms();
    const { environment: translation, modules } = await translating;
    const runId = randomName('run');
    // The stores must not carry the mark of the processes that test files start, so it is set only now.
    Object.assign(process.env, environment, translation, { [RUN_VARIABLE]: runId, TMPDIR: directory });
    const tellLeftovers = async () => {
      for (const left of await killLeftovers(runId)) tally.problem(`left running by a test: ${left}`);
    };
    releaser.push('leftover processes', tellLeftovers, LEFTOVERS_DEADLINE_MS);
    const apart = modules ? files.filter((file) => !joined.includes(file)) : files;
    const paths = separateFiles(apart).map(([file]) => join(root, file!));
    await runFiles([...(modules ?? []), ...paths], timeoutMs, tally, signal);
  } catch (error) {
    if (!signal.aborted) tally.problem(textOf(error));
  }
  // The run has already reported each failure.
  await releaser.stop().catch(() => {});
}

async function runFiles(paths: string[], timeoutMs: number, tally: Tally, signal: AbortSignal): Promise<void> {
  // Each file gets a process with these flags. Ours start tsx, which the process does not need.
  process.execArgv = [];
  const events = run({ files: paths, concurrency: FILES_AT_A_TIME, timeout: timeoutMs, signal });
  events.on('test:enqueue', tally.enqueued);
  events.on('test:complete', tally.completed);
  events.on('test:pass', tally.passed);
  events.on('test:fail', tally.failed);
  for await (const chunk of events.compose(new spec())) process.stdout.write(chunk);
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
