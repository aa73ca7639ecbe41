import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { connect, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { ListenError, type Reply } from '../../../gateway/http/port.ts';
import { CERTIFICATE, withCertificateFiles } from '../../support/services/self-signed-certificate.ts';
import { PATIENCE_MS, until } from '../../support/until.ts';
import { ADAPTERS, type echo, startFixture, withServer } from './http-fixture.ts';
import { get, post, RawClient, talk } from './raw-client.ts';

const TEXT = [['content-type', 'text/plain']] as const;
type Handled = Parameters<typeof echo>;

const isTlsError = (error: unknown): boolean =>
  error instanceof ListenError && /certificate.*cert\.pem/.test(error.message);

function askSecurely(port: number, path: string, body = ''): Promise<string> {
  const options = { host: '127.0.0.1', port, path, ca: CERTIFICATE, agent: false, method: body ? 'POST' : 'GET' };
  return new Promise((resolve, reject) => {
    request(options, (answer) => text(answer).then(resolve, reject))
      .on('error', reject)
      .end(body);
  });
}

/** A client that has asked for a path, and reads nothing yet. */
function openPaused(port: number, path: string, tls: boolean): Socket {
  const options = { port, host: '127.0.0.1', rejectUnauthorized: false };
  const socket: Socket = tls ? connectTls(options) : connect(options);
  socket.on('error', () => {}).write(get(path, ...(path === '/closing' ? ['Connection: close'] : [])));
  return socket.pause();
}

/** All that the server sends until it closes the connection, or until `most` bytes are exceeded. */
async function bytesFrom(socket: Socket, pauseMs: number, most = Number.POSITIVE_INFINITY): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > most) break;
      await delay(pauseMs);
    }
  } catch {
    // It was reset.
  }
  return Buffer.concat(chunks);
}

