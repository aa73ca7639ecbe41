import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Dispatch } from '../../../gateway/http/port.ts';
import {
  CHUNK_CASES,
  CHUNK_ENDS,
  type FramingCase,
  HEADER_CASES,
  HIDDEN,
  LENGTH_CASES,
  NAME_MARKS,
  REQUEST_LINE_CASES,
} from './framing-cases.ts';
import { ADAPTERS, type Adapter, withServer } from './http-fixture.ts';
import { get, post, type RawAnswer, RawClient, talk } from './raw-client.ts';

/** Where a parser leaves RFC 9112. */
interface Parser {
  /**
   * Accepted though wrong, because the parser does not show it. Behind a proxy none of them arrives; see
   * docs/internals/http-adapter.md.
   */
  readonly accepts: readonly string[];
  /** The list is that of a build: one that refuses more fails here too, and its list gets shorter. */
  readonly isExact: boolean;
  /** Names and numbers of headers that it leaves without an answer. */
  readonly silentMarks: readonly string[];
  readonly silentCounts: readonly number[];
}

const OF_EVERY_BINARY = [
  // An empty name ends the list of headers for the binary too, so what stands behind it is unseen.
  'an empty name',
  // Defects inside a chunked body: the binary skips the two bytes behind a chunk. REQUIRE_CONTENT_LENGTH refuses all.
  'a chunk longer than its size',
  'a chunk without its line end',
  'a chunk size that ends without CR',
  'a chunk that ends with other characters',
];
const OF_NEWER_BINARIES = [...OF_EVERY_BINARY, 'an empty chunk size', 'a space before the chunk size'];
const NEWER = { accepts: OF_NEWER_BINARIES, isExact: true, silentMarks: [], silentCounts: [] };
/** The binaries of Node 20, 22 and 24, by `process.versions.modules`. */
const BINARIES: Readonly<Record<string, Parser>> = {
  '115': { accepts: OF_EVERY_BINARY, isExact: true, silentMarks: NAME_MARKS, silentCounts: [99, 150] },
  '127': NEWER,
  '137': NEWER,
};
const PARSERS: Readonly<Record<Adapter, Parser>> = {
  uws: BINARIES[process.versions.modules] ?? { ...NEWER, isExact: false },
  node: {
    accepts: [
      // llhttp takes any number of spaces there.
      'two spaces before the target',
      'two spaces before the version',
      // It finds the defect behind a chunk at about the time at which the handler answers.
      'a chunk longer than its size',
      'a chunk without its line end',
      'a chunk that ends with other characters',
    ],
    isExact: false,
    silentMarks: [],
    silentCounts: [],
  },
};

/** How long a connection must be left without a word to count as refused. */
const SILENCE_MS = 1_000;

/** Cases answered by anything but a refusal: a 4xx, a 5xx of the parser, or a connection closed or left without a word. */
async function listAccepted(port: number, cases: readonly FramingCase[], known: readonly string[]): Promise<string[]> {
  const patienceFor = (name: string) => (known.includes(name) ? {} : { quietMs: SILENCE_MS });
  const answers = await Promise.all(
    cases.map(async ({ name, bytes }) => ({ name, ...(await talk(port, bytes, patienceFor(name))) })),
  );
  return answers.filter(({ statuses }) => statuses.some((status) => status < 400)).map(({ name }) => name);
}

/** Nobody knows which of these another build answers. */
function assertNoServerError(answers: readonly RawAnswer[]): void {
  for (const { statuses } of answers) assert.ok(statuses.every((status) => status < 500));
}

