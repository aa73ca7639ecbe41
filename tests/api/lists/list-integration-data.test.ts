import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useGateway } from '../api-fixture.ts';

const LONG = 'long '.repeat(1_400);
const DATA: Readonly<Record<string, object>> = {
  number: { order: 42, source: 'shop' },
  text: { order: '42', source: 'shop' },
  yes: { paid: true },
  yesText: { paid: 'true' },
  half: { order: 0.5 },
  nothing: { order: null, paid: {}, source: ['shop'] },
  nested: { outer: { order: 42 } },
  odd: JSON.parse('{"a.b": "dot", "": "empty", "__proto__": "proto", "with space&": "ü=1"}'),
  long: { text: LONG, [`k${LONG}`]: 1 },
};

const idOf: Record<string, number> = {};
const fixture = useGateway({}, async ({ api }) => {
  for (const [name, integrationData] of Object.entries(DATA))
    idOf[name] = (await api.createTask({ integrationData })).id;
  await api.createTask();
});

const FOUND: readonly (readonly [query: string, names: readonly string[]])[] = [
  ['order=42', ['number', 'text']],
  ['order=42.0', []],
  ['order=4', []],
  ['order=0.5', ['half']],
  ['order=null', []],
  ['order=', Object.keys(DATA)],
  ['source=shop', ['number', 'text']],
  ['source=Shop', []],
  ['paid=true', ['yes', 'yesText']],
  ['paid=%7B%7D', []],
  ['outer=42', []],
  ['a.b=dot', ['odd']],
  ['=empty', ['odd']],
  ['__proto__=proto', ['odd']],
  ['with%20space%26=%C3%BC%3D1', ['odd']],
  ['constructor=x', []],
];

for (const [query, names] of FOUND) {
  test(`integrationData.${query} finds ${names.join(', ') || 'nothing'}`, async () => {
    const { status, body } = await fixture.api.list(`integrationData.${query}&limit=100&sortOrder=ASC`);
    assert.equal(status, 200, JSON.stringify(body));
    const found = body.data.items.filter(({ integrationData }) => integrationData !== null).map(({ id }) => id);
    assert.deepEqual(
      found,
      names.map((name) => idOf[name]),
    );
    if (query !== 'order=') assert.equal(body.data.count, names.length);
  });
}

test('a value of any length is found, whole', async () => {
  const { api } = await fixture.organization();
  const value = 'v'.repeat(3_500);
  const { id } = await api.createTask({ integrationData: { long: value } });
  assert.deepEqual(
    (await api.list(`integrationData.long=${value}`)).body.data.items.map((task) => task.id),
    [id],
  );
  assert.equal((await api.list(`integrationData.long=${value.slice(1)}`)).body.data.count, 0);
});

test('several fields must all match, along with everything else', async () => {
  const both = 'integrationData.order=42&integrationData.source=shop';
  assert.equal((await fixture.api.list(both)).body.data.count, 2);
  assert.equal((await fixture.api.list(`${both}&integrationData.paid=true`)).body.data.count, 0);
  assert.equal((await fixture.api.list(`${both}&status=cancelled`)).body.data.count, 0);
});

const VIOLATIONS: readonly (readonly [query: string, violation: string])[] = [
  ['integrationData.a=1&integrationData.a=2', 'integrationData.a must be given once'],
  [
    Array.from({ length: 11 }, (_, index) => `integrationData.k${index}=1`).join('&'),
    'integrationData must name at most 10 fields',
  ],
  ['integrationData.a=%00', 'the query must be percent-encoded UTF-8 without NUL'],
];

for (const [query, violation] of VIOLATIONS) {
  test(`?${query} is a violation`, async () => {
    const { status, body } = await fixture.api.list(query);
    assert.equal(status, 400);
    assert.deepEqual(body.message, [violation]);
  });
}

test('integrationData without a key is a parameter that nobody knows', async () => {
  const { status, text } = await fixture.api.list('integrationData=x');
  assert.equal(status, 400);
  assert.match(text, /integrationData is not a parameter of this call/);
});

test('an update is found by its new data and no longer by the old', async () => {
  const { api } = await fixture.organization();
  const { id } = await api.createTask({ integrationData: { step: 1, kept: 'yes' } });
  const { status } = await api.patch(`/tasks/${id}`, { integrationData: { step: 2, kept: 'yes' } });
  assert.equal(status, 200);
  for (const [query, count] of [
    ['integrationData.step=1', 0],
    ['integrationData.step=2', 1],
    ['integrationData.kept=yes', 1],
  ] as const) {
    assert.equal((await api.list(query)).body.data.count, count, query);
  }
});
