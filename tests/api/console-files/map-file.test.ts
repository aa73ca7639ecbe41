import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, renameSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ConfigError } from '../../../engine/runtime/config.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { ApiHeaders } from '../../support/api-client.ts';
import { startTestGateway } from '../../support/system/gateway.ts';
import { mapFileOf } from '../../support/tiles/map-file.ts';
import { until } from '../../support/until.ts';
import { type ApiFixture, useGateway } from '../api-fixture.ts';

const PATH = '/console/map.pmtiles';
const GIB = 2 ** 30;
const MOST = LIMITS.mapAnswerBytes;

const folder = mkdtempSync(join(tmpdir(), 'map-'));
after(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'served.pmtiles');
const SMALL = mapFileOf({
  tiles: [{ z: 0, x: 0, y: 0, data: Buffer.from('A tile of which nobody reads the content') }],
  bounds: [-180, -85, 180, 85],
  maxZoom: 0,
});
const SIZE = SMALL.length;

/** Puts a file in the place of the served one, as an operator does who has a newer one. */
function serve(bytes: Buffer, size = bytes.length): void {
  const next = join(folder, 'next');
  writeFileSync(next, bytes);
  truncateSync(next, size);
  renameSync(next, file);
}
serve(SMALL);

const fixtures = {
  uws: useGateway({ environment: { MAP_PMTILES: file } }),
  node: useGateway({ environment: { MAP_PMTILES: file, HTTP_ADAPTER: 'node' } }),
};
const without = useGateway({ own: 'further gateways try to start at its place' });

/** `range → status, Content-Range, first byte and the one behind the last`. */
const WHOLE = [200, null, 0, SIZE] as const;
const part = (first: number, last: number) => [206, `bytes ${first}-${last}/${SIZE}`, first, last + 1] as const;
const REFUSED = [416, `bytes */${SIZE}`, 0, 0] as const;
const RANGES: readonly (readonly [string | undefined, readonly [number, string | null, number, number]])[] = [
  [undefined, WHOLE],
  ['bytes=0-126', part(0, 126)],
  ['bytes=7-7', part(7, 7)],
  ['BYTES=0-6', part(0, 6)],
  ['bytes= 1-2 ', part(1, 2)],
  ['bytes=100-', part(100, SIZE - 1)],
  ['bytes=0-', part(0, SIZE - 1)],
  [`bytes=${SIZE - 1}-`, part(SIZE - 1, SIZE - 1)],
  ['bytes=-10', part(SIZE - 10, SIZE - 1)],
  ['bytes=-99999', part(0, SIZE - 1)],
  ['bytes=100-99999', part(100, SIZE - 1)],
  [`bytes=0-${'9'.repeat(400)}`, part(0, SIZE - 1)],
  [`bytes=${SIZE}-`, REFUSED],
  [`bytes=${SIZE}-${SIZE + 5}`, REFUSED],
  [`bytes=${'9'.repeat(400)}-`, REFUSED],
  ['bytes=-0', REFUSED],
  ['bytes=5-2', REFUSED],
  ['bytes=0-1,3-4', REFUSED],
  ['bytes=0-1,', REFUSED],
  ['bytes=', REFUSED],
  ['bytes=-', REFUSED],
  ['bytes=a-b', REFUSED],
  ['bytes=0x1-2', REFUSED],
  ['bytes=1.5-2', REFUSED],
  ['bytes=--5', REFUSED],
  // A unit that nobody knows is to be ignored.
  ['tiles=0-1', WHOLE],
  ['0-1', WHOLE],
];

async function ask({ gateway }: ApiFixture, headers: Record<string, string> = {}) {
  const answer = await fetch(gateway.baseUrl + PATH, { headers });
  const { status, headers: got } = answer;
  return { status, got, bytes: Buffer.from(await answer.arrayBuffer()) };
}

/** The same, held to the OpenAPI document, and without a body for HEAD. */
function askRaw({ api }: ApiFixture, headers: ApiHeaders, method = 'GET') {
  return api.raw({ method, path: PATH, headers });
}

