import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Json } from '../../../gateway/openapi/json-schema.ts';
import { DOCUMENT } from '../../support/contract/described-api.ts';
import { EXAMPLES_FILE, type Exchange, readExamples } from '../../support/contract/exchanges.ts';
import { dereferenced } from '../../support/contract/openapi.ts';
import { useGateway } from '../api-fixture.ts';
import { walkAllOperations } from './exchange-walk.ts';

/** The examples of the reference are exchanges that this walk had. `npm run record:examples` keeps them after a change. */

const fixture = useGateway();

/** The media that an example shows: no pages, pictures, archives and tables of hundreds of lines. */
const SHOWN = ['application/json', 'application/x-ndjson', 'text/event-stream'];

/** Operations without an example, although their answers could be shown. */
const WITHOUT: Readonly<Record<string, string>> = {
  getOpenApi: 'It is the document.',
  getAsyncApi: 'It is a document of its own.',
  getDocsFile: 'It sends files.',
  watchTrackingPage: 'It sends parts of a page to a script of ours.',
  receiveStripeCallback: 'Stripe sends what Stripe describes.',
  receiveTestCallback: 'The service calls itself.',
};

interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
}

interface Media {
  readonly examples?: { readonly exchange: Json };
}

function operationsOf(document: Json): readonly Operation[] {
  const { paths } = dereferenced(document) as { readonly paths: Readonly<Record<string, Record<string, Operation>>> };
  return Object.values(paths).flatMap((item) => Object.values(item));
}

const canBeShown = ({ responses }: Operation) =>
  Object.entries(responses).some(
    ([status, { content = {} }]) => status.startsWith('2') && SHOWN.some((media) => media in content),
  );

const MOST_ITEMS = 3;

test('every operation that answers with data has an example, which is what the gateway answers', async () => {
  const { exchanges } = await walkAllOperations(fixture);
  const names = operationsOf(DOCUMENT)
    .filter(canBeShown)
    .map(({ operationId }) => operationId);
  const missing = names.filter((name) => !exchanges.has(name));
  assert.deepEqual(missing.toSorted(), Object.keys(WITHOUT).toSorted());
  const shown = names.flatMap((name) => (exchanges.has(name) ? [[name, exchanges.get(name)!] as const] : []));
  if (process.env['RECORD_EXAMPLES'] === '1') write(Object.fromEntries(shown));
  const committed = readExamples();
  for (const [name, exchange] of shown)
    assert.deepEqual(exchange, committed[name], `${name} has changed: npm run record:examples`);
  assert.deepEqual(
    Object.keys(committed),
    shown.map(([name]) => name),
  );
});

function write(examples: Readonly<Record<string, Exchange>>): void {
  writeFileSync(EXAMPLES_FILE, `${JSON.stringify(examples, undefined, 1)}\n`);
}

test('the reference shows each example beside its operation, with short lists', async () => {
  const committed = readExamples();
  const { text } = await fixture.api.raw({ method: 'GET', path: '/docs/openapi.json' });
  for (const { operationId, requestBody, responses } of operationsOf(JSON.parse(text) as Json)) {
    const exchange = committed[operationId];
    if (!exchange) continue;
    const { call: summary, request, status, response } = exchange;
    const [answer] = Object.values(responses[status]!.content!);
    assert.deepEqual(answer!.examples!.exchange, { summary, value: response });
    const [body] = Object.values(requestBody?.content ?? {});
    assert.deepEqual(body?.examples?.exchange['value'], request);
    const { items = [] } = ((response as { readonly data?: unknown }).data ?? {}) as { readonly items?: unknown[] };
    assert.ok(items.length <= MOST_ITEMS, operationId);
  }
});
