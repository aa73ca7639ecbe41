import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startProgram, temporaryDirectory } from '../../integration/bench/program-run.ts';

test('a short bench of reads measures three servers under three loads, and calls itself void for being short', async (t) => {
  const json = join(temporaryDirectory(t), 'reads.json');
  const args = ['read', '--connections', '8', '--rounds', '1', '--seconds', '1', '--warm-up', '1', '--json', json];
  const run = startProgram(t, 'run', args);
  assert.equal(await run.exitCode, 1, run.output());

  const { results, voidReasons } = JSON.parse(readFileSync(json, 'utf8'));
  const names = results.map(({ contestant }: { contestant: string }) => contestant).sort();
  assert.deepEqual(names, ['bare', 'bare', 'bare', 'ours', 'ours', 'ours', 'peer', 'peer', 'peer']);
  for (const { contestant, statuses, cpu, operations } of results) {
    assert.deepEqual(Object.keys(statuses), ['200'], contestant);
    assert.ok(operations > 0 && cpu.server > 0, contestant);
  }
  assert.ok(voidReasons.length > 0);
  for (const reason of voidReasons) assert.match(reason, /at least 10 s are needed|at least 3 are needed/);
  assert.deepEqual(run.leftInTemporary(), []);
});