for (const [adapter, fixture] of Object.entries(fixtures)) {
  test(`the map file is served by single ranges of bytes, and no others (${adapter})`, async () => {
    serve(SMALL);
    for (const [range, [status, contentRange, from, to]] of RANGES) {
      const { status: answered, got, bytes } = await ask(fixture, range === undefined ? {} : { range });
      assert.deepEqual([answered, got.get('content-range')], [status, contentRange], range);
      assert.equal(got.get('accept-ranges'), 'bytes');
      if (status === 416) {
        const { statusCode, message } = JSON.parse(bytes.toString()) as { statusCode: number; message: string };
        assert.equal(statusCode, 416);
        assert.match(message, /^[A-Z]/);
      } else {
        assert.equal(got.get('content-type'), 'application/vnd.pmtiles');
        assert.deepEqual(bytes, SMALL.subarray(from, to), range);
      }
      const { status: again } = await askRaw(fixture, { range });
      assert.equal(again, status);
    }
    const twice = await askRaw(fixture, { range: ['bytes=0-1', 'bytes=3-4'] as never });
    assert.equal(twice.status, 416);
  });

  test(`an entity tag spares a map file that is the same, and If-Range a part of another one (${adapter})`, async () => {
    serve(SMALL);
    const { got } = await ask(fixture);
    const etag = got.get('etag')!;
    assert.match(etag, /^"[^"]+"$/);
    const range = 'bytes=0-9';
    const cases: readonly (readonly [ApiHeaders, number])[] = [
      [{ 'if-none-match': etag }, 304],
      [{ 'if-none-match': etag, range }, 304],
      [{ 'if-none-match': '*', range: 'bytes=5-2' }, 304],
      [{ 'if-none-match': '"other"', range }, 206],
      [{ 'if-range': etag, range }, 206],
      [{ 'if-range': '"other"', range }, 200],
      [{ 'if-range': `W/${etag}`, range }, 200],
      [{ 'if-range': new Date().toUTCString(), range }, 200],
      [{ 'if-range': '"other"', range: 'bytes=5-2' }, 200],
    ];
    for (const [headers, status] of cases) {
      const answer = await askRaw(fixture, headers);
      assert.equal(answer.status, status, JSON.stringify(headers));
      assert.equal(answer.headers.etag, etag);
      if (status === 304) assert.equal(answer.text, '');
    }
    serve(SMALL);
    utimesSync(file, 0, 1);
    const replaced = await askRaw(fixture, { 'if-range': etag, range });
    assert.equal(replaced.status, 200, 'the file was replaced');
    assert.notEqual(replaced.headers.etag, etag);
  });

  test(`HEAD tells the size of the map file and sends nothing, with a range too (${adapter})`, async () => {
    serve(SMALL);
    for (const range of [undefined, 'bytes=0-9', 'bytes=5-2']) {
      const { status, headers, text } = await askRaw(fixture, { range }, 'HEAD');
      assert.deepEqual([status, headers['content-length'], headers['accept-ranges']], [200, `${SIZE}`, 'bytes']);
      assert.deepEqual([headers['content-range'], text], [undefined, '']);
    }
    const { headers } = await askRaw(fixture, {}, 'HEAD');
    assert.equal((await askRaw(fixture, { 'if-none-match': headers.etag }, 'HEAD')).status, 304);
  });

  test(`of a map file of 100 GiB one answer has 16 MiB at most (${adapter})`, async () => {
    const size = 100 * GIB;
    serve(SMALL, size);
    const cases: readonly (readonly [string | undefined, number, number])[] = [
      [undefined, 416, 0],
      ['bytes=0-', 416, 0],
      [`bytes=0-${MOST}`, 416, 0],
      [`bytes=-${MOST + 1}`, 416, 0],
      [`bytes=0-${MOST - 1}`, 206, MOST],
      [`bytes=-${MOST}`, 206, MOST],
      [`bytes=${size - 5}-`, 206, 5],
    ];
    for (const [range, status, length] of cases) {
      const { status: answered, bytes, got } = await ask(fixture, range === undefined ? {} : { range });
      assert.equal(answered, status, range);
      if (status === 206) assert.equal(bytes.length, length);
      else assert.equal(got.get('content-range'), `bytes */${size}`);
    }
    const { bytes } = await ask(fixture, { range: `bytes=0-${MOST - 1}` });
    assert.deepEqual(bytes.subarray(0, SIZE), SMALL);
    const head = await askRaw(fixture, {}, 'HEAD');
    assert.equal(head.status, 416);
  });

  test(`a map file that is cut off while it is sent ends that answer and nothing else (${adapter})`, async () => {
    serve(SMALL, GIB);
    const broken = new Promise<unknown>((resolve, reject) => {
      const outgoing = get(
        fixture.gateway.baseUrl + PATH,
        { headers: { range: `bytes=0-${MOST - 1}` } },
        (incoming) => {
          incoming.on('error', resolve);
          incoming.on('end', () => reject(new Error('it looks like the whole')));
          // Nothing is read until the file is shorter than what the sockets hold.
          truncateSync(file, SIZE);
          incoming.resume();
        },
      );
      outgoing.on('error', reject);
    });
    assert.ok((await broken) instanceof Error);
    rmSync(file);
    const gone = await askRaw(fixture, { range: 'bytes=0-9' });
    assert.deepEqual([gone.status, gone.body.code], [503, 'UNAVAILABLE']);
    mkdirSync(file);
    assert.equal((await askRaw(fixture, { range: 'bytes=0-9' })).status, 503, 'a folder');
    rmSync(file, { recursive: true });
    serve(SMALL);
    await until('the file is served again', async () => (await askRaw(fixture, { range: 'bytes=0-9' })).status === 206);
  });
}

