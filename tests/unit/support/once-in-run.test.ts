import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { RUN_VARIABLE } from '../../support/runner/leftover-processes.ts';
import { onceInRun } from '../../support/runner/once-in-run.ts';
import { SOURCES_VARIABLE } from '../../support/runner/run-environment.ts';
import { randomName } from '../../support/stores.ts';

const { [SOURCES_VARIABLE]: sources } = process.env;
beforeEach(() => {
  delete process.env[SOURCES_VARIABLE];
});
afterEach(() => {
  delete process.env[SOURCES_VARIABLE];
  if (sources !== undefined) process.env[SOURCES_VARIABLE] = sources;
});

const never = () => assert.fail('it was made again');

test('a text is made once in a run', () => {
  const name = randomName('text');
  const texts = [onceInRun(name, () => 'made'), onceInRun(name, never)];
  assert.deepEqual(texts, ['made', 'made']);
});

test('a process that comes while another one makes the text waits for it', async () => {
  const name = randomName('text');
  const file = join(tmpdir(), `${process.env[RUN_VARIABLE]}-${name}`);
  writeFileSync(`${file}.begun`, 'of the other');
  const other = spawn(process.execPath, ['-e', `setTimeout(() => fs.renameSync('${file}.begun', '${file}'), 300)`]);
  const ended = once(other, 'exit');
  assert.equal(onceInRun(name, never), 'of the other');
  assert.deepEqual(await ended, [0, null]);
});

test('each process makes its own text in a tree whose sources change', () => {
  const name = randomName('text');
  process.env[SOURCES_VARIABLE] = '1';
  const texts = ['before', 'after'].map((text) => onceInRun(name, () => text));
  assert.deepEqual(texts, ['before', 'after']);
});
