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

/** How a test file ended. `broken`: it failed before any of its tests could, which says nothing of the mutation. */
type FileEnd =
  | { readonly kind: 'passed' | 'timed out' | 'broken' }
  | { readonly kind: 'failed'; readonly test: string };

export interface TrialEnd {
  readonly kind: 'caught' | 'SURVIVED' | 'BROKEN';
  readonly detail: string;
}

/** A copy of the tree in which mutations are tried one after another. */
export interface TrialGround {
  /** Runs test files on the tree as it is; returns those that do not pass. */
  runUnchanged(testFile: string): Promise<FileEnd>;
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

  const runFile = (file: string, env: NodeJS.ProcessEnv) => runTestFile(copy, file, env, runId);
  return {
    runUnchanged: (testFile) => runFile(testFile, environment),
    async run(mutation, testFiles) {
      const path = join(copy, mutation.file);
      const { atime, mtime } = statSync(path);
      const source = readFileSync(path, 'utf8');
      writeFileSync(path, mutate(source, mutation));
      // The template database has the functions as they were: without it each test database is migrated by itself.
      const isSql = mutation.file.endsWith('.sql');
      const env = isSql ? { ...environment, [STORE_VARIABLES.templateDatabase]: undefined } : environment;
      try {
        for (const file of testFiles) {
          const end = await runFile(file, env);
          if (end.kind === 'failed') return { kind: 'caught', detail: `${file}: ${end.test}` };
          if (end.kind === 'timed out') return { kind: 'caught', detail: `${file} did not end` };
          if (end.kind === 'broken') return { kind: 'BROKEN', detail: `${file} failed before its tests` };
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
      const [, test] = /^\s*not ok \d+ - (.*)\n/m.exec(text) ?? [];
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