test('without MAP_PMTILES there is no map file', async () => {
  for (const method of ['GET', 'HEAD']) assert.equal((await askRaw(without, {}, method)).status, 404);
});

test('a gateway does not start with a map file that the console could not draw, and says why', async () => {
  const changed = (at: number, value: number) => {
    const bytes = Buffer.from(SMALL);
    bytes[at] = value;
    return bytes;
  };
  const wrong: Readonly<Record<string, readonly [Buffer | undefined, RegExp]>> = {
    missing: [undefined, /missing cannot be read \(ENOENT/],
    empty: [Buffer.alloc(0), /is no PMTiles file of version 3/],
    short: [SMALL.subarray(0, 126), /is no PMTiles file of version 3/],
    text: [Buffer.alloc(SIZE, 'Not a map. '), /is no PMTiles file of version 3/],
    old: [changed(7, 2), /is no PMTiles file of version 3/],
    raster: [changed(99, 2), /has no vector tiles/],
    brotli: [changed(97, 3), /is compressed by other means than gzip/],
    zstd: [changed(98, 4), /is compressed by other means than gzip/],
    cut: [SMALL.subarray(0, SIZE - 1), new RegExp(`is cut off: it has ${SIZE - 1} bytes of ${SIZE}`)],
  };
  const { place } = without.gateway;
  for (const [name, [bytes, message]] of Object.entries(wrong)) {
    const path = join(folder, name);
    if (bytes) writeFileSync(path, bytes);
    await assert.rejects(startTestGateway({ place, environment: { MAP_PMTILES: path } }), (error) => {
      assert.ok(error instanceof ConfigError, name);
      assert.match(error.message, /^MAP_PMTILES: /);
      assert.match(error.message, message);
      return true;
    });
  }
  await assert.rejects(startTestGateway({ place, environment: { MAP_PMTILES: folder } }), /it is no file/);
  const both = { MAP_PMTILES: file, MAP_STYLE_URL: 'https://tiles.example.com/style.json' };
  await assert.rejects(startTestGateway({ place, environment: both }), /unset one of them/);
});
