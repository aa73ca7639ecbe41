import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { killLeftovers, RUN_VARIABLE } from '../support/runner/leftover-processes.ts';
import { SOURCES_VARIABLE } from '../support/runner/run-environment.ts';
import { translateTree } from '../support/runner/translate-tree.ts';
import { STORE_VARIABLES } from '../support/stores.ts';
import { type Mutation, mutate } from './mutation.ts';

const FILE_TIMEOUT_MS = 120_000;
const COPIED = ['bench', 'docs', 'engine', 'gateway', 'schema', 'tests', 'workers', 'package.json', 'tsconfig.json'];

/**
 * How a test file ended. `broken`: it failed before any of its tests could, or only in its hooks, as with a source that
 * does not parse, which says nothing of the mutation.
 */
type FileEnd =
  | { readonly kind: 'passed' | 'timed out' | 'broken' }
  | { readonly kind: 'failed'; readonly test: string };

export interface TrialEnd {
  readonly kind: 'caught' | 'SURVIVED' | 'BROKEN' | 'HUNG';
  readonly detail: string;
}

/** A copy of the tree in which mutations are tried one after another. */
export interface TrialGround {
  /** Runs a test file on the tree as it is, in the environment in which it tries mutations of SQL or of others. */
  runUnchanged(testFile: string, ofSql: boolean): Promise<FileEnd>;
  run(mutation: Mutation, testFiles: readonly string[]): Promise<TrialEnd>;
}

export async function openTrialGround(
  root: string,
  directory: string,
  runId: string,
  stores: Readonly<Record<string, string>>,
): Promise<TrialGround> {
  const copy = join(directory, 'tree');
  mkdirSync(copy, { recursive: true });
  for (const name of COPIED) cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  // The routes are walked with some package of the client: it takes long to build.
  mkdirSync(join(copy, 'dist'));
  writeFileSync(join(copy, 'dist', 'client.tgz'), 'a package');
  const { environment: translation } = await translateTree(copy, join(directory, 'translated'));
  const environment = { ...process.env, ...stores, ...translation, [RUN_VARIABLE]: runId, [SOURCES_VARIABLE]: '1' };

  // The template database has the functions as they were: without it each test database is migrated by itself.
  const sqlEnvironment = { ...environment, [STORE_VARIABLES.templateDatabase]: '' };

  const runFile = (file: string, ofSql: boolean) =>
    runTestFile(copy, file, ofSql ? sqlEnvironment : environment, runId);
  return {
    runUnchanged: runFile,
    async run(mutation, testFiles) {
      const path = join(copy, mutation.file);
      const { atime, mtime } = statSync(path);
      const source = readFileSync(path, 'utf8');
      writeFileSync(path, mutate(source, mutation));
      try {
        for (const file of testFiles) {
          const end = await runFile(file, isSql(mutation));
          if (end.kind === 'failed') return { kind: 'caught', detail: `${file}: ${end.test}` };
          if (end.kind === 'timed out') return { kind: 'HUNG', detail: `${file} did not end` };
          if (end.kind === 'broken') return { kind: 'BROKEN', detail: `${file} failed beside its tests` };
        }
        return { kind: 'SURVIVED', detail: `not noticed by ${testFiles.join(', ')}` };
      } finally {
        writeFileSync(path, source);
        // As old as it was: its translation counts again.
        utimesSync(path, atime, mtime);
      }
    },
  };
}

export function isSql({ file }: Mutation): boolean {
  return file.endsWith('.sql');
}

/** A failed test in TAP, with the kind of its failure. */
const FAILURE = /^\s*not ok \d+ - (.*)\n\s+---\n(?:\s+(?:duration_ms|type|location): .*\n)*\s+failureType: '(\w+)'/gm;
/** Failures of no test: of a hook, of all tests under it, of a file that ended amid them, and of what holds failures. */
const BESIDE_TESTS = ['hookFailed', 'cancelledByParent', 'subtestsFailed'];

/** The name of the first test that failed by itself. */
export function failedTestIn(tap: string): string | undefined {
  for (const [, test, failureType] of tap.matchAll(FAILURE)) if (!BESIDE_TESTS.includes(failureType!)) return test;
  return undefined;
}

/** Runs one test file in a process of its own and stops it at the first test that fails. */
function runTestFile(cwd: string, file: string, env: NodeJS.ProcessEnv, runId: string): Promise<FileEnd> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--test-reporter=tap', file], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let text = '';
    let end: FileEnd | undefined;
    const stop = (how: FileEnd) => {
      end ??= how;
      child.kill('SIGKILL');
    };
    const timer = setTimeout(() => stop({ kind: 'timed out' }), FILE_TIMEOUT_MS);
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const test = failedTestIn(text);
      if (test !== undefined) stop({ kind: 'failed', test });
    });
    child.on('close', (code) => {
      clearTimeout(timer);
      // A file that was stopped could not clean up after itself.
      const cleaned = end ? killLeftovers(`${runId}`, 0) : Promise.resolve();
      void cleaned.then(() => resolve(end ?? { kind: code === 0 ? 'passed' : 'broken' }));
    });
  });
}
