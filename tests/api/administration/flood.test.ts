import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../../../schema/limits.ts';
import { useGateway } from '../api-fixture.ts';

/** Changes that plain transactions make wait for one of few connections. */

const fixture = useGateway({ own: 'it fills the queue of the administration' });

test('of many changes of one organization at once those past its share are refused, and another organization is served', async () => {
  const [busy, other] = [
    await fixture.organization({ role: 'org_admin' }),
    await fixture.organization({ role: 'org_admin' }),
  ];
  const many = 6 * LIMITS.administrationQueuePerOrganization;
  const flood = Promise.all(Array.from({ length: many }, (_, i) => busy.api.post('/channels', { name: `Flood ${i}` })));
  const mine = await other.api.post('/channels', { name: 'Mine' });
  assert.equal(mine.status, 201, mine.text);
  const replies = await flood;
  const made = replies.filter(({ status }) => status === 201).length;
  const refused = replies.filter(({ status }) => status !== 201);
  assert.ok(refused.length > 0, 'none was refused');
  assert.ok(made >= LIMITS.administrationConnections + LIMITS.administrationQueuePerOrganization, `${made} were made`);
  for (const { status, body, headers } of refused)
    assert.deepEqual([status, body.code, headers['retry-after'] !== undefined], [503, 'OVERLOADED', true]);
  // The built-in channel, the one of the key, and what was acknowledged.
  assert.equal((await busy.api.get<{ count: number }>('/channels')).body.data.count, made + 2);
});
