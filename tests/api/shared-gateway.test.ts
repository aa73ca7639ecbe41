import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useGateway } from './api-fixture.ts';

const [one, other] = [useGateway(), useGateway({ organization: { role: 'dispatcher', name: 'Harbour Couriers' } })];
const apart = useGateway({ own: 'it is what this test looks at' });

test('files that share a gateway have organizations of their own, and see nothing of each other', async () => {
  assert.equal(one.gateway.baseUrl, other.gateway.baseUrl);
  assert.notEqual(one.gateway.organizationId, other.gateway.organizationId);
  const { id } = await one.api.createTask();
  assert.equal((await other.api.get(`/tasks/${id}`)).status, 404);
  assert.equal((await other.api.list()).body.data.count, 0);
});

test('a file with a reason has a gateway and a database of its own', () => {
  assert.notEqual(apart.gateway.baseUrl, one.gateway.baseUrl);
  assert.notEqual(apart.gateway.databaseUrl, one.gateway.databaseUrl);
  assert.equal(apart.gateway.place.databaseUrl, apart.gateway.databaseUrl);
});

test('no file stops a shared gateway, or starts another one at its place', async () => {
  await assert.rejects(one.gateway.stop(), /other files use this gateway/);
  assert.throws(() => one.gateway.place, /other files are at this place/);
});