for (const adapter of ADAPTERS) {
  describe(`connections (${adapter})`, () => {
    it('are closed after about as many requests as they may carry', async () => {
      await withServer({ adapter, limits: { requestsPerConnection: 3 } }, async ({ port }) => {
        const client = new RawClient(port);
        for (let i = 1; i <= 3; i++) {
          client.send(get(`/${i}`));
          await client.until(() => client.answer().statuses.length === i);
        }
        assert.ok(await client.until(() => client.closed));
        assert.deepEqual(client.answer().statuses, [200, 200, 200]);
        assert.equal(client.text.match(/connection: close/gi)?.length, 1);
      });
    });

    it(`connections (${adapter}) get 503 and are closed when the deadline passes, and a later answer is ignored`, async () => {
      let late: Reply | undefined;
      const dispatch = (...[, reply]: Handled) => {
        late = reply;
      };
      const limits = { requestDeadlineMs: 200, requestScanMs: 50 };
      await withServer({ adapter, dispatch, limits }, async ({ port, server, logged }) => {
        const started = performance.now();
        const answer = await talk(port, get('/', 'X-Request-Id: r7'));
        const took = performance.now() - started;
        assert.deepEqual([answer.statuses, answer.closed], [[503], true]);
        assert.match(answer.text, /deadline r7$/);
        assert.ok(took >= 195, `answered after ${took} ms`);
        assert.equal(late?.done, true);
        late?.send(200, TEXT, 'late');
        assert.equal(server.pending, 0);
        assert.deepEqual(logged, []);
      });
    });

    it(`connections (${adapter}) get 503 past the requests that may be pending`, async () => {
      const replies: Reply[] = [];
      const dispatch = (...[, reply]: Handled) => void replies.push(reply);
      await withServer({ adapter, dispatch, limits: { pendingRequests: 2 } }, async ({ port, server }) => {
        const waiting = [talk(port, get('/1')), talk(port, get('/2'))];
        while (server.pending < 2) await delay(5);
        const refused = await talk(port, get('/3'));
        assert.deepEqual([refused.statuses, refused.closed], [[503], true]);
        for (const reply of replies) reply.send(200, TEXT, 'ok');
        for (const answer of await Promise.all(waiting)) assert.deepEqual(answer.statuses, [200]);
        assert.equal(server.pending, 0);
      });
    });

    it('requests that break off free their request and notify its handler', async () => {
      const gone: string[] = [];
      const dispatch = async (...[request, reply]: Handled) => {
        reply.onGone(() => gone.push(request.path));
        if (request.path === '/body') await request.readBody(1_000).catch((error: Error) => gone.push(error.name));
      };
      await withServer({ adapter, dispatch: (...args) => void dispatch(...args) }, async ({ port, server }) => {
        const clients = [new RawClient(port), new RawClient(port)];
        clients[0]!.send(get('/plain'));
        clients[1]!.send(post('/body', 'abc').slice(0, -1));
        assert.ok(await clients[0]!.until(() => server.pending === 2));
        for (const client of clients) client.end();
        assert.ok(await clients[0]!.until(() => server.pending === 0 && gone.length === 3));
        assert.deepEqual(gone.sort(), ['/body', '/plain', 'ClientGone']);
      });
    });

    it(`connections (${adapter}) may all leave at once without leaving anything behind`, async () => {
      const dispatch = async (...[request, reply]: Handled) => {
        const body = await request.readBody(10_000);
        await delay(20);
        reply.send(200, TEXT, `${body.length}`);
      };
      await withServer({ adapter, dispatch }, async ({ port, server, logged }) => {
        const clients = Array.from({ length: 500 }, () => new RawClient(port));
        for (const [i, client] of clients.entries()) {
          client.send(i % 2 ? get('/') : post('/', 'x'.repeat(2_000)).slice(0, i % 4 ? undefined : -5));
          client.socket.once('connect', () => setTimeout(() => client.end(), i % 20));
        }
        const last = clients.at(-1)!;
        assert.ok(await last.until(() => clients.every(({ closed }) => closed)));
        assert.ok(await last.until(() => server.pending === 0), `${server.pending} requests are still pending`);
        assert.equal((await talk(port, post('/', 'abc'))).statuses[0], 200);
        assert.deepEqual(logged, []);
      });
    });

    it('refuse to be listened for on a port that is in use, and say so', async () => {
      const other = createServer().listen(0, '127.0.0.1');
      await new Promise((resolve) => other.once('listening', resolve));
      const address = other.address();
      assert.ok(address && typeof address === 'object');
      await assert.rejects(
        startFixture({ adapter, port: address.port }),
        (error) => error instanceof ListenError && error.message.includes(`127.0.0.1:${address.port}`),
      );
      other.close();
      await withServer({ adapter }, async ({ port }) => {
        await assert.rejects(startFixture({ adapter, port }), ListenError);
      });
    });

    it('are encrypted when a certificate is given, large answers and streams included', async () => {
      const large = 'x'.repeat(1_000_000);
      const dispatch = async (...[request, reply]: Handled) => {
        const body = await request.readBody(1_000);
        if (request.path !== '/stream') return reply.send(200, TEXT, request.path === '/large' ? large : `${body}`);
        const stream = reply.openStream(200, TEXT);
        stream.write('data: 1\n\n');
        stream.close();
      };
      await withCertificateFiles((tls) =>
        withServer({ adapter, dispatch, tls }, async ({ port }) => {
          const ask = (path: string, body?: string) => askSecurely(port, path, body);
          assert.equal(await ask('/echo', 'hello'), 'hello');
          assert.ok((await ask('/large')) === large);
          assert.match(await ask('/stream'), /data: 1\n\n$/);
          assert.doesNotMatch((await talk(port, get('/echo'))).text, /HTTP\/1.1 200/);
        }),
      );
    });

    it('cannot be had with a certificate that cannot be used, and the error says so', async () => {
      const unreadable = { certFile: '/nonexistent/cert.pem', keyFile: '/nonexistent/key.pem' };
      await assert.rejects(startFixture({ adapter, tls: unreadable }), isTlsError);
      await withCertificateFiles(async ({ certFile }) => {
        await assert.rejects(startFixture({ adapter, tls: { certFile, keyFile: certFile } }), isTlsError);
      });
    });

    it('are drained: what was accepted is answered, every answer closes, and nobody else comes in', async () => {
      let finish = () => {};
      const finished = new Promise<void>((resolve) => {
        finish = resolve;
      });
      const dispatch = async (...[request, reply]: Handled) => {
        if (request.path === '/slow') await finished;
        reply.send(200, TEXT, request.path);
      };
      await withServer({ adapter, dispatch }, async ({ port, server }) => {
        const idle = new RawClient(port);
        idle.send(get('/first'));
        await idle.until(() => idle.answer().statuses.length === 1);
        const slow = talk(port, get('/slow'));
        while (server.pending === 0) await delay(5);

        const drained = server.drain(PATIENCE_MS);
        idle.send(get('/second'));
        assert.ok(await idle.until(() => idle.closed));
        // node:http closes idle connections itself; the native server cannot, and lets their next answer do it.
        assert.deepEqual(idle.answer().statuses, adapter === 'uws' ? [200, 200] : [200]);
        assert.equal(/connection: close/i.test(idle.text), adapter === 'uws');
        assert.deepEqual((await talk(port, get('/late'))).statuses, []);
        finish();
        await drained;
        assert.equal(server.pending, 0);
        const answer = await slow;
        assert.deepEqual([answer.statuses, answer.closed], [[200], true]);
      });
    });

    for (const tls of [undefined, 'TLS']) {
      it(`are drained${tls ? ' over TLS' : ''}: large answers reach slow clients whole, given before the stop or after it`, async () => {
        const body = Buffer.alloc(20_000_000, 'abcdefg');
        let stop = () => {};
        const stopped = new Promise<void>((resolve) => {
          stop = resolve;
        });
        const dispatch = async (...[request, reply]: Handled) => {
          if (request.path === '/during') await stopped;
          reply.send(200, TEXT, body);
        };
        await withCertificateFiles((files) =>
          withServer({ adapter, dispatch, ...(tls && { tls: files }) }, async ({ port, server, dispatched }) => {
            const paths = ['/before', '/closing', '/during'];
            const clients = paths.map((path) => openPaused(port, path, tls !== undefined));
            await until('all are accepted', () => dispatched.length === paths.length);
            await delay(200);
            const closed = server.drain(PATIENCE_MS).then(() => server.close());
            stop();
            await delay(100);
            for (const bytes of await Promise.all(clients.map((client) => bytesFrom(client, 0)))) {
              const text = bytes.toString('latin1');
              assert.ok(text.slice(text.indexOf('\r\n\r\n') + 4) === body.toString('latin1'), `${bytes.length} bytes`);
            }
            await closed;
          }),
        );
      });
    }

    it('are given up when draining takes too long', async () => {
      const dispatch = () => {};
      await withServer({ adapter, dispatch }, async ({ port, server }) => {
        const client = new RawClient(port);
        client.send(get('/'));
        assert.ok(await client.until(() => server.pending === 1));
        const started = performance.now();
        await server.drain(100);
        assert.ok(performance.now() - started >= 95);
        assert.equal(server.pending, 1);
        server.close();
        assert.ok(await client.until(() => client.closed));
        assert.equal(server.pending, 0);
      });
    });

    it('are closed when they send nothing, or too slowly', async () => {
      await withServer({ adapter, limits: { idleConnectionMs: 1_000 } }, async ({ port }) => {
        const silent = new RawClient(port);
        const trickling = new RawClient(port);
        const unfinished = new RawClient(port);
        unfinished.send('GET / HTTP/1.1\r\nHost: a\r\n');
        const request = `GET / HTTP/1.1\r\nHost: a\r\nX-A: ${'b'.repeat(1_000)}`;
        let sent = 0;
        const trickle = setInterval(() => trickling.send(request[sent++] ?? 'b'), 250);
        // The native server's own timers, which cannot be set, take 10 to 13 s.
        const clients = adapter === 'uws' ? [silent, trickling, unfinished] : [trickling, unfinished];
        const closed = await silent.until(() => clients.every((client) => client.closed));
        clearInterval(trickle);
        for (const client of [silent, trickling, unfinished]) client.end();
        assert.ok(closed, clients.map((client) => client.closed).join());
      });
    });
  });
}

