import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { createServer as createTlsServer } from 'node:tls';
import { createHostResolver } from '../../../engine/runtime/outbound/resolve-host.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { CERTIFICATE, withCertificateFiles } from '../../support/services/self-signed-certificate.ts';
import { answerWith, listen, send, startEndpoint, startSender } from './local-endpoint.ts';

const PRIVATE = 'the host has a private address';
const PUBLIC_ADDRESS = '93.184.215.14';

for (const host of [
  '127.0.0.1',
  '127.1',
  '0',
  '0.0.0.0',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '127%2e0.0.1',
  '１２７.0.0.1',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[0:0:0:0:0:ffff:7f00:1]',
  '[::127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[2002:7f00:1::]',
]) {
  test(`http://${host}/ is refused when connecting, and nothing is connected to`, async (t) => {
    const endpoint = await startEndpoint(t, answerWith('200 OK'));
    const sender = startSender(t, { allowPrivate: false });
    const { status, error } = await send(sender, `http://${host}:${endpoint.port}/`);
    assert.deepEqual({ status, error }, { status: null, error: PRIVATE });
    assert.equal(endpoint.connections, 0);
  });
}

for (const [what, addresses] of [
  ['loopback', ['127.0.0.1']],
  ['a public address and a private one', [PUBLIC_ADDRESS, '127.0.0.1']],
  ['a private address of IPv6 beside a public one', [PUBLIC_ADDRESS, 'fd00::1']],
  ['IPv4 inside IPv6', ['::ffff:127.0.0.1']],
  ['the address of cloud metadata', ['169.254.169.254']],
] as const) {
  test(`a name that leads to ${what} is refused when connecting`, async (t) => {
    const endpoint = await startEndpoint(t, answerWith('200 OK'));
    const sender = startSender(t, { allowPrivate: false, resolve: async () => addresses });
    const { error } = await send(sender, `http://hook.example:${endpoint.port}/`);
    assert.equal(error, PRIVATE);
    assert.equal(endpoint.connections, 0);
  });
}

test('a name is resolved once for each connection, and what was checked is what is connected to', async (t) => {
  const endpoint = await startEndpoint(t, answerWith('200 OK'));
  let asked = 0;
  const sender = startSender(t, { resolve: async () => [['127.0.0.1', PUBLIC_ADDRESS][asked++ % 2]!] });
  const url = `http://hook.example:${endpoint.port}/`;
  for (let i = 0; i < 5; i++) assert.equal((await send(sender, url)).isSuccess, true);
  assert.equal(asked, 1);
});

test('a name that leads elsewhere at its next connection is checked again', async (t) => {
  const endpoint = await startEndpoint(t, answerWith('200 OK'));
  const answers = [[PUBLIC_ADDRESS], ['127.0.0.1']];
  // The public one is not to be reached from here.
  const sender = startSender(t, { allowPrivate: false, timeoutMs: 300, resolve: async () => answers.shift()! });
  const url = `http://hook.example:${endpoint.port}/`;
  assert.notEqual((await send(sender, url)).error, PRIVATE);
  assert.equal((await send(sender, url)).error, PRIVATE);
  assert.equal(endpoint.connections, 0);
});

test('ports of databases and the like are refused when connecting', async (t) => {
  const sender = startSender(t, { allowPrivate: false, resolve: async () => [PUBLIC_ADDRESS] });
  for (const port of [22, 25, 5_432, 6_379])
    assert.equal((await send(sender, `http://hook.example:${port}/`)).error, PRIVATE, `port ${port}`);
});

for (const status of ['301 Moved', '302 Found', '303 See Other', '307 Temporary', '308 Permanent']) {
  test(`${status} is a failure, and nobody goes where it points`, async (t) => {
    const target = await startEndpoint(t, answerWith('200 OK'));
    for (const location of [target.url, 'http://169.254.169.254/latest', '/hook']) {
      const endpoint = await startEndpoint(t, answerWith(status, `location: ${location}\r\n`));
      const outcome = await send(startSender(t), endpoint.url);
      assert.equal(outcome.isSuccess, false);
      assert.deepEqual([outcome.status, outcome.error], [Number(status.slice(0, 3)), 'redirects are not followed']);
      assert.equal(endpoint.requests.length, 1);
    }
    assert.equal(target.connections, 0);
  });
}

