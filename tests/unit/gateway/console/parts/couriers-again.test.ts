import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Records } from '../../../../../gateway/console/live/records.ts';
import { readAgentsAgain } from '../../../../../gateway/console/live/snapshot.ts';
import type { AgentView } from '../../../../../schema/fleet/agent.ts';

const agent = (id: number, updatedAt = '2026-11-28T12:00:00.000Z') => ({ id, updatedAt }) as AgentView;

/** A fleet of so many couriers, and the pages of it that were read. */
function fleetOf(count: number) {
  const pages: number[] = [];
  const read = async <T>(path: string) => {
    const page = Number(new URL(path, 'http://127.0.0.1').searchParams.get('page'));
    pages.push(page);
    const items = Array.from({ length: 100 }, (_, index) => (page - 1) * 100 + index + 1).filter((id) => id <= count);
    return { data: { items: items.map((id) => agent(id)), count } as T, position: 'log-7' };
  };
  return { api: { read }, pages };
}

test('a courier who was changed without an event replaces the one that is known, and an older state does not', () => {
  const records = new Records();
  records.putAgent(agent(1), 7);
  assert.equal(records.putAgent(agent(1, '2026-11-28T12:00:01.000Z'), 7), true);
  assert.equal(records.putAgent(agent(1, '2026-11-28T12:00:01.000Z'), 7), false);
  assert.equal(records.putAgent(agent(1), 7), false);
  assert.equal(records.putAgent(agent(1, '2026-11-28T12:00:09.000Z'), 6), false);
  assert.equal(records.putAgent(agent(1), 8), true);
});

test('couriers are read again a thousand at a time, and then from the first one', async () => {
  const { api, pages } = fleetOf(1_250);
  const records = new Records();
  for (let id = 1; id <= 1_250; id += 1) records.putAgent(agent(id), 7);
  const next = await readAgentsAgain(api, records, 1);
  assert.deepEqual([next, pages.splice(0)], [11, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]]);
  assert.deepEqual([await readAgentsAgain(api, records, next), pages], [1, [11, 12, 13]]);
});

test('when couriers were added, every courier is read at once, wherever the turn is', async () => {
  const { api } = fleetOf(1_250);
  const records = new Records();
  for (let id = 1; id <= 1_249; id += 1) records.putAgent(agent(id), 7);
  records.agents.delete(3);
  await readAgentsAgain(api, records, 11);
  assert.equal(records.agents.size, 1_250);
});
