import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { type RequestOptions, request } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { createApiClient, taskInput } from '../../support/api-client.ts';
import { CERTIFICATE, KEY } from '../../support/services/self-signed-certificate.ts';
import { startTestGateway, type TestGateway } from '../../support/system/gateway.ts';
import { reservePort } from '../../support/system/reserve-port.ts';
import { until } from '../../support/until.ts';

/** The published configuration of nginx in front of a gateway that demands HTTPS. */

const CONFIGURATION = 'docs/operating/nginx.conf';

let gateway: TestGateway;
let nginx: Nginx;
let port: number;

before(async () => {
  gateway = await startTestGateway({
    process: true,
    environment: { ALLOW_INSECURE_HTTP: '0', TRUSTED_PROXIES: '127.0.0.1', HEARTBEAT_MS: '1000' },
  });
  nginx = await startNginx(new URL(gateway.baseUrl).host);
  ({ port } = nginx);
});
after(async () => {
  await nginx.stop();
  await gateway.stop();
});

interface Nginx {
  readonly port: number;
  stop(): Promise<void>;
}

async function startNginx(...upstreams: readonly string[]): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), 'nginx-'));
  writeFileSync(join(folder, 'tls.crt'), CERTIFICATE);
  writeFileSync(join(folder, 'tls.key'), KEY);
  const port = await reservePort();
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, configuration(folder, port, upstreams));
  const child = spawn('nginx', ['-c', file, '-p', folder, '-g', `daemon off; pid ${join(folder, 'nginx.pid')};`], {
    stdio: 'inherit',
  });
  await until(
    'nginx listens',
    async () => (await send({ port, path: '/healthz' }).catch(() => undefined))?.status === 200,
  );
  return {
    port,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}

/** As published, except the addresses; nginx before 1.25 has `http2` in the line of `listen`. */
function configuration(folder: string, port: number, upstreams: readonly string[]): string {
  const replaced = readFileSync(CONFIGURATION, 'utf8')
    .replaceAll('/certs/', `${folder}/`)
    .replace(/server gateway:8080(.*;)/, (_, rest) => upstreams.map((host) => `server ${host}${rest}`).join('\n'))
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port} ssl;`)
    .replace('http2 on;', '');
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  return replaced.replace('http {', `http {\n${paths.join('\n')}`);
}

interface Answer {
  readonly status: number | undefined;
  readonly text: string;
}

function open(options: RequestOptions): Promise<IncomingMessage> {
  const headers = { 'x-api-key': gateway.key, ...options.headers };
  const sent = request({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options, headers });
  sent.end(['POST', 'PUT', 'PATCH'].includes(options.method ?? 'GET') ? JSON.stringify(taskInput()) : undefined);
  return once(sent, 'response').then(([response]) => response as IncomingMessage);
}

async function send(options: RequestOptions): Promise<Answer> {
  const response = await open(options);
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return { status: response.statusCode, text };
}

const create = () => send({ method: 'POST', path: '/api/v1/tasks', headers: { 'content-type': 'application/json' } });

test('a task is made over TLS, and the gateway itself refuses plain HTTP', async () => {
  assert.equal((await create()).status, 201);
  const api = createApiClient(gateway);
  const plain = await api.get('/tasks');
  api.close();
  assert.equal(plain.status, 403);
});

test('an address with bytes beyond ASCII is answered, which the gateway would not do', async () => {
  const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false });
  socket.write(Buffer.from('GET /api/v1/tasks?search=é HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 'utf8'));
  const [head] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  assert.match(head.toString(), /^HTTP\/1\.1 400 /);
  assert.equal((await send({ path: '/api/v1/tasks?search=%C3%A9' })).status, 200);
});

test('a stream passes each event at once, and outlives quiet minutes by its heartbeats', async () => {
  const path = `/api/v1/realtime/organizations/${gateway.organizationId}/events`;
  const response = await open({ path, headers: { accept: 'text/event-stream' } });
  assert.equal(response.statusCode, 200);
  let text = '';
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  await until('it is ready', () => text.includes('event: stream.ready'));
  const sentAt = performance.now();
  await create();
  await until('the event', () => text.includes('event: task.created'));
  assert.ok(performance.now() - sentAt < 2_000);
  // Longer than nginx waits for the answer to any other request.
  await delay(22_000);
  const heartbeats = text.split(/^:/m).length;
  assert.ok(heartbeats > 15, `${heartbeats} heartbeats in 22 s`);
  await create();
  await until('another event', () => text.split('event: task.created').length === 3);
  response.destroy();
});

test('a header name that the native server does not know is dropped', async () => {
  const answer = await send({ path: '/api/v1/tasks', headers: { x_foo: '1', 'x.foo': '1' } });
  assert.equal(answer.status, 200);
});

test('the metrics cannot be read from outside', async () => {
  assert.equal((await send({ path: '/metrics' })).status, 404);
});

test('two hundred clients that never finish their bodies cost others nothing, and are cut off', async () => {
  const slow = Array.from({ length: 200 }, () => {
    const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false });
    socket.on('error', () => {});
    socket.write(`POST /api/v1/tasks HTTP/1.1\r\nHost: a\r\nX-Api-Key: ${gateway.key}\r\nContent-Length: 500\r\n\r\n`);
    return socket;
  });
  await Promise.all(slow.map((socket) => once(socket, 'secureConnect')));
  const startedAt = performance.now();
  for (let made = 0; made < 20; made++) assert.equal((await create()).status, 201);
  assert.ok(performance.now() - startedAt < 5_000);
  // nginx waits 15 s for the next byte of a body.
  await until('all are closed', () => slow.every((socket) => socket.closed || socket.readableEnded));
});

test('a change that may have been carried out is not sent a second time, a read is', async () => {
  const seen = new Map<string, number>();
  const paths = new Set<string | undefined>();
  // Breaks off after it has taken a request, as a gateway that ends after its commit.
  const upstream = createServer((incoming, answer) => {
    if (incoming.url === '/healthz') return answer.end();
    const { method = '' } = incoming;
    seen.set(method, (seen.get(method) ?? 0) + 1);
    paths.add(incoming.url);
    incoming.resume().on('end', () => incoming.socket.destroy());
  }).listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  const host = `127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const proxy = await startNginx(host, host);
  const path = '/api/v1/tasks/5/status?a=%2F';
  try {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      assert.equal((await send({ port: proxy.port, method, path })).status, 502, method);
    }
  } finally {
    await proxy.stop();
    upstream.close();
  }
  assert.deepEqual(Object.fromEntries(seen), { GET: 2, POST: 1, PUT: 1, PATCH: 1, DELETE: 1 });
  assert.deepEqual([...paths], [path]);
});

test('plain HTTP on the port of TLS gets a plain 400', async () => {
  const socket = connect({ host: '127.0.0.1', port });
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  const [chunk] = await once(socket, 'data');
  assert.match(String(chunk), /^HTTP\/1\.1 400 /);
  socket.destroy();
});
