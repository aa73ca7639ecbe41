import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { test } from 'node:test';
import { createApiClient, taskInput } from '../../support/api-client.ts';
import { withSql } from '../../support/seeds/seed.ts';
import { CERTIFICATE, withCertificateFiles } from '../../support/services/self-signed-certificate.ts';
import { startTestGateway, type TestGateway } from '../../support/system/gateway.ts';

const STRICT = { ALLOW_INSECURE_HTTP: '0' };

/** One request over TLS, on a connection of its own; for a stream, its first bytes. */
async function overTls(gateway: TestGateway, path: string, body?: object) {
  const { port } = new URL(gateway.baseUrl);
  const outgoing = request({
    host: '127.0.0.1',
    port,
    path,
    method: body ? 'POST' : 'GET',
    ca: CERTIFICATE,
    agent: false,
    headers: { 'x-api-key': gateway.key, ...(body ? { 'content-type': 'application/json' } : {}) },
  });
  outgoing.end(body && JSON.stringify(body));
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of incoming.setEncoding('utf8')) {
    text += chunk as string;
    if (text.includes('event: stream.ready')) break;
  }
  return { status: incoming.statusCode, text };
}

for (const adapter of ['uws', 'node']) {
  test(`with a certificate the gateway serves HTTPS itself, and nothing else (${adapter})`, async () => {
    await withCertificateFiles(async ({ certFile, keyFile }) => {
      const environment = { ...STRICT, HTTP_ADAPTER: adapter, TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile };
      const gateway = await startTestGateway({ environment });
      const plain = createApiClient(gateway);
      try {
        const created = await overTls(gateway, '/api/v1/tasks', taskInput());
        assert.equal(created.status, 201, created.text);
        const listed = await overTls(gateway, '/api/v1/tasks');
        assert.equal((JSON.parse(listed.text) as { data: { count: number } }).data.count, 1);
        const stream = await overTls(gateway, `/api/v1/realtime/organizations/${gateway.organizationId}/events`);
        assert.match(stream.text, /event: stream\.ready/);
        assert.equal((await overTls(gateway, '/healthz')).status, 200);
        await assert.rejects(plain.list(), 'plain HTTP gets no answer');
      } finally {
        plain.close();
        await gateway.stop();
      }
    });
  });

  test(`behind a trusted proxy HTTPS and the client's address are what it says (${adapter})`, async () => {
    const environment = { ...STRICT, HTTP_ADAPTER: adapter, TRUSTED_PROXIES: '127.0.0.0/8,10.0.0.0/8' };
    const gateway = await startTestGateway({ environment });
    const api = createApiClient(gateway);
    try {
      const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '1.2.3.4, 198.51.100.7, 10.0.0.9' };
      assert.equal((await api.post('/tasks', taskInput(), forwarded)).status, 201);
      assert.equal(await addressInHistory(gateway), '198.51.100.7');
      const refused = await api.post('/tasks', taskInput(), { 'x-forwarded-proto': 'http' });
      assert.deepEqual([refused.status, refused.body.code], [403, 'HTTPS_REQUIRED']);
    } finally {
      api.close();
      await gateway.stop();
    }
  });
}

function addressInHistory({ databaseUrl, organizationId }: TestGateway): Promise<string | null | undefined> {
  return withSql(databaseUrl, async (sql) => {
    const rows = await sql<{ address: string | null }[]>`
      SELECT address FROM task_history WHERE organization_id = ${organizationId}`;
    return rows[0]?.address;
  });
}

test('an untrusted proxy cannot speak for another address', async () => {
  const gateway = await startTestGateway({ environment: { TRUSTED_PROXIES: '10.0.0.0/8' } });
  const api = createApiClient(gateway);
  try {
    assert.equal((await api.post('/tasks', taskInput(), { 'x-forwarded-for': '198.51.100.7' })).status, 201);
    assert.equal(await addressInHistory(gateway), '127.0.0.1');
  } finally {
    api.close();
    await gateway.stop();
  }
});

test('a password is not taken over plain HTTP; a probe is answered', async () => {
  const gateway = await startTestGateway({ environment: STRICT });
  const api = createApiClient(gateway);
  try {
    const body = JSON.stringify({ email: 'ada@test.example', password: 'correct horse' });
    const headers = { 'content-type': 'application/json' };
    for (const path of ['login', 'refresh', 'verify-email', 'password-reset/request']) {
      const reply = await api.raw({ method: 'POST', path: `/api/v1/auth/${path}`, headers, body });
      assert.deepEqual([path, reply.status, reply.body.code], [path, 403, 'HTTPS_REQUIRED']);
    }
    assert.equal((await api.raw({ method: 'GET', path: '/healthz' })).status, 200);
  } finally {
    api.close();
    await gateway.stop();
  }
});
