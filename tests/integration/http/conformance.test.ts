import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import { addressText } from '../../../gateway/http/address-text.ts';
import type { Dispatch, IncomingRequest } from '../../../gateway/http/port.ts';
import { until } from '../../support/until.ts';
import { ADAPTERS, type echo, withServer } from './http-fixture.ts';
import { get, post, RawClient, talk } from './raw-client.ts';

const TEXT = [['content-type', 'text/plain']] as const;
const bodyOf = (text: string): string => text.slice(text.indexOf('\r\n\r\n') + 4);

describe('addressText', () => {
  const binary = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex');
  for (const [bytes, text] of [
    ['c0a80001', '192.168.0.1'],
    ['0000 0000 0000 0000 0000 ffff 0102 0304', '1.2.3.4'],
    ['0000 0000 0000 0000 0000 0000 0000 0000', '::'],
    ['0000 0000 0000 0000 0000 0000 0000 0001', '::1'],
    ['fe80 0000 0000 0000 0000 0000 0000 0000', 'fe80::'],
    ['2001 0db8 0000 0000 0001 0000 0000 0001', '2001:db8::1:0:0:1'],
    ['2001 0db8 0000 0001 0001 0001 0001 0001', '2001:db8:0:1:1:1:1:1'],
    ['', ''],
  ] as const) {
    it(`addressText writes ${text || 'no address'} in its canonical form`, () =>
      assert.equal(addressText(binary(bytes)), text));
  }
});

