import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Redis } from 'ioredis';
import { taskInput } from '../../support/api-client.ts';
import { until } from '../../support/until.ts';
import { startRoundsPlace } from './rounds-place.ts';

test('gateways announce commits that may help a search, and only those', async () => {
  const place = await startRoundsPlace({ agents: 1 });
  const { redisUrl, redisPrefix, organizationId } = place.system.place;
  const redis = new Redis(redisUrl);
  const told = { committed: 0, searches: 0 };
  redis.on('pmessage', (_pattern, channel: string, message: string) => {
    assert.equal(message, `${organizationId}`);
    told[channel.split(':').at(-1) as keyof typeof told] += 1;
  });
  try {
    await redis.psubscribe(`${redisPrefix}:*:committed`, `${redisPrefix}:*:searches`);
    const untilCommitted = async (act: () => Promise<unknown>) => {
      const { committed, searches } = told;
      await act();
      await until('the commit is announced', () => told.committed > committed);
      return told.searches > searches;
    };
    let taskId = 0;
    const create = (fields: object) => async () => ({ id: taskId } = await place.api.createTask(fields));
    assert.equal(await untilCommitted(create({ ...taskInput() })), false, 'a task for nobody');
    const note = () => place.api.patch(`/tasks/${taskId}`, { notes: 'Ring twice' });
    assert.equal(await untilCommitted(note), false, 'a note');
    const search = () => place.api.post(`/tasks/${taskId}/auto-assign`, {});
    await untilCommitted(search);
    await until('the search is announced', () => told.searches === 1);
    // The clock alone: a shift begins, and a break in it ends, of which the log says nothing.
    const [agentId] = place.agentIds;
    const soon = (ms: number) => new Date(now + ms).toISOString();
    const now = Date.now();
    const shift = {
      startsAt: soon(1_000),
      endsAt: soon(600_000),
      breaks: [{ startsAt: soon(1_000), endsAt: soon(2_500) }],
    };
    const put = () => place.api.put(`/agents/${agentId}/shifts`, { from: soon(0), to: soon(2_000), shifts: [shift] });
    assert.equal(await untilCommitted(put), true, 'shifts');
    await until('the start of the shift is announced', () => told.searches === 3);
    const { committed } = told;
    await until('the end of the break is announced', () => told.searches === 4);
    assert.equal(told.committed, committed);
  } finally {
    redis.disconnect();
    await place.stop();
  }
});
