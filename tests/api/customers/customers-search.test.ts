import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CustomerView } from '../../../schema/customers/customer.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { useGateway } from '../api-fixture.ts';

interface CustomerList {
  readonly items: CustomerView[];
  readonly count: number;
}

const CUSTOMERS = [
  { name: 'Ada Lovelace', phone: '+442079460101', email: 'ada@engine.example.com' },
  { name: 'Grace Hopper', phone: '+12125550187', email: 'Grace.Hopper@Navy.example.com' },
  { name: 'Жанна Иванова', phone: '+74951234567' },
  { name: 'Élodie Straße', phone: '+33142685300', email: 'user_01@example.com' },
  { name: 'ΟΔΥΣΣΕΑΣ Ελύτης', phone: '+302101234567' },
  { name: '100% Percent', phone: '+491551234567', email: 'back@slash.example.com' },
  { name: 'Back\\slash O’Hara', phone: '+491557654321' },
  { name: "Robert'); DROP TABLE customers;--", phone: '+491550000001' },
  { name: 'userx01 Underscore', phone: '+491550000002' },
  { name: '王小明', phone: '+8613812345678' },
  { name: 'Cher', phone: '+13105550100' },
] as const;

let api: ApiClient;
const fixture = useGateway({}, async ({ organization, api: other }) => {
  // Somebody else's customers, whom no search of ours may find.
  for (const customer of CUSTOMERS) await other.post('/customers', { ...customer, name: `${customer.name} Elsewhere` });
  ({ api } = await organization());
  for (const customer of CUSTOMERS) assert.equal((await api.post('/customers', customer)).status, 201);
});

async function find(search: string, rest = ''): Promise<string[]> {
  const { status, body, text } = await api.get<CustomerList>(`/customers?search=${encodeURIComponent(search)}${rest}`);
  assert.equal(status, 200, text);
  assert.equal(body.data.count, body.data.items.length, 'everything is on one page');
  return body.data.items.map(({ name }) => name);
}

for (const [search, names] of [
  // Names, in any case, from one letter on.
  ['lovelace', ['Ada Lovelace']],
  ['A LOVE', ['Ada Lovelace']],
  ['da Lo', ['Ada Lovelace']],
  ['ЖАННА', ['Жанна Иванова']],
  ['иван', ['Жанна Иванова']],
  ['éLODIE', ['Élodie Straße']],
  ['STRASSE', ['Élodie Straße']],
  ['straße', ['Élodie Straße']],
  ['οδυσσεας', ['ΟΔΥΣΣΕΑΣ Ελύτης']],
  ['小', ['王小明']],
  ['王小明', ['王小明']],
  ['cher', ['Cher']],
  ['zz', []],
  ['zzz', []],
  // E-mail addresses.
  ['@NAVY.', ['Grace Hopper']],
  ['hopper@navy', ['Grace Hopper']],
  // Phones by their digits, with or without what people write between them.
  ['2125550187', ['Grace Hopper']],
  ['+1 (212) 555-0187', ['Grace Hopper']],
  ['(212)', ['Grace Hopper']],
  ['442079', ['Ada Lovelace']],
  ['+44 20', ['Ada Lovelace']],
  ['187', ['Grace Hopper']],
  // Digits with letters are no phone number.
  ['x2125550187', []],
  ['tel 212', []],
  // Characters with a meaning in LIKE or in SQL have no meaning here.
  ['%', ['100% Percent']],
  ['%%', []],
  ['100%', ['100% Percent']],
  ['a%e', []],
  ['_', ['Élodie Straße']],
  ['user_01', ['Élodie Straße']],
  ['\\', ['Back\\slash O’Hara']],
  ['back\\s', ['Back\\slash O’Hara']],
  ["'); drop table", ["Robert'); DROP TABLE customers;--"]],
  ["' OR '1'='1", []],
  ['$1', []],
  // A search does not reach from one field into the next.
  ['lovelaceada@', []],
  ['Lovelace\u001fada@', []],
  ['.com442079', []],
  ['.com\u001e442079', []],
] as const) {
  test(`the search ${JSON.stringify(search)} finds ${names.length === 0 ? 'nobody' : names.join(', ')}`, async () => {
    assert.deepEqual(await find(search), names);
  });
}

test('digits are found in names, e-mail addresses and phones alike, newest first', async () => {
  assert.deepEqual(await find('01'), [
    'Cher',
    'userx01 Underscore',
    "Robert'); DROP TABLE customers;--",
    'ΟΔΥΣΣΕΑΣ Ελύτης',
    'Élodie Straße',
    'Grace Hopper',
    'Ada Lovelace',
  ]);
});

test('digits that are written like a phone number are looked for in phones alone', async () => {
  assert.deepEqual(await find('(01)'), [
    'Cher',
    "Robert'); DROP TABLE customers;--",
    'ΟΔΥΣΣΕΑΣ Ελύτης',
    'Grace Hopper',
    'Ada Lovelace',
  ]);
});

test('pages of a search are in order, exact and without overlap', async () => {
  const query = `/customers?search=${encodeURIComponent('.example.com')}&limit=2`;
  const everyone = await find('.example.com');
  assert.equal(everyone.length, 3);
  const pages: string[][] = [];
  for (const page of [1, 2, 3, 50_000]) {
    const { body } = await api.get<CustomerList>(`${query}&page=${page}`);
    assert.equal(body.data.count, 3, `page ${page}`);
    pages.push(body.data.items.map(({ name }) => name));
  }
  assert.deepEqual(pages, [everyone.slice(0, 2), everyone.slice(2), [], []]);
});

test('a customer is found by what it is called now, and no longer by what it was', async () => {
  const { body } = await api.post<CustomerView>('/customers', { name: 'Before Marriage', phone: '+442079469901' });
  assert.deepEqual(await find('before m'), ['Before Marriage']);
  await api.patch(`/customers/${body.data.id}`, {
    name: 'After Marriage',
    phone: '+442079469902',
    email: 'am@example.org',
  });
  assert.deepEqual(await find('before m'), []);
  assert.deepEqual(await find('2079469901'), []);
  for (const search of ['AFTER M', '9469902', 'am@example.org'])
    assert.deepEqual(await find(search), ['After Marriage']);
});

test('a customer whom a task brings along is found', async () => {
  await api.createTask({ customer: { name: 'Inline Somebody', phone: '+442079469903' } });
  assert.deepEqual(await find('inline s'), ['Inline Somebody']);
});

test('an empty search counts as none', async () => {
  const all = await api.get<CustomerList>('/customers');
  const { body } = await api.get<CustomerList>('/customers?search=');
  assert.deepEqual(body.data, all.body.data);
});

test('a search that no text could hold is a violation', async () => {
  for (const search of ['%00', '%ff', 'x'.repeat(256)]) {
    assert.equal((await api.get(`/customers?search=${search}`)).status, 400, search);
  }
  assert.equal((await fixture.api.get('/customers?search=a&search=b')).status, 400);
});
