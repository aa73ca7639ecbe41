import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CustomerView } from '../../../schema/customers/customer.ts';
import { withSql } from '../../support/seeds/seed.ts';
import { useGateway } from '../api-fixture.ts';

const fixture = useGateway();

let lastNumber = 0;

/** A customer with a number of its own. */
async function createCustomer(fields: object = {}): Promise<CustomerView> {
  lastNumber += 1;
  const phone = `+4479${String(lastNumber).padStart(8, '0')}`;
  const body = { name: 'Ada Lovelace', phone, email: 'ada@example.com', address: '12 Mill Lane', ...fields };
  const reply = await fixture.api.post<CustomerView>('/customers', body);
  assert.equal(reply.status, 201, reply.text);
  return reply.body.data;
}

const phoneOf = ({ user }: CustomerView) => `${user.countryCode}${user.phoneNumber}`;

test('only the fields that are sent change', async () => {
  const before = await createCustomer();
  const { status, body } = await fixture.api.patch<CustomerView>(`/customers/${before.id}`, {
    address: '1 High Street',
  });
  assert.equal(status, 200);
  const { updatedAt, ...after } = body.data;
  const { updatedAt: earlier, ...unchanged } = before;
  assert.deepEqual(after, { ...unchanged, address: '1 High Street' });
  assert.ok(updatedAt >= earlier);
});

test('name, phone, e-mail and address change together, and reads and tasks show it', async () => {
  const { id } = await createCustomer();
  const task = await fixture.api.createTask({ customer: undefined, customerId: id });
  const change = { name: 'Countess of Lovelace', phone: '+33 1 42 68 53 00', email: 'c@example.org', address: 'Paris' };
  const { body } = await fixture.api.patch<CustomerView>(`/customers/${id}`, change);
  assert.deepEqual([body.data.name, body.data.address], ['Countess of Lovelace', 'Paris']);
  const user = { firstName: 'Countess', lastName: 'of Lovelace', email: 'c@example.org' };
  assert.deepEqual(body.data.user, { id: body.data.userId, ...user, phoneNumber: '142685300', countryCode: '+33' });
  const read = await fixture.api.get<CustomerView>(`/customers/${id}`);
  assert.deepEqual(read.body.data.user, body.data.user);
  assert.deepEqual((await fixture.api.get(`/tasks/${task.id}`)).body.data.customer!.user, body.data.user);
});

test('null clears e-mail and address, and leaves what a customer must have', async () => {
  const before = await createCustomer();
  const change = { name: null, phone: null, email: null, address: null };
  const { status, body } = await fixture.api.patch<CustomerView>(`/customers/${before.id}`, change);
  assert.equal(status, 200);
  assert.deepEqual([body.data.user.email, body.data.address], [null, null]);
  assert.deepEqual([body.data.name, phoneOf(body.data)], [before.name, phoneOf(before)]);
});

test('an update without a change is 200 and writes nothing', async () => {
  const before = await createCustomer();
  const same = { name: ' Ada   Lovelace ', phone: phoneOf(before), email: 'ada@example.com', address: '12 Mill Lane' };
  for (const body of [{}, same]) {
    const reply = await fixture.api.patch<CustomerView>(`/customers/${before.id}`, body);
    assert.deepEqual([reply.status, reply.body.data], [200, before]);
  }
  const [row] = await withSql(
    fixture.gateway.databaseUrl,
    (sql) => sql<{ version: number }[]>`
    SELECT version FROM customers WHERE organization_id = ${fixture.gateway.organizationId} AND id = ${before.id}`,
  );
  assert.equal(row!.version, 1);
});

test('a phone that another customer has is 409, and is free once that one gave it up', async () => {
  const [holder, other] = [await createCustomer(), await createCustomer()];
  const refused = await fixture.api.patch(`/customers/${other.id}`, { phone: phoneOf(holder), name: 'Not Applied' });
  assert.deepEqual([refused.status, refused.body.code], [409, 'CUSTOMER_PHONE_TAKEN']);
  assert.deepEqual(refused.body.details, { customerId: holder.id });
  assert.equal((await fixture.api.get<CustomerView>(`/customers/${other.id}`)).body.data.name, 'Ada Lovelace');
  const moved = await fixture.api.patch(`/customers/${holder.id}`, { phone: '+442079461111' });
  assert.equal(moved.status, 200);
  assert.equal((await fixture.api.patch(`/customers/${other.id}`, { phone: phoneOf(holder) })).status, 200);
});

