import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startProgram, temporaryDirectory } from '../../integration/bench/program-run.ts';

test('a run of two scenarios writes a page and figures with the verdicts of both', async (t) => {
  const folder = temporaryDirectory(t);
  const run = startProgram(t, 'run', ['all', '--only', 'activation,memory', '--folder', folder]);
  assert.equal(await run.exitCode, 0, run.output());
  const { figures, problems } = JSON.parse(readFileSync(join(folder, 'figures.json'), 'utf8'));
  assert.deepEqual(problems, []);
  const scenarios = figures.map(({ scenario }: { scenario: string }) => scenario);
  assert.deepEqual(scenarios, ['activation', 'memory', 'memory']);
  const page = readFileSync(join(folder, 'index.html'), 'utf8');
  for (const { measured } of figures) assert.ok(page.includes(measured), measured);
  assert.deepEqual(run.leftInTemporary(), []);
});
