import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CustomerView } from '../../../schema/customers/customer.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { useGateway } from '../api-fixture.ts';

interface CustomerList {
  readonly items: CustomerView[];
  readonly count: number;
}

let api: ApiClient;
useGateway({}, async ({ api: other, organization }) => {
  ({ api } = await organization());
  await other.post('/customers', { name: 'Ada Elsewhere', phone: '+442079460101' });
  await other.post('/customers', { name: 'Joan Elsewhere', phone: '+442079460199' });
  for (const [name, phone] of [
    ['Ada Lovelace', '+442079460101'],
    ['Grace Hopper', '+12125550187'],
    ['Short Number', '+44207946010'],
  ])
    assert.equal((await api.post('/customers', { name, phone })).status, 201);
});

test('a phone number finds the one customer that has the whole of it, in any notation', async () => {
  for (const [query, names] of [
    ['phone=%2B442079460101', ['Ada Lovelace']],
    // A plus that is not percent-encoded is a space.
    ['phone=+442079460101', ['Ada Lovelace']],
    ['phone=%20442079460101', ['Ada Lovelace']],
    ['phone=%2B44%2020%207946%200101', ['Ada Lovelace']],
    ['phone=+44 (20) 7946-0101'.replaceAll(' ', '%20'), ['Ada Lovelace']],
    ['phone=+1-212-555-0187', ['Grace Hopper']],
    ['phone=+44207946010', ['Short Number']],
    ['phone=+442079460199', []],
    ['phone=+442079460101&search=LOVE', ['Ada Lovelace']],
    ['phone=+442079460101&search=hopper', []],
    ['phone=+442079460101&page=2', []],
    ['phone=', ['Short Number', 'Grace Hopper', 'Ada Lovelace']],
  ] as const) {
    const { status, body, text } = await api.get<CustomerList>(`/customers?${query}`);
    assert.equal(status, 200, text);
    assert.deepEqual(
      body.data.items.map(({ name }) => name),
      names,
      query,
    );
    assert.equal(body.data.count, query.endsWith('page=2') ? 1 : names.length, query);
  }
});

test('anything but a whole number with its country code is refused', async () => {
  const impossible = 'phone must be a possible phone number with its country code';
  const extended = 'phone must be a phone number without an extension; write the extension into a text, such as notes';
  for (const [query, messages] of [
    ['phone=442079460101', [impossible]],
    ['phone=+442079460101x12', [extended]],
    ['phone=02079460101', [impossible]],
    ['phone=+44', [impossible]],
    ['phone=++442079460101', [impossible]],
    ['phone=ada', [impossible]],
    [`phone=+${'4'.repeat(70)}`, [impossible]],
    ['phone=+442079460101&phone=+12125550187', ['phone must be given once']],
    ['phone=x&limit=0', ['limit must be an integer between 1 and 100', impossible]],
  ] as const) {
    const { status, body } = await api.get(`/customers?${query}`);
    assert.deepEqual([status, body.message], [400, messages], query);
  }
});