for (const adapter of ADAPTERS) {
  describe(`requests (${adapter})`, () => {
    it(`the server (${adapter}) shows the target as it was sent, split at the first question mark`, async () => {
      await withServer({ adapter }, async ({ port }) => {
        const seen = async (target: string) => JSON.parse(bodyOf((await talk(port, get(target))).text));
        const both = { method: 'GET', remoteAddress: '127.0.0.1', body: '' };
        assert.deepEqual(await seen('/a%2fb/%zz'), { ...both, path: '/a%2fb/%zz', query: '' });
        assert.deepEqual(await seen('/a?b=%00+c?d&b'), { ...both, path: '/a', query: 'b=%00+c?d&b' });
        assert.deepEqual(await seen('/a?'), { ...both, path: '/a', query: '' });
        assert.deepEqual(await seen('//x/../y'), { ...both, path: '//x/../y', query: '' });
      });
    });

    it(`the server (${adapter}) shows an IPv6 peer in its short form and an IPv4 one of a dual-stack socket as IPv4`, async () => {
      const dispatch = (...[request, reply]: Parameters<typeof echo>) => reply.send(200, TEXT, request.remoteAddress);
      await withServer({ adapter, dispatch, host: '::' }, async ({ port }) => {
        assert.equal(bodyOf((await talk(port, get('/'))).text), '127.0.0.1');
        assert.equal(await (await fetch(`http://[::1]:${port}/`)).text(), '::1');
      });
    });

    it(`the server (${adapter}) joins a header given twice and tells that it was`, async () => {
      const dispatch = (request: IncomingRequest, reply: Parameters<typeof echo>[1]) => {
        const seen = [request.header('x-api-key'), request.headerCount('x-api-key'), request.header('x-none')];
        reply.send(200, TEXT, JSON.stringify([...seen, request.headerCount('x-none')]));
      };
      await withServer({ adapter, dispatch }, async ({ port }) => {
        const { text } = await talk(port, get('/', 'X-Api-Key: one', 'Accept: x', 'x-api-key:  two '));
        assert.deepEqual(JSON.parse(bodyOf(text)), ['one, two', 2, null, 0]);
      });
    });

    it(`the server (${adapter}) keeps what it copied readable after an await and after the answer`, async () => {
      let kept: IncomingRequest | undefined;
      const dispatch = async (...[request, reply]: Parameters<typeof echo>) => {
        kept = request;
        await new Promise(setImmediate);
        reply.send(200, TEXT, `${request.method} ${request.path} ${request.header('x-a')} ${request.remoteAddress}`);
      };
      await withServer({ adapter, dispatch }, async ({ port }) => {
        assert.equal(bodyOf((await talk(port, get('/p?q', 'X-A: b'))).text), 'GET /p b 127.0.0.1');
        assert.equal(kept?.header('x-a'), 'b');
        assert.equal(kept?.remoteAddress, '127.0.0.1');
      });
    });

    it(`the server (${adapter}) passes every registered method on, for the router to refuse`, async () => {
      await withServer({ adapter }, async ({ port }) => {
        for (const method of ['DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'M-SEARCH']) {
          const { text } = await talk(port, `${method} / HTTP/1.1\r\nHost: a\r\n\r\n`);
          assert.equal(JSON.parse(bodyOf(text)).method, method);
        }
      });
    });

    it('answers pipelined requests in their order', async () => {
      const dispatch = (...[request, reply]: Parameters<typeof echo>) => reply.send(200, TEXT, request.path);
      await withServer({ adapter, dispatch }, async ({ port }) => {
        const { text, statuses } = await talk(port, ['/1', '/2', '/3', '/4', '/5'].map((path) => get(path)).join(''), {
          answers: 5,
        });
        assert.deepEqual(statuses, [200, 200, 200, 200, 200]);
        assert.match(text, /\/1HTTP.*\/2HTTP.*\/3HTTP.*\/4HTTP.*\/5$/s);
      });
    });

    it(`the server (${adapter}) never runs a request behind one whose answer closes the connection`, async () => {
      const dispatch = (...[request, reply]: Parameters<typeof echo>) =>
        reply.send(200, TEXT, request.path, { close: request.path === '/close' });
      await withServer({ adapter, dispatch }, async ({ port, dispatched }) => {
        for (const first of [get('/close'), get('/asked', 'Connection: close')]) {
          const answer = await talk(port, first + get('/behind'), { answers: 2 });
          assert.equal(answer.closed, true);
          assert.ok(answer.statuses.length <= 1);
        }
        assert.equal(dispatched.filter((path) => path === '/behind').length, 0);
        const alone = await talk(port, get('/close'));
        assert.deepEqual([alone.statuses, alone.closed], [[200], true]);
        assert.match(alone.text, /connection: close\r\n/i);
      });
    });
  });

  describe(`bodies (${adapter})`, () => {
    const LIMIT = 100_000;
    const dispatch = async (...[request, reply]: Parameters<typeof echo>) => {
      const body = await request.readBody(LIMIT);
      const sum = body.reduce((total, byte) => total + byte, 0);
      reply.send(200, TEXT, `${body.length} ${sum}`);
    };
    const head = (framing: string) => `POST / HTTP/1.1\r\nHost: a\r\n${framing}\r\n\r\n`;
    const chunk = (bytes: number) => `${bytes.toString(16)}\r\n${'b'.repeat(bytes)}\r\n`;

    it(`the server (${adapter}) takes a body up to the limit, whichever way it comes`, async () => {
      await withServer({ adapter, dispatch }, async ({ port, server }) => {
        const expected = `${LIMIT} ${LIMIT * 'b'.charCodeAt(0)}`;
        const whole = 'b'.repeat(LIMIT);
        const halves = [head(`Content-Length: ${LIMIT}`) + whole.slice(0, 33_333), whole.slice(33_333)];
        const chunks = [head('Transfer-Encoding: chunked'), ...Array(20).fill(chunk(LIMIT / 20)), '0\r\n\r\n'];
        for (const pieces of [post('/', whole), halves, chunks]) {
          assert.equal(bodyOf((await talk(port, pieces)).text), expected);
        }
        const single = `${head('Transfer-Encoding: chunked')}${chunk(1).repeat(5_000)}0\r\n\r\n`;
        assert.equal(bodyOf((await talk(port, single)).text), `5000 ${5_000 * 98}`);
        assert.equal(bodyOf((await talk(port, post('/', ''))).text), '0 0');
        assert.equal(server.pending, 0);
      });
    });

    it('answers 413 and ends the connection one byte past the limit, before the body when its length is announced', async () => {
      await withServer({ adapter, dispatch }, async ({ port, logged, server }) => {
        const announced = new RawClient(port);
        announced.send(head(`Content-Length: ${LIMIT + 1}`));
        assert.ok(await announced.until(() => /bodyTooLarge -$/.test(announced.text)), announced.text);
        assert.match(announced.text, /^HTTP\/1\.1 413 [\s\S]*\r\nconnection: close\r\n/i);
        announced.end();
        const lying = await talk(port, head('Content-Length: 999999999999'));
        const streamed = await talk(port, [
          head('Transfer-Encoding: chunked'),
          ...Array(5).fill(chunk(LIMIT / 5)),
          chunk(1),
        ]);
        for (const answer of [lying, streamed]) {
          assert.deepEqual([answer.statuses, answer.closed], [[413], true]);
          assert.match(answer.text, /bodyTooLarge -$/);
        }
        await until('nothing is pending', () => server.pending === 0);
        assert.deepEqual(logged, []);
      });
    });

    it(`the server (${adapter}) leaves the refusal of a large body to a caller that asks for it`, async () => {
      const judge = async (...[request, reply]: Parameters<typeof echo>) => {
        const body = request.readBody(LIMIT, 'caller');
        body.catch(() => {});
        await delay(50);
        const name = await body.then(String, (error: Error) => error.name);
        reply.send(401, TEXT, name, { close: true });
      };
      await withServer({ adapter, dispatch: judge }, async ({ port, server }) => {
        const announced = await talk(port, head('Content-Length: 999999999999'));
        const streamed = await talk(port, [head('Transfer-Encoding: chunked'), chunk(LIMIT), chunk(1)]);
        for (const answer of [announced, streamed]) {
          assert.deepEqual([answer.statuses, answer.closed], [[401], true]);
          assert.match(answer.text, /BodyTooLarge$/);
        }
        await until('nothing is pending', () => server.pending === 0);
      });
    });

    it(`the server (${adapter}) lets a refused body run out, so that a client that sends it whole still reads the reason`, async () => {
      const lingeringBodyBytes = 40 * LIMIT;
      await withServer({ adapter, dispatch, limits: { lingeringBodyBytes } }, async ({ port, server }) => {
        const client = new RawClient(port);
        // Reads nothing until the last byte is out: a connection closed before that would be reset, the answer lost.
        client.socket.pause();
        client.send(head(`Content-Length: ${lingeringBodyBytes}`));
        for (let i = 0; i < 40; i++) {
          client.send('x'.repeat(LIMIT));
          await turn();
        }
        assert.ok(await client.until(() => client.socket.writableLength === 0));
        assert.equal(client.closed, false);
        client.socket.resume();
        assert.ok(await client.until(() => client.text.endsWith('bodyTooLarge -')), client.text);
        client.end();
        const larger = await talk(port, head(`Content-Length: ${lingeringBodyBytes + 1}`));
        assert.deepEqual([larger.statuses, larger.closed], [[413], true]);
        await until('nothing is pending', () => server.pending === 0);
      });
    });

    it('answers 503 when the process receives more bodies than it may', async () => {
      await withServer({ adapter, dispatch, limits: { bufferedBodyBytes: 20_000 } }, async ({ port }) => {
        const first = new RawClient(port);
        first.send(`${head('Content-Length: 50000')}${'b'.repeat(16_000)}`);
        await first.until(() => false, 50);
        const second = new RawClient(port);
        second.send(`${head('Content-Length: 50000')}${'b'.repeat(4_000)}`);
        second.send('b'.repeat(10_000));
        assert.ok(
          await second.until(() => /^HTTP\/1\.1 503 [\s\S]*\r\nconnection: close\r\n/i.test(second.text)),
          second.text,
        );
        second.end();
        first.end();
        await first.until(() => false, 50);
        const third = await talk(port, [`${head('Content-Length: 14000')}${'b'.repeat(4_000)}`, 'b'.repeat(10_000)]);
        assert.deepEqual(third.statuses, [200], 'what an aborted body held was not given back');
      });
    });

    it(`the server (${adapter}) lets a small unread body run out, ends the connection after a large one and cuts a huge one off`, async () => {
      const ignoring = (...[, reply]: Parameters<typeof echo>) => reply.send(404, TEXT, 'none');
      await withServer({ adapter, dispatch: ignoring }, async ({ port }) => {
        const small = await talk(port, post('/', 'x'.repeat(1_000)) + get('/'), { answers: 2 });
        assert.deepEqual([small.statuses, small.closed], [[404, 404], false]);
        const large = new RawClient(port);
        large.send(head('Content-Length: 1000000'));
        assert.ok(
          await large.until(() => /^HTTP\/1\.1 404 [\s\S]*\r\nconnection: close\r\n[\s\S]*none$/i.test(large.text)),
          large.text,
        );
        large.end();
        const huge = await talk(port, head('Content-Length: 100000000'));
        assert.deepEqual([huge.statuses, huge.closed], [[404], true]);
      });
    });

    it(`the server (${adapter}) refuses to read a body in a later turn, or twice`, async () => {
      const late = async (...[request, reply]: Parameters<typeof echo>) => {
        if (request.path === '/twice') await request.readBody(LIMIT);
        else await new Promise(setImmediate);
        const error = await request.readBody(LIMIT).catch((reason: Error) => reason.message);
        reply.send(200, TEXT, `${error}`);
      };
      await withServer({ adapter, dispatch: late }, async ({ port }) => {
        for (const path of ['/twice', '/late']) {
          assert.match((await talk(port, post(path, 'abc'))).text, /once, in the turn of the dispatch$/);
        }
      });
    });
  });

  describe(`answers (${adapter})`, () => {
    it(`the server (${adapter}) sends HEAD, 204 and 304 without a body and goes on with the connection`, async () => {
      const dispatch = (...[request, reply]: Parameters<typeof echo>) =>
        reply.send(request.path === '/204' ? 204 : request.path === '/304' ? 304 : 200, TEXT, '1234567');
      await withServer({ adapter, dispatch }, async ({ port }) => {
        for (const path of ['HEAD /', 'GET /204', 'GET /304']) {
          const request = `${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
          const { text, statuses, closed } = await talk(port, [request, get('/')], { answers: 2 });
          assert.equal(statuses.length, 2);
          assert.equal(text.match(/1234567/g)?.length, 1);
          assert.equal(closed, false);
          const firstHead = text.slice(0, text.indexOf('\r\n\r\n'));
          assert.equal(/content-length: 7/i.test(firstHead), path === 'HEAD /');
          assert.equal(/content-length/i.test(firstHead), path === 'HEAD /');
        }
        const closing = await talk(port, 'HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
        assert.deepEqual([closing.statuses, closing.closed], [[200], true]);
      });
    });

    it(`the server (${adapter}) says no length in an answer to HEAD of a stream, and goes on with the connection`, async () => {
      const dispatch = (...[request, reply]: Parameters<typeof echo>) => {
        if (request.method === 'HEAD') reply.openStream(200, TEXT).close();
        else reply.send(200, TEXT, '1234567');
      };
      await withServer({ adapter, dispatch }, async ({ port }) => {
        const { text, statuses } = await talk(port, ['HEAD / HTTP/1.1\r\nHost: a\r\n\r\n', get('/')], { answers: 2 });
        assert.deepEqual(statuses, [200, 200]);
        assert.doesNotMatch(text.slice(0, text.indexOf('\r\n\r\n')), /content-length/i);
        assert.match(text, /1234567$/);
      });
    });

    it(`the server (${adapter}) sends text as UTF-8 and header values as latin1`, async () => {
      const dispatch = (...[, reply]: Parameters<typeof echo>) => reply.send(200, [['x-name', 'J\xe9r\xf4me']], 'né ✓');
      await withServer({ adapter, dispatch }, async ({ port }) => {
        const { text } = await talk(port, get('/'));
        assert.match(text, /x-name: J\xe9r\xf4me\r\n/);
        assert.match(text, /content-length: 7\r\n/i);
        assert.equal(Buffer.from(bodyOf(text), 'latin1').toString(), 'né ✓');
      });
    });

    it(`the server (${adapter}) refuses a header that would split or frame the response, and answers 500 instead`, async () => {
      const headers: readonly (readonly [string, string])[] = [
        ['x-a', 'b\r\nset-cookie: c'],
        ['x-a', 'b\nc'],
        ['x-a', 'b\0'],
        ['x-a', '✓'],
        ['x-a\r\nx-b', 'c'],
        ['x a', 'b'],
        ['', 'b'],
        ['Content-Length', '0'],
        ['transfer-encoding', 'chunked'],
        ['Connection', 'close'],
      ];
      const dispatch = (...[request, reply]: Parameters<typeof echo>) =>
        reply.send(200, [headers[Number(request.query)]!], 'sent');
      await withServer({ adapter, dispatch }, async ({ port }) => {
        for (const i of headers.keys()) {
          const { text, statuses } = await talk(port, get(`/?${i}`));
          assert.deepEqual(statuses, [500], JSON.stringify(headers[i]));
          assert.equal(bodyOf(text), 'unhandled');
        }
      });
    });

    it('adds the headers of every answer to those of handlers, streams and its own refusals', async () => {
      const answering: Dispatch = async (request, reply) => {
        if (request.path === '/stream') return reply.openStream(200, [['content-type', 'text/event-stream']]).close();
        if (request.path === '/throws') throw new Error('a defect');
        if (request.path === '/late') return new Promise(() => {});
        await request.readBody(10);
        reply.send(200, [['x-own', 'a']], 'ok');
      };
      const headersForAll = (request: IncomingRequest) => [['x-all', request.header('x-asked') ?? 'none']] as const;
      const limits = { requestDeadlineMs: 300, requestScanMs: 50 };
      await withServer({ adapter, dispatch: answering, headersForAll, limits }, async ({ port }) => {
        const asked = 'X-Asked: yes';
        const requests = {
          200: get('/', asked),
          411: `POST / HTTP/1.1\r\nHost: a\r\n${asked}\r\n\r\n`,
          413: post('/', 'x'.repeat(11), asked),
          414: get(`/${'a'.repeat(4_096)}`, asked),
          431: get('/', `X-Big: ${'b'.repeat(8_200)}`, asked),
          500: get('/throws', asked),
          503: get('/late', asked),
        };
        for (const [status, bytes] of Object.entries(requests)) {
          const answer = await talk(port, bytes);
          assert.deepEqual(answer.statuses, [Number(status)]);
          assert.match(answer.text, /\r\nx-all: yes\r\n/i, status);
        }
        assert.match((await talk(port, get('/'))).text, /\r\nx-own: a\r\nx-all: none\r\n/i);
        assert.match((await talk(port, get('/stream', asked))).text, /\r\nx-all: yes\r\n/i);
      });
    });

    it(`the server (${adapter}) sends a large body whole to a slow reader`, async () => {
      const body = Buffer.from(Array.from({ length: 1_000_000 }, (_, i) => `${i}\n`).join(''));
      const dispatch = (...[request, reply]: Parameters<typeof echo>) =>
        reply.send(200, TEXT, request.path === '/text' ? body.toString() : body, { close: request.path === '/close' });
      await withServer({ adapter, dispatch }, async ({ port, server }) => {
        for (const path of ['/text', '/bytes', '/close']) {
          const client = new RawClient(port);
          client.send(get(path));
          client.socket.pause();
          await client.until(() => false, 100);
          client.socket.resume();
          await client.until(() => client.closed || client.receivedBytes > body.length + 50);
          client.end();
          assert.match(client.text, new RegExp(`content-length: ${body.length}\\r\\n`, 'i'));
          assert.ok(bodyOf(client.text) === body.toString('latin1'), `the body of ${path} was damaged`);
          assert.equal(server.pending, 0);
        }
      });
    });
  });
}
