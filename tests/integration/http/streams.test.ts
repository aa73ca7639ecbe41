import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { ReplyStream, StreamEnd } from '../../../gateway/http/port.ts';
import { ADAPTERS, type echo, withServer } from './http-fixture.ts';
import { get, RawClient } from './raw-client.ts';

const EVENT_STREAM = [['content-type', 'text/event-stream']] as const;
const MIB = 1_048_576;

/** Streams opened through a server, with how each ended. */
function collectStreams() {
  const streams = new Map<string, ReplyStream>();
  const ends = new Map<string, StreamEnd>();
  const dispatch = (...[request, reply]: Parameters<typeof echo>) => {
    const stream = reply.openStream(200, EVENT_STREAM);
    stream.onClose((reason) => ends.set(request.path, reason));
    streams.set(request.path, stream);
  };
  return { streams, ends, dispatch };
}

async function open(port: number, path: string): Promise<RawClient> {
  const client = new RawClient(port);
  client.send(get(path));
  assert.ok(await client.until(() => client.text.includes('\r\n\r\n')), 'the head did not arrive at once');
  return client;
}

/** Writes until the connection takes no more, or is cut: a busy machine may take longer than a stall may last. */
async function fill(stream: ReplyStream, hasEnded: () => boolean = () => false): Promise<void> {
  while (!hasEnded() && stream.queuedBytes === 0) {
    while (!hasEnded() && stream.queuedBytes < 100_000) stream.write(`: ${'x'.repeat(4_000)}\n\n`);
    await delay(20);
  }
}

/** The events as a client reads them, without chunk framing and comments. */
const eventsOf = (text: string): string[] => [...text.matchAll(/data: (\d+)/g)].map((match) => match[1]!);

