import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { moveAgents } from '../../../bench/console/console-ground.ts';
import { until } from '../../support/until.ts';

const AGENTS = 50;

/** The troubles that the bench has with agents before a server that answers every batch like this. */
async function troublesBefore(t: TestContext, status: number, counts: object): Promise<string[]> {
  let asked = 0;
  const text = JSON.stringify({ data: counts });
  const server = createServer((incoming, outgoing) => {
    incoming.resume().on('end', () => {
      asked += 1;
      outgoing.writeHead(status, { 'content-length': text.length }).end(text);
    });
  }).listen(0, '127.0.0.1');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const agentIds = Array.from({ length: AGENTS }, (_, index) => index + 1);
  const over = new AbortController();
  const { signal } = new AbortController();
  const moving = moveAgents({ server: { baseUrl }, agentIds }, 'key', AGENTS, { isOver: over.signal, signal });
  await until('two batches are answered', () => asked > 2);
  over.abort();
  return moving;
}

test('the bench of the console knows whether its agents moved', async (t) => {
  assert.deepEqual(await troublesBefore(t, 202, { accepted: AGENTS, stale: 0, rejected: 0 }), []);
  const [none, refused] = await troublesBefore(t, 403, {});
  assert.equal(none, 'moving agents: no point was answered inside the window');
  assert.match(refused!, /^moving agents: \d+ × status 403; first /);
  const [few] = await troublesBefore(t, 202, { accepted: 0, stale: AGENTS, rejected: 0 });
  assert.match(few!, /^moving agents: only 0 of \d+ points were accepted, \d+ were stale$/);
});
