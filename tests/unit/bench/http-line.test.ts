import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { textOf } from '../../../bench/load/http-line.ts';
import { HttpPool } from '../../../bench/load/http-pool.ts';

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

async function withServer(answer: Answer, use: (ask: Ask, server: Server) => Promise<void>): Promise<void> {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    answer(request, response, body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const pool = new HttpPool(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`), 1);
  try {
    await use(async (path, body) => {
      const answered = await pool.ask({ method: 'POST', path, headers: {}, body });
      return `${answered.status} ${textOf(answered)}`;
    }, server);
  } finally {
    pool.close();
    server.closeAllConnections();
    server.close();
  }
}

type Ask = (path: string, body: string) => Promise<string>;

function echo(_request: IncomingMessage, response: ServerResponse, body: string): void {
  response.setHeader('content-length', Buffer.byteLength(body));
  response.end(body);
}

test('requests of many callers share a connection, and each gets its own answer of any length', async () => {
  await withServer(echo, async (ask, server) => {
    let connections = 0;
    server.on('connection', () => {
      connections += 1;
    });
    const bodies = ['"ü"', '"one"', JSON.stringify('long '.repeat(100_000)), '"last"'];
    const answers = await Promise.all(bodies.map((body) => ask('/', body)));
    assert.deepEqual(
      answers,
      bodies.map((body) => `200 ${body}`),
    );
    assert.equal(connections, 1);
  });
});

test('a connection that the server has closed, by header or when it was idle, is opened again', async () => {
  const closing: Answer = (request, response, body) => {
    if (request.url === '/close') response.setHeader('connection', 'close');
    echo(request, response, body);
  };
  await withServer(closing, async (ask, server) => {
    assert.equal(await ask('/close', '1'), '200 1');
    assert.equal(await ask('/', '2'), '200 2');
    server.closeAllConnections();
    assert.equal(await ask('/', '3'), '200 3');
  });
});

test('a request is sent once more when a kept connection dies under it, and then it fails', async () => {
  let received = 0;
  const dying: Answer = (request, response, body) => {
    if (request.url !== '/die') return echo(request, response, body);
    received += 1;
    request.socket.destroy();
  };
  await withServer(dying, async (ask) => {
    assert.equal(await ask('/', '1'), '200 1');
    await assert.rejects(ask('/die', '2'));
    assert.equal(received, 2);
    assert.equal(await ask('/', '3'), '200 3');
    await assert.rejects(ask('/die', '4'));
    await assert.rejects(ask('/die', '5'), 'on a new connection it is sent once');
    assert.equal(received, 5);
  });
});

test('an answer that comes in pieces is put together, and one that breaks off is a failure', async () => {
  const server = createTcpServer((socket: Socket) => {
    socket.on('error', () => {});
    socket.on('data', async () => {
      for (const piece of ['HTTP/1.1 202 Acc', 'epted\r\nContent-Le', 'ngth: 6\r\n\r\nab', 'cd']) {
        socket.write(piece);
        await delay(5);
      }
      if (whole) socket.write('ef');
      else socket.destroy();
    });
  });
  let whole = true;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const pool = new HttpPool(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`), 1);
  try {
    const answer = await pool.ask({ method: 'POST', path: '/', headers: {}, body: '1' });
    assert.equal(answer.status, 202);
    assert.equal(answer.body, 'abcdef');
    whole = false;
    await assert.rejects(pool.ask({ method: 'POST', path: '/', headers: {}, body: '2' }));
  } finally {
    pool.close();
    server.close();
  }
});
