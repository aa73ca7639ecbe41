import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Engine } from '../../../engine/org/start-engine.ts';
import { systemClock } from '../../../engine/runtime/clock.ts';
import type { ParsedRequest } from '../../../gateway/route.ts';
import { batchRoute } from '../../../gateway/routes/batch-route.ts';
import type { Answer, CreateTasks } from '../../../schema/commands.ts';
import { taskInput } from '../../support/api-client.ts';

const BATCHES = 5;

test('of batches that come together one is decided a turn of the loop, in the order of coming', async () => {
  const decided: number[] = [];
  const engine = {
    history: 'history',
    async ask(_: number, { items }: CreateTasks): Promise<Answer> {
      decided.push(items.length);
      return { ok: true, status: 200, data: '{}', sequence: 1 };
    },
  } as unknown as Engine;
  const route = batchRoute(engine, systemClock);
  const sizes = Array.from({ length: BATCHES }, (_, index) => index + 1);
  const answers = sizes.map((size) => route.handle(requestOf(Array.from({ length: size }, () => taskInput()))));
  await undefined;
  const perTurn = [decided.length];
  while (decided.length < BATCHES) {
    const before = decided.length;
    await new Promise(setImmediate);
    perTurn.push(decided.length - before);
  }
  await Promise.all(answers);
  assert.deepEqual(perTurn, Array(BATCHES).fill(1));
  assert.deepEqual(decided, sizes);
});

function requestOf(tasks: readonly object[]): ParsedRequest {
  const caller = { type: 'api_key', id: 1, channelId: 1, role: 'integrator', agentId: null };
  return {
    identity: { organizationId: 1, role: 'integrator', caller },
    body: { tasks },
    query: {},
    facts: {},
  } as never;
}
