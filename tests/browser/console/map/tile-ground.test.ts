import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type ApiFixture, useGateway } from '../../../api/api-fixture.ts';
import { useBrowser, WITH_BROWSER } from '../../../support/browser.ts';
import { seedUser } from '../../../support/seeds/seed.ts';
import { mapFileOf } from '../../../support/tiles/map-file.ts';
import { EXTENT, type TileFeature, vectorTileOf } from '../../../support/tiles/vector-tile.ts';
import { until } from '../../../support/until.ts';
import { assertAccessible, openConsole, PASSWORD, signIn, untilSeen } from '../console-place.ts';

const folder = mkdtempSync(join(tmpdir(), 'ground-'));
after(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'world.pmtiles');

/** A square in the middle of a tile. */
function square(side: number, kind: string): TileFeature {
  const [from, to] = [(EXTENT - side) / 2, (EXTENT + side) / 2];
  return {
    kind: 'polygon',
    spots: [
      [from, from],
      [to, from],
      [to, to],
      [from, to],
    ],
    properties: { kind },
  };
}

const NAME: TileFeature = {
  kind: 'point',
  spots: [[EXTENT / 2, EXTENT / 2]],
  properties: { kind: 'country', name: 'Pays', 'name:en': 'Testland', min_zoom: 0 },
};
/** Land, with a lake in it that has a name. */
const TILE = vectorTileOf({
  earth: [square(EXTENT, 'earth')],
  water: [square(EXTENT / 2, 'lake')],
  places: [NAME],
});
/** The file has all four quarters of the world but the one in the south-east, and no tile that could stand in for it. */
const PLACES = [
  [1, 0, 0],
  [1, 1, 0],
  [1, 0, 1],
] as const;
writeFileSync(
  path,
  mapFileOf({
    bounds: [-180, -85, 180, 85],
    maxZoom: 1,
    tiles: PLACES.map(([z, x, y]) => ({ z, x, y, data: TILE })),
  }),
);

const fixture = useGateway({ environment: { MAP_PMTILES: path } });
const plain = useGateway();
const chrome = useBrowser();

/** The colours of the flavours, and of the quiet ground. */
const COLORS = {
  light: { land: '#e2dfda', water: '#80deea', quiet: '#f9f9fb' },
  dark: { land: '#1f1f1f', water: '#31353f', quiet: '#0c0d0e' },
};

/** Places of the window, over the whole world. */
const LAND = [480, 293] as const;
const WATER = [700, 330] as const;
const QUIET = [1_150, 700] as const;
const NAMED = [630, 293] as const;

async function signInto(page: Page, { gateway }: ApiFixture): Promise<void> {
  await signIn(page, await seedUser(gateway.databaseUrl, gateway.organizationId, 'dispatcher', PASSWORD));
  await page.locator('.maplibregl-canvas').waitFor();
}

/** The pixels of a square of the screen, read by the page from its own picture, as `#rrggbb` with how often each is there. */
async function colorsAt(page: Page, x: number, y: number, side = 8): Promise<Map<string, number>> {
  const clip = { x: x - side / 2, y: y - side / 2, width: side, height: side };
  const picture = (await page.screenshot({ clip })).toString('base64');
  const pixels = await page.evaluate<string[]>(`(async () => {
    const image = new Image();
    image.src = 'data:image/png;base64,${picture}';
    await image.decode();
    const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, image.width, image.height);
    const hex = (value) => value.toString(16).padStart(2, '0');
    return Array.from({ length: data.length / 4 }, (_, at) => '#' + [...data.slice(4 * at, 4 * at + 3)].map(hex).join(''));
  })()`);
  const counts = new Map<string, number>();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  return counts;
}

/** The colour of a part of the screen that has one. */
async function colorAt(page: Page, x: number, y: number): Promise<string> {
  return [...(await colorsAt(page, x, y))].toSorted(([, one], [, other]) => other - one)[0]![0];
}

