import assert from 'node:assert/strict';
import { getEventListeners, once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { createClient } from '../../../../gateway/client/create-client.ts';
import { PATIENCE_MS } from '../../../support/until.ts';

/** Bodies that are read after the call is over, from a server of their own: only a real connection can be ended. */

/** Long enough for the head of an answer on a busy machine. */
const ATTEMPT_MS = 2_000;
/** A body that nothing ends would keep the file for minutes. */
const BOUND = { timeout: PATIENCE_MS };

let server: Server;
let baseUrl = '';
/** The answer to the last request: its first line is on its way. */
let answer: ServerResponse;
before(async () => {
  server = createServer((_, reply) => {
    answer = reply;
    reply.writeHead(200, { 'x-log-position': 'h-7', 'content-type': 'application/x-ndjson' });
    reply.write('{"id":1}\n');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});

const listenersOf = ({ signal }: AbortController) => getEventListeners(signal, 'abort').length;

for (const owner of ['call', 'client'] as const)
  test(`the signal of the ${owner} ends a body that is being read, with its reason`, BOUND, async () => {
    const leaving = new AbortController();
    const { signal } = leaving;
    const client = createClient({ baseUrl, ...(owner === 'client' ? { signal } : {}) });
    const reply = await client.open('/tasks/export', owner === 'call' ? { signal } : {});
    const reader = reply.body!.getReader();
    const { value } = await reader.read();
    assert.equal(Buffer.from(value!).toString(), '{"id":1}\n');
    const closed = once(answer, 'close');
    leaving.abort(new Error('the page is gone'));
    await assert.rejects(reader.read(), /the page is gone/);
    await closed;
    assert.equal(listenersOf(leaving), 0);
  });

for (const [what, end] of [
  [
    'was read',
    async (reply: Response) => {
      // Longer than an attempt may take: the body has the time that it needs.
      setTimeout(() => answer.end('{"id":2}\n'), 2 * ATTEMPT_MS);
      assert.equal(await reply.text(), '{"id":1}\n{"id":2}\n');
    },
  ],
  ['was given up', (reply: Response) => reply.body!.cancel()],
  [
    'broke off',
    async (reply: Response) => {
      answer.destroy();
      await assert.rejects(reply.text());
    },
  ],
] as const)
  test(`a signal forgets a body that ${what}`, BOUND, async () => {
    const leaving = new AbortController();
    const client = createClient({ baseUrl, retry: { attemptMs: ATTEMPT_MS } });
    const reply = await client.open('/tasks/export', { signal: leaving.signal });
    assert.deepEqual([reply.status, reply.ok, reply.headers.get('x-log-position')], [200, true, 'h-7']);
    assert.equal(reply.url, `${baseUrl}/api/v1/tasks/export`);
    assert.equal(listenersOf(leaving), 1);
    await end(reply);
    assert.equal(listenersOf(leaving), 0);
  });