describe('an answer that its client does not read (node)', () => {
  const body = Buffer.alloc(20_000_000, 'a');
  const limits = { requestDeadlineMs: 300, streamStallMs: 700, requestScanMs: 50 };
  const dispatch = (...[request, reply]: Handled) => {
    if (request.path === '/large') return reply.send(200, TEXT, body);
    reply.openStream(200, TEXT).write('data: 1\n\n');
  };

  for (const isSecure of [false, true]) {
    it(`is given up${isSecure ? ' over TLS' : ''}; a quiet stream and an answer that is read slowly go on`, async () => {
      await withCertificateFiles((tls) =>
        withServer({ adapter: 'node', dispatch, limits, ...(isSecure && { tls }) }, async ({ port, server }) => {
          const stuck = openPaused(port, '/large', isSecure);
          const stream = openPaused(port, '/stream', isSecure).resume();
          const startedAt = performance.now();
          const slow = await bytesFrom(openPaused(port, '/large', isSecure), 5, body.length);
          assert.ok(slow.length > body.length, 'a slow reader was cut off');
          assert.ok(performance.now() - startedAt > 1_500, 'it was read too fast to show anything');
          await until('the answer is no longer held', () => server.pending === 0);
          assert.ok((await bytesFrom(stuck, 0)).length < body.length);
          assert.deepEqual([stream.closed, server.streams], [false, 1]);
          stream.destroy();
        }),
      );
    });
  }
});

describe('the native binary', () => {
  it('the native binary is the one that was measured', () => {
    const path = new URL('../../../node_modules/uWebSockets.js/uws_linux_x64_115.node', import.meta.url);
    assert.equal(
      createHash('sha256').update(readFileSync(path)).digest('hex'),
      'f4fa5d7b697529b45ac8aa3d57385d9af51bc1d2b26aa9f5b68ca4361542e665',
    );
  });

  it('the native binary shares a port only when asked to', async () => {
    // A port of its own choice is never shared, so one is chosen for it.
    const probe = await startFixture({ adapter: 'node' });
    const { port } = probe;
    probe.server.close();
    await withServer({ adapter: 'uws', exclusive: false, port }, async () => {
      const second = await startFixture({ adapter: 'uws', exclusive: false, port });
      assert.equal(second.port, port);
      second.server.close();
      assert.deepEqual((await talk(port, get('/'))).statuses, [200]);
      await assert.rejects(startFixture({ adapter: 'uws', port }), ListenError);
    });
  });
});
