import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startProgram, temporaryDirectory } from '../../integration/bench/program-run.ts';

test('a short bench measures all four servers, calls itself void for being short, and leaves nothing behind', async (t) => {
  const json = join(temporaryDirectory(t), 'bench.json');
  const args = ['create', '--connections', '8', '--rounds', '1', '--seconds', '1', '--warm-up', '1', '--json', json];
  const run = startProgram(t, 'run', args);
  assert.equal(await run.exitCode, 1, run.output());

  const { results, voidReasons, conditions } = JSON.parse(readFileSync(json, 'utf8'));
  assert.deepEqual(
    results.map(({ contestant }: { contestant: string }) => contestant),
    ['ours', 'bare', 'peer', 'peer-free'],
  );
  for (const { contestant, statuses, cpu, requestsPerSecond, p50Ms, p99Ms } of results) {
    assert.deepEqual(Object.keys(statuses), ['201'], contestant);
    assert.ok(requestsPerSecond > 0 && p99Ms >= p50Ms && p50Ms > 0, contestant);
    assert.ok(cpu.server > 0 && cpu.total > 0, contestant);
  }
  const [ours, bare, peer, peerFree] = results.map(
    ({ commits, operations }: Record<'commits' | 'operations', number>) => commits / operations,
  );
  assert.ok(ours > 0 && ours < 1, `a commit of ours holds many creates: ${ours}`);
  assert.equal(bare, 0);
  for (const one of [peer, peerFree]) assert.ok(one > 0.8 && one < 1.2, `a peer commits each create: ${one}`);
  const { fsync, full_page_writes, synchronous_commit } = conditions.durable;
  assert.deepEqual([fsync, full_page_writes, synchronous_commit], ['on', 'on', 'on']);

  assert.ok(voidReasons.length > 0);
  for (const reason of voidReasons) assert.match(reason, /at least 10 s are needed|at least 3 are needed/);
  assert.match(run.output(), /^8 +ours +\d/m);
  assert.deepEqual(run.leftInTemporary(), []);
});