for (const adapter of ADAPTERS) {
  describe(`streams (${adapter})`, () => {
    it(`the server (${adapter}) sends the head at once, events in order, and ends cleanly`, async () => {
      const { streams, ends, dispatch } = collectStreams();
      await withServer({ adapter, dispatch }, async ({ port, server }) => {
        const client = await open(port, '/a');
        assert.match(client.text, /^HTTP\/1.1 200 OK\r\n/);
        assert.match(client.text, /transfer-encoding: chunked/i);
        assert.deepEqual([server.streams, server.pending], [1, 0]);
        for (let i = 0; i < 100; i++) streams.get('/a')?.write(`data: ${i}\n\n`);
        streams.get('/a')?.close();
        streams.get('/a')?.write('data: 999\n\n');
        assert.ok(await client.until(() => client.text.endsWith('0\r\n\r\n')));
        assert.deepEqual(
          eventsOf(client.text),
          Array.from({ length: 100 }, (_, i) => `${i}`),
        );
        assert.equal(ends.get('/a'), 'server');
        assert.equal(server.streams, 0);
        client.end();
      });
    });

    it(`the server (${adapter}) tells that the client left`, async () => {
      const { ends, streams, dispatch } = collectStreams();
      await withServer({ adapter, dispatch }, async ({ port, server }) => {
        const client = await open(port, '/a');
        client.end();
        assert.ok(await client.until(() => ends.has('/a')));
        assert.equal(ends.get('/a'), 'client');
        assert.equal(server.streams, 0);
        streams.get('/a')?.write('data: 1\n\n');
        streams.get('/a')?.close();
      });
    });

    it(`the server (${adapter}) carries one chunk that is larger than the queue to a client that reads`, async () => {
      const { streams, dispatch } = collectStreams();
      await withServer({ adapter, dispatch, limits: { streamQueueBytes: 8 * MIB } }, async ({ port }) => {
        const client = await open(port, '/a');
        streams.get('/a')?.write(`data: ${'é'.repeat(MIB)}\n\n`);
        assert.ok(await client.until(() => client.receivedBytes > 2 * MIB));
        const text = client.text.replaceAll(/\r\n[0-9a-f]+\r\n/g, '');
        assert.equal(text.match(/\xc3\xa9/g)?.length, MIB);
        client.end();
      });
    });

    it(`the server (${adapter}) delivers everything to a client that pauses, the tail included, without a further write`, async () => {
      const { streams, ends, dispatch } = collectStreams();
      await withServer({ adapter, dispatch }, async ({ port }) => {
        const client = await open(port, '/a');
        client.socket.pause();
        const stream = streams.get('/a')!;
        let written = 0;
        while (stream.queuedBytes < 50_000) stream.write(`data: ${written++}\n${':'.repeat(1_000)}\n\n`);
        await client.until(() => false, 50);
        client.socket.resume();
        const last = `data: ${written - 1}\n`;
        assert.ok(await client.until(() => client.socket.bytesRead > written * 1_000), 'the tail did not arrive');
        await client.until(() => client.text.slice(-5_000).includes(last));
        assert.deepEqual(
          eventsOf(client.text),
          Array.from({ length: written }, (_, i) => `${i}`),
        );
        assert.equal(stream.queuedBytes, 0);
        assert.equal(ends.has('/a'), false);
        client.end();
      });
    });

    it(`the server (${adapter}) hands a shared piece larger than the queue limit to an idle stream, whole and in its place`, async () => {
      const { streams, ends, dispatch } = collectStreams();
      await withServer({ adapter, dispatch }, async ({ port }) => {
        const clients = [await open(port, '/a'), await open(port, '/b')];
        const shared = Buffer.from(`data: 2\n${`: ${'x'.repeat(1_000)}\n`.repeat(8_000)}\n`);
        clients[1]!.socket.pause();
        for (const path of ['/a', '/b']) {
          const stream = streams.get(path)!;
          stream.write('data: 1\n\n');
          assert.equal(stream.isIdle, true);
          stream.writeShared(shared);
          stream.write('data: 3\n\n');
        }
        const slow = streams.get('/b')!;
        assert.equal(slow.isIdle, false);
        assert.throws(() => slow.writeShared(shared), /idle/);
        clients[1]!.socket.resume();
        for (const client of clients) {
          assert.ok(await client.until(() => client.text.includes('data: 3')), 'the tail did not arrive');
          assert.deepEqual(eventsOf(client.text), ['1', '2', '3']);
        }
        assert.equal(ends.size, 0);
        for (const client of clients) client.end();
      });
    });

    it(`the server (${adapter}) cuts a client that reads nothing, in bounded memory, while another goes on`, async () => {
      const { streams, ends, dispatch } = collectStreams();
      await withServer({ adapter, dispatch }, async ({ port, server }) => {
        const slow = await open(port, '/slow');
        const healthy = await open(port, '/healthy');
        slow.socket.pause();
        const event = `data: 1\n${`: ${'x'.repeat(1_000)}\n`}\n`;
        let mostQueued = 0;
        const before = process.memoryUsage().rss;
        for (let i = 0; i < 40_000; i++) {
          for (const stream of streams.values()) stream.write(event);
          mostQueued = Math.max(mostQueued, streams.get('/slow')!.queuedBytes);
          if (i % 100 === 0) await new Promise(setImmediate);
        }
        assert.equal(ends.get('/slow'), 'slow');
        assert.ok(mostQueued > 200_000 && mostQueued <= 262_144, `${mostQueued} bytes were queued`);
        assert.equal(ends.has('/healthy'), false);
        assert.ok(await healthy.until(() => healthy.receivedBytes >= 40_000 * event.length));
        assert.equal(server.streams, 1);
        // The healthy client's 40 MB are kept by this test; what the slow one was not sent must not be.
        const grown = process.memoryUsage().rss - before;
        assert.ok(grown < 90 * MIB, `memory grew by ${Math.round(grown / MIB)} MiB`);
        healthy.end();
        slow.end();
      });
    });

    it(`the server (${adapter}) cuts a client that takes a shared piece drop by drop`, async () => {
      const { streams, ends, dispatch } = collectStreams();
      // It never stalls for as long as a stall may last: only how long it holds the piece can end it.
      const limits = { sharedPieceMs: 300, streamStallMs: 60_000, requestScanMs: 50 };
      await withServer({ adapter, dispatch, limits }, async ({ port, server }) => {
        const client = await open(port, '/a');
        client.socket.pause();
        // One read at a time, of 64 KiB at most, however fast the machine.
        client.socket.on('data', () => client.socket.pause());
        const tap = setInterval(() => client.socket.resume(), 20);
        streams.get('/a')!.writeShared(Buffer.alloc(64 * MIB, ':'));
        const isCut = await client.until(() => server.streams === 0);
        clearInterval(tap);
        assert.ok(isCut, 'it still has the piece');
        assert.equal(ends.get('/a'), 'slow');
        assert.ok(client.receivedBytes < 64 * MIB, 'it was cut before it had taken it');
        client.end();
      });
    });

    it(`the server (${adapter}) reports when the connection has taken every written byte, and reports nothing after the end`, async () => {
      const { streams, dispatch } = collectStreams();
      await withServer({ adapter, dispatch }, async ({ port }) => {
        const client = await open(port, '/a');
        const stream = streams.get('/a')!;
        let told = 0;
        stream.onIdle(() => (told += 1));
        assert.equal(told, 1, 'at once when it is idle');
        client.socket.pause();
        await fill(stream);
        stream.onIdle(() => (told += 1));
        assert.throws(() => stream.onIdle(() => {}), /one idle listener/);
        await delay(20);
        assert.equal(told, 1);
        client.socket.resume();
        assert.ok(await client.until(() => told === 2), 'it was never told');
        assert.deepEqual([stream.isIdle, stream.queuedBytes], [true, 0]);
        client.socket.pause();
        await fill(stream);
        stream.onIdle(() => (told += 1));
        stream.abort();
        stream.onIdle(() => (told += 1));
        client.end();
        await delay(20);
        assert.equal(told, 2);
      });
    });

    it(`the server (${adapter}) takes bytes as they are, those beyond one cork in several`, async () => {
      const { streams, dispatch } = collectStreams();
      await withServer({ adapter, dispatch }, async ({ port }) => {
        const client = await open(port, '/a');
        const stream = streams.get('/a')!;
        stream.write(Buffer.from('data: 1\n\n'));
        stream.write(Buffer.from(`data: 2\n${`: ${'x'.repeat(1_000)}\n`.repeat(50)}\n`));
        stream.write('data: 3\n\n');
        assert.ok(await client.until(() => client.text.includes('data: 3')));
        assert.deepEqual(eventsOf(client.text), ['1', '2', '3']);
        client.end();
      });
    });

    it(`the server (${adapter}) cuts a stalled client by time, also one that is being closed`, async () => {
      const { streams, ends, dispatch } = collectStreams();
      const limits = { streamStallMs: 400, requestScanMs: 50 };
      await withServer({ adapter, dispatch, limits }, async ({ port, server }) => {
        const clients = [await open(port, '/stalled'), await open(port, '/closing')];
        for (const client of clients) client.socket.pause();
        for (const [path, stream] of streams) await fill(stream, () => ends.has(path));
        streams.get('/closing')?.close();
        assert.ok(await clients[0]!.until(() => server.streams === 0));
        assert.deepEqual([...ends.values()], ['slow', 'slow']);
        for (const client of clients) client.end();
      });
    });
  });
}
