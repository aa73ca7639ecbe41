import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const NICENESS = 7;
/** Tells how nice each of its threads is, and its session. */
const TOLD_OF_ITSELF = `
  import { readdirSync, readFileSync } from 'node:fs';
  import { getPriority } from 'node:os';
  import { yieldCpuOfProcess } from './engine/runtime/priority.ts';
  yieldCpuOfProcess(${NICENESS});
  const read = (path) => { try { return readFileSync(path, 'utf8'); } catch { return ''; } };
  const threads = process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [0];
  const session = / nice (-?\\d+)/.exec(read('/proc/self/autogroup'))?.[1];
  console.log(JSON.stringify({ threads: threads.map((id) => getPriority(id)), session }));
`;

test('a process yields with all of its threads, and with its session where that is its own', async () => {
  for (const isOwn of [true, false]) {
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', TOLD_OF_ITSELF], {
      cwd: fileURLToPath(new URL('../../..', import.meta.url)),
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: isOwn,
    });
    const told = await text(child.stdout);
    const { threads, session } = JSON.parse(told) as { threads: number[]; session?: string };
    assert.ok(threads.length > 0 && threads.every((niceness) => niceness === NICENESS), told);
    // Not every kernel has it.
    if (session !== undefined) assert.equal(Number(session) === NICENESS, isOwn);
  }
});
