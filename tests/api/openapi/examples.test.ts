import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Json } from '../../../gateway/openapi/json-schema.ts';
import { DOCUMENT } from '../../support/contract/described-api.ts';
import { EXAMPLES_FILE, readExamples } from '../../support/contract/exchanges.ts';
import { dereferenced } from '../../support/contract/openapi.ts';
import { mapFileOf } from '../../support/tiles/map-file.ts';
import { useGateway } from '../api-fixture.ts';
import { walkAllOperations } from './exchange-walk.ts';
import { STRIPE_SETTINGS } from './payment-walk.ts';

/** The examples of the reference are exchanges that this walk had. `npm run record:examples` keeps them after a change. */

const folder = mkdtempSync(join(tmpdir(), 'examples-'));
after(() => rmSync(folder, { recursive: true }));
const mapFile = join(folder, 'map.pmtiles');
const tile = { z: 0, x: 0, y: 0, data: Buffer.from('A tile of which nobody reads the content') };
writeFileSync(mapFile, mapFileOf({ tiles: [tile], bounds: [-180, -85, 180, 85], maxZoom: 0 }));

const fixture = useGateway({ environment: { ...STRIPE_SETTINGS, MAP_PMTILES: mapFile } });

type Shown = { readonly examples?: { readonly exchange: Json } } | undefined;

interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, Shown>> };
  readonly responses: Readonly<
    Record<string, { readonly content?: Record<string, Shown>; readonly headers?: Record<string, Shown> }>
  >;
}

function operationsOf(document: Json): readonly Operation[] {
  const { paths } = dereferenced(document) as { readonly paths: Readonly<Record<string, Record<string, Operation>>> };
  return Object.values(paths).flatMap((item) => Object.values(item));
}

test('every operation has an example, which is what the gateway answers', async () => {
  const { exchanges } = await walkAllOperations(fixture);
  const names = operationsOf(DOCUMENT).map(({ operationId }) => operationId);
  assert.deepEqual(
    names.filter((name) => !exchanges.has(name)),
    [],
  );
  const had = Object.fromEntries(names.map((name) => [name, exchanges.get(name)!]));
  if (process.env['RECORD_EXAMPLES'] === '1') writeFileSync(EXAMPLES_FILE, `${JSON.stringify(had, undefined, 1)}\n`);
  const committed = readExamples();
  for (const name of names)
    assert.deepEqual(had[name], committed[name], `${name} has changed: npm run record:examples`);
  assert.deepEqual(Object.keys(committed), names);
});

test('the reference shows each example beside its operation', async () => {
  const committed = readExamples();
  const { text } = await fixture.api.raw({ method: 'GET', path: '/docs/openapi.json' });
  for (const { operationId, requestBody, responses } of operationsOf(JSON.parse(text) as Json)) {
    const { call: summary, request, status, location, media, response } = committed[operationId]!;
    const { headers, content } = responses[status]!;
    const answer = location === undefined ? content![media!] : headers!['Location'];
    const value = location ?? response;
    assert.deepEqual(answer!.examples!.exchange, value === undefined ? { summary } : { summary, value }, operationId);
    const [body] = Object.values(requestBody?.content ?? {});
    assert.deepEqual(body?.examples?.exchange['value'], request, operationId);
  }
});

const MOST_BYTES = 200_000;
const MOST_ITEMS = 3;
const MOST_CHARS = 250;
/** The examples of these show one or two whole messages. */
const STREAMS = ['application/x-ndjson', 'text/event-stream'];

test('examples are short: a few items of a list, and of a page or a file its beginning', () => {
  assert.ok(statSync(EXAMPLES_FILE).size < MOST_BYTES);
  for (const [name, { media, response }] of Object.entries(readExamples())) {
    const { items = [] } = ((response as { readonly data?: unknown } | undefined)?.data ?? {}) as { items?: unknown[] };
    assert.ok(items.length <= MOST_ITEMS, name);
    if (typeof response !== 'string' || STREAMS.includes(media!)) continue;
    assert.ok(response.length <= MOST_CHARS && response.endsWith('…'), name);
  }
});
