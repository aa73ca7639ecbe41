import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient } from '../../../../gateway/client/create-client.ts';
import { standInService, success } from './stand-in-service.ts';

const AT_ONCE = { giveUpAfterMs: 0 };

for (const [id, path] of [
  ['7', '/api/v1/agents/7/tasks'],
  ['a/b?c#d', '/api/v1/agents/a%2Fb%3Fc%23d/tasks'],
  ['%2e%2e', '/api/v1/agents/%252e%252e/tasks'],
  ['...', '/api/v1/agents/.../tasks'],
] as const) {
  test(`the id ${id} stays one part of the path`, async () => {
    const { fetch, seen } = standInService(success([]));
    const client = createClient({
      baseUrl: 'http://service',
      apiKey: 'dk',
      fetch,
      retry: AT_ONCE,
    });
    await client.get('/agents/{id}/tasks', { path: { id: id as never } });
    assert.deepEqual(
      seen.map(({ url }) => new URL(url).pathname),
      [path],
    );
  });
}

for (const id of ['', '.', '..']) {
  test(`the id "${id}" is refused before anything is asked: the path would name something else`, async () => {
    const { fetch, seen } = standInService();
    const client = createClient({
      baseUrl: 'http://service',
      apiKey: 'dk',
      fetch,
      retry: AT_ONCE,
    });
    const ask = async () => client.get('/agents/{id}/tasks', { path: { id: id as never } });
    await assert.rejects(ask, new TypeError(`/agents/{id}/tasks needs an id for id, not "${id}"`));
    assert.equal(seen.length, 0);
  });
}