test('of 50 customers who want one phone at once exactly one gets it', async () => {
  const customers = await Promise.all(Array.from({ length: 50 }, () => createCustomer()));
  const phone = '+442079462222';
  const replies = await Promise.all(customers.map(({ id }) => fixture.api.patch(`/customers/${id}`, { phone })));
  assert.equal(replies.filter(({ status }) => status === 200).length, 1);
  assert.equal(replies.filter(({ body }) => body.code === 'CUSTOMER_PHONE_TAKEN').length, 49);
});

test('a phone that changes hands in one burst ends where the last change put it', async () => {
  const first = await createCustomer();
  const phone = phoneOf(first);
  const [moved, created] = await Promise.all([
    fixture.api.patch<CustomerView>(`/customers/${first.id}`, { phone: '+442079463333' }),
    fixture.api.post<CustomerView>('/customers', { name: 'Next Owner', phone }),
  ]);
  assert.equal(moved.status, 200);
  // Whichever was decided first: never two customers with the phone, and the phone is free in the end.
  if (created.status !== 201) assert.equal(created.body.code, 'CUSTOMER_PHONE_TAKEN');
  const later = await fixture.api.post<CustomerView>('/customers', { name: 'Next Owner', phone });
  assert.equal(later.status, created.status === 201 ? 409 : 201);
});

test('every violation is named at once', async () => {
  const { id } = await createCustomer();
  const reply = await fixture.api.patch(`/customers/${id}`, { name: '', phone: 5, email: '@', address: {} });
  assert.equal(reply.status, 400);
  assert.deepEqual(reply.body.message, [
    'name must not be empty',
    'phone must be a string',
    'email must be an e-mail address',
    'address must be a string',
  ]);
});

test('If-Match lets a change through only while the customer is as it was read', async () => {
  const { id } = await createCustomer();
  const { etag } = (await fixture.api.get(`/customers/${id}`)).headers;
  const change = (address: string, tag: string) =>
    fixture.api.patch(`/customers/${id}`, { address }, { 'if-match': tag });
  assert.equal((await change('First', etag!)).status, 200);
  const second = await change('Second', etag!);
  assert.deepEqual([second.status, second.body.code], [412, 'PRECONDITION_FAILED']);
  assert.equal(
    (await change('Third', `"nothing", ${(await fixture.api.get(`/customers/${id}`)).headers.etag}`)).status,
    200,
  );
  assert.equal((await change('Fourth', '*')).status, 200);
  const unknown = await fixture.api.patch('/customers/999000111', {}, { 'if-match': etag! });
  assert.equal(unknown.status, 404);
});

test('of 20 changes at once on one entity tag exactly one goes through', async () => {
  const { id } = await createCustomer();
  const { etag } = (await fixture.api.get(`/customers/${id}`)).headers;
  const changes = Array.from({ length: 20 }, (_, index) =>
    fixture.api.patch(`/customers/${id}`, { address: `Street ${index}` }, { 'if-match': etag! }),
  );
  const statuses = (await Promise.all(changes)).map(({ status }) => status);
  assert.deepEqual([statuses.filter((s) => s === 200).length, statuses.filter((s) => s === 412).length], [1, 19]);
});

test('a retry of a conditional change gets its first answer, although the entity tag is no longer true', async () => {
  const { id } = await createCustomer();
  const { etag } = (await fixture.api.get(`/customers/${id}`)).headers;
  const headers = { 'if-match': etag!, 'idempotency-key': `change-${id}` };
  const first = await fixture.api.patch<CustomerView>(`/customers/${id}`, { address: 'Once' }, headers);
  const again = await fixture.api.patch<CustomerView>(`/customers/${id}`, { address: 'Once' }, headers);
  assert.deepEqual([first.status, again.status, again.body.data], [200, 200, first.body.data]);
});