test('a closed port and an unknown name are reported as such', async (t) => {
  const gone = await startEndpoint(t, answerWith('200 OK'));
  assert.equal((await send(startSender(t), 'http://127.0.0.1:1/')).error, 'connection refused');
  for (const [code, told] of [
    ['ENOTFOUND', 'the name of the host is not known'],
    ['ENODATA', 'the name of the host is not known'],
    ['ECONNREFUSED', 'the name of the host could not be looked up'],
    ['ETIMEOUT', 'the name of the host could not be looked up'],
  ] as const) {
    const failure = Object.assign(new Error(`queryA ${code} hook.example`), { code, syscall: 'queryA' });
    const sender = startSender(t, { resolve: () => Promise.reject(failure) });
    assert.equal((await send(sender, `http://hook.example:${gone.port}/`)).error, told);
  }
});

test('a name that leads to another name without an address is reported as unknown', async (t) => {
  const server = await startNameServer(t);
  const sender = startSender(t, { allowPrivate: false, resolve: createHostResolver(false, [server]) });
  const { status, error } = await send(sender, 'http://hook.example/');
  assert.deepEqual({ status, error }, { status: null, error: 'the name of the host is not known' });
});

/** Answers every question with CNAME `target.example`, and no address of it. Returns where it listens. */
async function startNameServer(t: TestContext): Promise<string> {
  const target = Buffer.from('\x06target\x07example\x00', 'latin1');
  // A pointer to the name in the question, CNAME, IN, 60 s, the length of the target.
  const record = Buffer.concat([Buffer.from([0xc0, 12, 0, 5, 0, 1, 0, 0, 0, 60, 0, target.length]), target]);
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const question = query.subarray(12, query.indexOf(0, 12) + 5);
    // A response without an error, to one question, with one answer.
    const head = Buffer.from([query[0]!, query[1]!, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0]);
    socket.send(Buffer.concat([head, question, record]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.after(() => socket.close());
  return `127.0.0.1:${socket.address().port}`;
}

test('over TLS, only a certificate that is trusted and for the host is taken', async (t) => {
  await withCertificateFiles(async ({ certFile, keyFile }) => {
    const names: string[] = [];
    let answer = 'ok';
    const sockets = new Set<Socket>();
    const server = createTlsServer({
      cert: readFileSync(certFile),
      key: readFileSync(keyFile),
      SNICallback: (name, done) => {
        names.push(name);
        done(null);
      },
    });
    server.on('connection', (socket) => sockets.add(socket));
    server.on('secureConnection', (socket) => {
      socket.on('data', () => socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${answer.length}\r\n\r\n${answer}`));
      socket.on('error', () => {});
    });
    // A client that does not trust it closes in the middle of the handshake.
    server.on('tlsClientError', () => {});
    const port = await listen(t, server, sockets);

    const plain = startSender(t, { resolve: async () => ['127.0.0.1'] });
    const trusting = startSender(t, { resolve: async () => ['127.0.0.1'], ca: CERTIFICATE });
    assert.equal((await send(plain, `https://127.0.0.1:${port}/`)).error, 'TLS: certificate is self-signed');
    assert.equal((await send(trusting, `https://127.0.0.1:${port}/`)).isSuccess, true);
    const forAnother = await send(trusting, `https://hook.example:${port}/`);
    assert.equal(forAnother.error, 'TLS: certificate is for another host');
    assert.deepEqual(names, ['hook.example']);
    answer = 'x'.repeat(10 * LIMITS.webhookAnswerBytes);
    const opened = sockets.size;
    for (let i = 0; i < 3; i++) assert.equal((await send(trusting, `https://127.0.0.1:${port}/`)).isSuccess, true);
    // The first of them goes over the connection that is there; each is cut, and leaves none behind.
    assert.equal(sockets.size, opened + 2);
  });
});

test('a server that does not speak TLS is reported as such', async (t) => {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.end('220 mail.example ESMTP\r\n');
  });
  const port = await listen(t, server, sockets);
  assert.equal((await send(startSender(t), `https://127.0.0.1:${port}/`)).error, 'TLS: handshake failed');
});
