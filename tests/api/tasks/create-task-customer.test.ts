import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withSql } from '../../support/seeds/seed.ts';
import { useGateway } from '../api-fixture.ts';

const fixture = useGateway();

const inline = (name: string, phone: string, email?: string) => ({ customer: { name, phone, email } });

test('a name is split: the first word, then the rest', async () => {
  for (const [index, [name, firstName, lastName]] of [
    ['Ada', 'Ada', ''],
    ['Ada Lovelace', 'Ada', 'Lovelace'],
    ['  Ada   Mary  King Noel ', 'Ada', 'Mary King Noel'],
  ].entries()) {
    const { customer } = await fixture.api.createTask(inline(name!, `+4420794601${index}0`));
    assert.deepEqual([customer!.user.firstName, customer!.user.lastName], [firstName, lastName]);
  }
});

test('the same phone in other formats is the same customer', async () => {
  const first = await fixture.api.createTask(inline('Grace Hopper', '+1 (212) 555-0187'));
  for (const phone of ['+12125550187', '+1-212-555-0187', '+1 212 555 0187', '+1.212.555.0187']) {
    const task = await fixture.api.createTask(inline('Grace Hopper', phone));
    assert.equal(task.customerId, first.customerId, phone);
  }
  assert.deepEqual([first.customer!.user.countryCode, first.customer!.user.phoneNumber], ['+1', '2125550187']);
  assert.notEqual((await fixture.api.createTask(inline('Grace Hopper', '+12125550188'))).customerId, first.customerId);
});

test('a match fills the empty e-mail, once, and changes no name', async () => {
  const phone = '+442079460500';
  const first = await fixture.api.createTask(inline('Old Name', phone));
  assert.equal(first.customer!.user.email, null);
  const second = await fixture.api.createTask(inline('New Name', phone, 'first@example.com'));
  const third = await fixture.api.createTask(inline('Other Name', phone, 'second@example.com'));
  for (const task of [second, third]) {
    assert.equal(task.customerId, first.customerId);
    assert.equal(task.customer!.user.email, 'first@example.com');
    assert.equal(task.customer!.user.firstName, 'Old');
  }
  assert.equal((await fixture.api.get(`/tasks/${first.id}`)).body.data.customer!.user.email, 'first@example.com');
});

test('an e-mail matches only a customer without a phone, in any case of letters, and gives that customer the phone', async () => {
  // Nobody can be made without a phone by the API: such customers come with imported data, before the actor lives.
  const { api, organizationId } = await fixture.organization();
  await withSql(
    fixture.gateway.databaseUrl,
    (sql) => sql`
    INSERT INTO customers (organization_id, id, version, user_id, customer_type, first_name, last_name, email, created_at, updated_at)
    VALUES (${organizationId}, 777001, 1, 777002, 'business', 'Mail', 'Only', 'mail.only@example.com', now(), now())`,
  );
  const matched = await api.createTask(inline('Someone Else', '+442079460600', 'Mail.Only@example.com'));
  assert.equal(matched.customerId, 777_001);
  const { firstName, email, phoneNumber, countryCode } = matched.customer!.user;
  assert.deepEqual(
    [firstName, email, phoneNumber, countryCode],
    ['Mail', 'mail.only@example.com', '2079460600', '+44'],
  );
  const other = await api.createTask(inline('Someone Else', '+442079460601', 'mail.only@example.com'));
  assert.notEqual(other.customerId, 777_001, 'that customer has a phone now');
});

test('many tasks at once for one new phone make one customer', async () => {
  const customers = Array.from({ length: 200 }, () => fixture.api.createTask(inline('Race Winner', '+442079460700')));
  const ids = new Set((await Promise.all(customers)).map(({ customerId }) => customerId));
  assert.equal(ids.size, 1);
  const [row] = await withSql(
    fixture.gateway.databaseUrl,
    (sql) => sql<{ count: number }[]>`
    SELECT count(*) FROM customers WHERE organization_id = ${fixture.gateway.organizationId} AND phone_e164 = '+442079460700'`,
  );
  assert.equal(row!.count, 1);
});

test('customers of different organizations never meet', async () => {
  const other = await fixture.organization();
  const mine = await fixture.api.createTask(inline('Ada Lovelace', '+442079460800'));
  const theirs = await other.api.createTask(inline('Bea Lovelace', '+442079460800'));
  assert.notEqual(mine.customerId, theirs.customerId);
  assert.equal(theirs.customer!.user.firstName, 'Bea');
});
