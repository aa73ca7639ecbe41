import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type TileExtent, TileFile } from '../../../../../gateway/console/map/ground/tile-file.ts';
import { mapFileOf } from '../../../../support/tiles/map-file.ts';

const BOUNDS = [-10, -20, 30, 40] as const;
const fileWith = (text: string) =>
  mapFileOf({ bounds: BOUNDS, maxZoom: 0, tiles: [{ z: 0, x: 0, y: 0, data: Buffer.from(text) }] });

/** A server of one file, and a page that reads it. */
function createScene(t: TestContext, status = 206) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const server = { file: fileWith('first'), etag: '"1"', status, asked: 0, isSlow: false };
  t.mock.method(globalThis, 'fetch', async (_: string, { headers, signal }: RequestInit) => {
    server.asked += 1;
    if (server.isSlow)
      await new Promise((_resolve, reject) => signal!.addEventListener('abort', () => reject(signal!.reason)));
    const [, first, last] = /bytes=(\d+)-(\d+)/.exec((headers as { Range: string }).Range)!;
    const body = server.status === 206 ? server.file.subarray(Number(first), Number(last) + 1) : [];
    return new Response(new Uint8Array(body), { status: server.status, headers: { etag: server.etag } });
  });
  const opened: TileExtent[] = [];
  const file = new TileFile('http://127.0.0.1/map', (extent) => opened.push(extent));
  t.after(() => file.close());
  const read = async (z = 0, signal = new AbortController().signal) =>
    Buffer.from(await file.read(z, 0, 0, signal)).toString();
  return { server, opened, read, file };
}

/** Lets everything go on until something is so. Timers stand still meanwhile. */
async function settled(what: string, isSo: () => boolean): Promise<void> {
  for (let turn = 0; turn < 10_000 && !isSo(); turn++) await new Promise((resolve) => setImmediate(resolve));
  assert.ok(isSo(), what);
}

/** Lets an answer arrive that changes nothing in sight. */
async function pass(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
}

test('a file of tiles is opened once, and gives what it has', async (t) => {
  const { server, opened, read, file } = createScene(t);
  await settled('it is open', () => opened.length === 1);
  assert.deepEqual(opened, [{ bounds: [...BOUNDS], minZoom: 0, maxZoom: 0 }]);
  assert.deepEqual([await read(), await read(1), server.asked], ['first', '', 2]);
  const { signal } = new AbortController();
  const [one, other] = [await file.read(1, 0, 0, signal), await file.read(1, 1, 0, signal)];
  assert.notEqual(one, other, 'a map that hands one over would lose the other');
});

test('a file that is away is asked for after pauses that grow, and nothing is read meanwhile', async (t) => {
  const { server, opened, read } = createScene(t, 500);
  await settled('the first request is made', () => server.asked === 1);
  for (const [times, pauseMs] of [5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000].entries()) {
    // The failure has to arrive before the time goes on.
    await pass();
    assert.equal(await read(), '');
    t.mock.timers.tick(pauseMs - 1);
    assert.equal(server.asked, times + 1);
    t.mock.timers.tick(1);
    assert.equal(server.asked, times + 2, `${pauseMs}`);
  }
  server.status = 206;
  await pass();
  t.mock.timers.tick(300_000);
  await settled('it is open', () => opened.length === 1);
  assert.equal(await read(), 'first');
});

test('a file that was replaced is opened again, and no tile of one is read by the directory of the other', async (t) => {
  const { server, opened, read } = createScene(t);
  await settled('it is open', () => opened.length === 1);
  server.file = fileWith('a second one');
  server.etag = '"2"';
  assert.equal(await read(), '');
  t.mock.timers.tick(5_000);
  await settled('it is open again', () => opened.length === 2);
  assert.equal(await read(), 'a second one');
});

test('a read that is aborted is no trouble of the file', async (t) => {
  const { server, opened, read } = createScene(t);
  await settled('it is open', () => opened.length === 1);
  server.isSlow = true;
  const abort = new AbortController();
  const reading = read(0, abort.signal);
  await settled('the tile is asked for', () => server.asked === 2);
  abort.abort();
  await assert.rejects(reading, { name: 'AbortError' });
  server.isSlow = false;
  assert.equal(await read(), 'first');
});

test('a closed file asks no more', async (t) => {
  const { server, file, read } = createScene(t, 500);
  await settled('the first request is made', () => server.asked === 1);
  await pass();
  file.close();
  t.mock.timers.tick(1_000_000);
  assert.deepEqual([server.asked, await read()], [1, '']);
});
