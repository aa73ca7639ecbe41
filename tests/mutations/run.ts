import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createReleaser } from '../../engine/runtime/lifecycle.ts';
import { startSharedStores } from '../support/runner/shared-stores.ts';
import { listTestFiles } from '../support/runner/test-files.ts';
import { randomName } from '../support/stores.ts';
import { MUTATIONS } from './lists/all.ts';
import { catchersOf, type Mutation, mutate } from './mutation.ts';
import { isSql, openTrialGround, type TrialEnd, type TrialGround } from './trial.ts';

/**
 * `npm run test:mutations -- [--check] [--count N] [part of a file or sentence …]`: plants one fault at a time in a copy
 * of the tree and runs the tests that are to notice it. `--check` only looks whether each fault can still be planted.
 */

const AT_A_TIME = Math.min(2, availableParallelism());

const root = fileURLToPath(new URL('../..', import.meta.url));

async function main(): Promise<number> {
  const options = { check: { type: 'boolean' }, count: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const isWanted = ({ file, breaks }: Mutation) =>
    positionals.length === 0 || positionals.some((part) => file.includes(part) || breaks.includes(part));
  const wanted = MUTATIONS.filter(isWanted).slice(0, values.count === undefined ? undefined : Number(values.count));
  const problems = wanted.flatMap(problemsOf);
  for (const problem of problems) console.log(`✖ ${problem}`);
  if (values.check) {
    console.log(`${wanted.length - problems.length} of ${wanted.length} mutations can be planted`);
    return problems.length === 0 ? 0 : 1;
  }
  const plantable = wanted.filter((mutation) => problemsOf(mutation).length === 0);
  const ends = await tryAll(plantable);
  const countOf = (kind: TrialEnd['kind']) => ends.filter((end) => end === kind).length;
  const [caught, survived, hung] = [countOf('caught'), countOf('SURVIVED'), countOf('HUNG')];
  const untried = wanted.length - caught - survived - hung;
  console.log(`${caught} caught, ${survived} survived, ${hung} hung, ${untried} not tried`);
  return caught === wanted.length && caught > 0 ? 0 : 1;
}

/** Why a mutation cannot be tried: its text is not there once, or its tests are not there. */
function problemsOf(mutation: Mutation): string[] {
  try {
    const source = readFileSync(join(root, mutation.file), 'utf8');
    if (mutate(source, mutation) === source) return [`${mutation.file}: the replacement changes nothing`];
    catchersOf(mutation, testFiles);
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

const testFiles = listTestFiles(root);

/** Resolves to the ends of those that were tried: none when the tests do not pass without a mutation. */
async function tryAll(mutations: readonly Mutation[]): Promise<TrialEnd['kind'][]> {
  const directory = mkdtempSync(join(tmpdir(), 'dispatch-mutations-'));
  // Postgres runs as another user when we are root, and must get through to its data.
  chmodSync(directory, 0o755);
  const releaser = createReleaser((name, error) => console.log(`${name} did not stop: ${error}`));
  releaser.push('temporary folder', () => rmSync(directory, { recursive: true, force: true, maxRetries: 3 }));
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interruption.abort());
  try {
    const stores = await startSharedStores(directory, releaser, interruption.signal);
    const grounds = await Promise.all(
      Array.from({ length: AT_A_TIME }, (_, index) =>
        openTrialGround(root, join(directory, `ground-${index}`), randomName('run'), stores),
      ),
    );
    const failing = await findFailing(grounds, mutations, interruption.signal);
    for (const file of failing) console.log(`✖ ${file} does not pass without a mutation`);
    return failing.length > 0 ? [] : await tryOn(grounds, mutations, interruption.signal);
  } finally {
    await releaser.stop();
  }
}

/** The test files that do not pass on the tree as it is: with these, everything would seem to be caught. */
async function findFailing(grounds: readonly TrialGround[], mutations: readonly Mutation[], signal: AbortSignal) {
  const failing: string[] = [];
  const runs = [true, false].flatMap((ofSql) => {
    const ofKind = mutations.filter((mutation) => isSql(mutation) === ofSql);
    const files = new Set(ofKind.flatMap((mutation) => catchersOf(mutation, testFiles)));
    return [...files].map((file) => ({ file, ofSql }));
  });
  await inTurn(grounds, runs, signal, async (ground, { file, ofSql }) => {
    const end = await ground.runUnchanged(file, ofSql);
    if (end.kind !== 'passed') failing.push(`${file} (${end.kind === 'failed' ? end.test : end.kind})`);
  });
  return failing;
}

async function tryOn(grounds: readonly TrialGround[], mutations: readonly Mutation[], signal: AbortSignal) {
  const ends: TrialEnd['kind'][] = [];
  await inTurn(grounds, mutations, signal, async (ground, mutation) => {
    const beganAt = performance.now();
    const { kind, detail } = await ground.run(mutation, catchersOf(mutation, testFiles));
    const seconds = ((performance.now() - beganAt) / 1_000).toFixed(1);
    ends.push(kind);
    console.log(`${kind} ${mutation.file}: ${mutation.breaks} (${seconds} s)\n    ${detail}`);
  });
  return ends;
}

/** Gives each item to the next ground that is free. */
async function inTurn<T>(
  grounds: readonly TrialGround[],
  items: readonly T[],
  signal: AbortSignal,
  act: (ground: TrialGround, item: T) => Promise<void>,
): Promise<void> {
  const waiting = [...items];
  const work = async (ground: TrialGround) => {
    for (let item = waiting.shift(); item !== undefined && !signal.aborted; item = waiting.shift()) {
      await act(ground, item);
    }
  };
  await Promise.all(grounds.map(work));
}

process.exit(await main());