/** Waits until land, water and, where it is given, the part without a tile have their colours. */
async function untilDrawn(page: Page, { land, water, quiet }: Partial<(typeof COLORS)['light']>): Promise<void> {
  const untilIs = (color: string | undefined, x: number, y: number) =>
    color && untilSeen(`${x}, ${y} is ${color}`, async () => (await colorAt(page, x, y)) === color);
  await untilIs(land, ...LAND);
  await untilIs(water, ...WATER);
  await untilIs(quiet, ...QUIET);
}

test(
  'the map draws a file of tiles in the colours of the theme, with names, and its quiet ground where the file ends',
  WITH_BROWSER,
  async () => {
    const { page, troubles } = await openConsole(chrome.browser, fixture.gateway.baseUrl, { drawsMap: true });
    await signInto(page, fixture);
    await untilDrawn(page, COLORS.light);
    await untilSeen('the name is drawn', async () => (await colorsAt(page, ...NAMED, 40)).size > 20);
    await assertAccessible(page, 'a map of tiles');
    assert.equal(await page.locator('.maplibregl-ctrl-attrib').textContent(), '© OpenStreetMap · Protomaps');
    await page.emulateMedia({ colorScheme: 'dark' });
    await untilDrawn(page, COLORS.dark);
    await untilSeen('the name is drawn again', async () => (await colorsAt(page, ...NAMED, 40)).size > 20);
    await page.evaluate(`{
      globalThis.card = document.querySelector('.maplibregl-canvas').getContext('webgl2').getExtension('WEBGL_lose_context');
      card.loseContext();
    }`);
    await untilSeen('the map is gone', async () => (await colorAt(page, ...WATER)) !== COLORS.dark.water);
    await page.evaluate('card.restoreContext()');
    const { land, water } = COLORS.dark;
    await untilDrawn(page, { land, water });
    await page.getByRole('link', { name: 'Board' }).click();
    await page.locator('.maplibregl-canvas').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Dispatch' }).click();
    await untilDrawn(page, COLORS.dark);
    assert.deepEqual(troubles, []);
    await page.context().close();
  },
);

test(
  'while the file of tiles cannot be read the map has its quiet ground and asks seldom, and then the streets come',
  WITH_BROWSER,
  async () => {
    const { page, troubles } = await openConsole(chrome.browser, fixture.gateway.baseUrl, { drawsMap: true });
    let failures = 0;
    await page.route('**/console/map.pmtiles', (route) => {
      failures += 1;
      return route.fulfill({ status: 500 });
    });
    await signInto(page, fixture);
    await until('the file was asked for', () => failures > 0);
    const { quiet, land, water } = COLORS.light;
    await untilDrawn(page, { quiet, land: quiet, water: quiet });
    const readable = page.waitForResponse((response) => response.url().endsWith('.pmtiles') && response.ok());
    await page.unroute('**/console/map.pmtiles');
    await readable;
    await untilDrawn(page, { quiet, land, water });
    // Pauses that grow from five seconds: in a minute of patience there are four.
    assert.ok(failures <= 5, `${failures} requests in vain`);
    assert.equal(troubles.length, failures);
    for (const trouble of troubles) assert.match(trouble, /status of 500/);
    await page.context().close();
  },
);

test('a console without a file of tiles loads no code for it', WITH_BROWSER, async () => {
  const { page, troubles } = await openConsole(chrome.browser, plain.gateway.baseUrl, { drawsMap: true });
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await signInto(page, plain);
  await until('the coasts are asked for', () => asked.some((url) => url.includes('/assets/world-')));
  await untilSeen('the quiet ground is there', async () => (await colorAt(page, ...QUIET)) === COLORS.light.quiet);
  assert.deepEqual(
    asked.filter((url) => /tile-ground|pmtiles/.test(url)),
    [],
  );
  assert.deepEqual(troubles, []);
  await page.context().close();
});
