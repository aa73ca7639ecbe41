import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { processesOf } from '../launcher/launcher-run.ts';

export interface ProgramRun {
  /** Everything printed so far. */
  output(): string;
  interrupt(): void;
  /** Processes that know its temporary folder. */
  processes(): number[];
  readonly exitCode: Promise<number | null>;
  /** The files in the temporary folder that the program was given; tsx keeps its own cache there. */
  leftInTemporary(): string[];
}

const isOfTsx = (name: string) => name.startsWith('tsx-');

/** Runs a program of bench/ as its npm script does, with a temporary folder of its own to look into. */
export function startProgram(
  t: TestContext,
  program: 'replay' | 'run' | 'seed' | 'simulate',
  args: readonly string[],
): ProgramRun {
  const temporary = temporaryDirectory(t);
  // tsx need not translate a file twice.
  for (const name of readdirSync(tmpdir()).filter(isOfTsx)) symlinkSync(join(tmpdir(), name), join(temporary, name));
  const path = fileURLToPath(new URL(`../../../bench/${program}.ts`, import.meta.url));
  const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), path, ...args], {
    env: { ...process.env, TMPDIR: temporary },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  }
  return {
    output: () => output,
    processes: () => processesOf(temporary),
    interrupt: () => child.kill('SIGINT'),
    exitCode: once(child, 'close').then(([code]) => code),
    leftInTemporary: () => readdirSync(temporary).filter((name) => !isOfTsx(name)),
  };
}

export function temporaryDirectory(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'bench-test-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