for (const adapter of ADAPTERS) {
  describe(`framing (${adapter})`, () => {
    const parser = PARSERS[adapter];
    const isUnknown = adapter === 'uws' && !parser.isExact;
    const groups = { REQUEST_LINE_CASES, HEADER_CASES, LENGTH_CASES, CHUNK_CASES };
    for (const [group, cases] of Object.entries(groups)) {
      it(`the server (${adapter}) refuses what RFC 9112 has refused: ${group.toLowerCase().replaceAll('_', ' ')}`, async () => {
        await withServer({ adapter }, async ({ port, dispatched }) => {
          const known = cases.filter(({ name }) => parser.accepts.includes(name)).map(({ name }) => name);
          const accepted = await listAccepted(port, cases, parser.isExact ? known : []);
          if (parser.isExact) assert.deepEqual(accepted, known);
          else
            assert.deepEqual(
              accepted.filter((name) => !known.includes(name)),
              [],
            );
          assert.ok(!dispatched.includes('/hidden'), 'a body was run as a request');
        });
      });
    }

    it('answers what it refuses for its size with the status that says so, and closes', async () => {
      await withServer({ adapter }, async ({ port, dispatched }) => {
        const refused = {
          411: 'POST / HTTP/1.1\r\nHost: a\r\nX-Request-Id: r1\r\n\r\n',
          414: get(`/${'a'.repeat(4_096)}`, 'X-Request-Id: r1'),
          431: get('/', `X-Big: ${'b'.repeat(8_200)}`, 'X-Request-Id: r1'),
        };
        for (const [status, bytes] of Object.entries(refused)) {
          const answer = await talk(port, bytes);
          assert.deepEqual({ ...answer, text: '' }, { text: '', statuses: [Number(status)], closed: true });
          assert.match(answer.text, /connection: close\r\n/i);
          assert.match(answer.text, /\r\n\r\n(lengthRequired|urlTooLong|headersTooLarge) r1$/);
        }
        assert.deepEqual(dispatched, []);
      });
    });

    it(`the server (${adapter}) refuses every chunked body when a length is required`, async () => {
      await withServer({ adapter, requireContentLength: true }, async ({ port, dispatched }) => {
        const chunked = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n';
        const head = chunked.slice(0, chunked.indexOf('3\r\nabc'));
        assert.deepEqual((await talk(port, head)).statuses, [411]);
        for (const { bytes } of CHUNK_CASES) {
          const { statuses } = await talk(port, bytes, { quietMs: SILENCE_MS });
          assert.equal(statuses.includes(200), false);
        }
        assert.deepEqual(dispatched, []);
        assert.deepEqual((await talk(port, post('/', 'abc'))).statuses, [200]);
      });
    });

    it(`the server (${adapter}) never executes a request that it refuses for what stands behind its body`, async () => {
      let executed: string[] = [];
      const dispatch: Dispatch = async (request, reply) => {
        executed.push((await request.readBody(100)).toString());
        // The work goes on for a while, and an answer to something else must not take its place.
        await delay(50);
        reply.send(200, [], '');
      };
      await withServer({ adapter, dispatch }, async ({ port }) => {
        for (const { name, packets } of CHUNK_ENDS) {
          executed = [];
          const { statuses } = await talk(port, packets);
          assert.deepEqual(executed, statuses[0] === 200 ? ['abc'] : [], `${name}: ${statuses.join(', ')}`);
        }
      });
    });

    it(`the server (${adapter}) keeps the connection after a chunked body`, async () => {
      await withServer({ adapter }, async ({ port, dispatched }) => {
        const chunked = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n';
        const client = new RawClient(port);
        for (const [i, request] of [chunked, chunked, get('/next')].entries()) {
          client.send(request);
          assert.ok(await client.until(() => client.answer().statuses.length > i));
        }
        client.end();
        assert.deepEqual(client.answer().statuses, [200, 200, 200]);
        assert.deepEqual(dispatched, ['/', '/', '/next']);
      });
    });

    it(`the server (${adapter}) serves every header name of RFC 9110, but those that its parser leaves without an answer`, async () => {
      await withServer({ adapter }, async ({ port }) => {
        const answers = await Promise.all(
          NAME_MARKS.map((mark) => talk(port, get('/', `X${mark}A: b`), { quietMs: SILENCE_MS })),
        );
        const silent = NAME_MARKS.filter((_mark, i) => answers[i]!.statuses.length === 0);
        if (isUnknown) return assertNoServerError(answers);
        for (const { statuses } of answers) assert.ok(statuses.every((status) => status === 200));
        assert.deepEqual(silent, parser.silentMarks);
      });
    });

    it('answers many headers with 431, up to where its parser gives up', async () => {
      await withServer({ adapter }, async ({ port }) => {
        const counts = [65, 98, 99, 150];
        const names = (count: number) => Array.from({ length: count - 1 }, (_, i) => `X-${i}: a`);
        const answers = await Promise.all(
          counts.map((count) => talk(port, get('/', ...names(count)), { quietMs: SILENCE_MS })),
        );
        const silent = counts.filter((_count, i) => answers[i]!.statuses.length === 0);
        if (isUnknown) return assertNoServerError(answers);
        for (const { statuses } of answers) assert.ok(statuses.every((status) => status === 431));
        assert.deepEqual(silent, parser.silentCounts);
      });
    });

    it(`the server (${adapter}) reads requests that arrive in pieces`, async () => {
      await withServer({ adapter }, async ({ port }) => {
        await talk(port, post('/', 'x'.repeat(900)));
        const request = post('/a?b=c', 'hello', 'X-A: b');
        // A packet that ends within the request line may be answered 505 by the binary, which reads on behind its end:
        // a proxy sends the head in one piece.
        const first = adapter === 'uws' ? request.indexOf('\r\n') + 2 : 1;
        const cuts = Array.from({ length: request.length - first }, (_, i) => first + i);
        const answers = await Promise.all(cuts.map((at) => talk(port, [request.slice(0, at), request.slice(at)])));
        for (const answer of answers) {
          assert.deepEqual(answer.statuses, [200]);
          assert.match(answer.text, /"query":"b=c".*"body":"hello"/);
        }
      });
    });

    it(`the server (${adapter}) runs the request behind a well-framed body, and never one inside it`, async () => {
      await withServer({ adapter }, async ({ port, dispatched }) => {
        const answer = await talk(port, [post('/outer', HIDDEN), get('/next'), get('/last')], { answers: 3 });
        assert.deepEqual(answer.statuses, [200, 200, 200]);
        assert.deepEqual(dispatched, ['/outer', '/next', '/last']);
      });
    });
  });
}
