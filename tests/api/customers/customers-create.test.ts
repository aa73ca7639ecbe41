import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CustomerView } from '../../../schema/customers/customer.ts';
import { taskInput } from '../../support/api-client.ts';
import { withSql } from '../../support/seeds/seed.ts';
import { useGateway } from '../api-fixture.ts';

const fixture = useGateway();

const ada = {
  name: '  Ada  Mary Lovelace ',
  phone: '+44 20 7946 0001',
  email: 'Ada@Example.com',
  address: '12 Mill Lane',
};

/** A possible number that nobody has. */
const phoneOf = (number: number) => `+4479${String(number).padStart(8, '0')}`;

test('a customer is answered with its name and its phone split, and every field there', async () => {
  const { api } = await fixture.organization();
  const { status, body } = await api.post<CustomerView>('/customers', ada);
  assert.equal(status, 201);
  const { id, userId, createdAt, updatedAt, ...rest } = body.data;
  assert.deepEqual(rest, {
    customerType: 'individual',
    name: 'Ada Mary Lovelace',
    address: '12 Mill Lane',
    user: {
      id: userId,
      firstName: 'Ada',
      lastName: 'Mary Lovelace',
      email: 'Ada@Example.com',
      phoneNumber: '2079460001',
      countryCode: '+44',
    },
  });
  assert.ok(id > 0 && userId > 0);
  assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.equal(updatedAt, createdAt);
  assert.match(body.metadata.position, /^[a-z0-9]+-\d+$/);
});

test('name and phone are enough: e-mail and address are null, a single word is the first name', async () => {
  const { body } = await fixture.api.post<CustomerView>('/customers', { name: 'Prince', phone: phoneOf(1) });
  const { name, address, user } = body.data;
  assert.deepEqual([name, address, user.email, user.firstName, user.lastName], ['Prince', null, null, 'Prince', '']);
});

test('a customer is what it is said to be, an individual unless it is said, and so do its tasks show it', async () => {
  const { api } = await fixture.organization();
  for (const [index, [said, is]] of (
    [
      ['business', 'business'],
      ['individual', 'individual'],
      [null, 'individual'],
      [undefined, 'individual'],
    ] as const
  ).entries()) {
    const body = { name: 'Ada', phone: phoneOf(50 + index), customerType: said };
    const made = await api.post<CustomerView>('/customers', body);
    assert.deepEqual([made.status, made.body.data.customerType], [201, is]);
    const { id } = made.body.data;
    const read = await api.get<CustomerView>(`/customers/${id}`);
    assert.equal(read.body.data.customerType, is);
    const task = await api.createTask({ customer: undefined, customerId: id });
    assert.equal(task.customer!.customerType, is);
  }
});

test('the type of a customer does not change with PATCH, nor with a task that repeats it', async () => {
  const { api } = await fixture.organization();
  const made = await api.post<CustomerView>('/customers', {
    name: 'Ada',
    phone: phoneOf(60),
    customerType: 'business',
  });
  const path = `/customers/${made.body.data.id}`;
  const patched = await api.patch<CustomerView>(path, { name: 'Bea', customerType: 'individual' });
  assert.deepEqual([patched.body.data.name, patched.body.data.customerType], ['Bea', 'business']);
  const task = await api.createTask({ customer: { name: 'Ada', phone: phoneOf(60), customerType: 'individual' } });
  assert.equal(task.customer!.customerType, 'business');
  const fresh = await api.createTask({ customer: { name: 'New', phone: phoneOf(61), customerType: 'business' } });
  assert.equal(fresh.customer!.customerType, 'individual');
});

test('every violation is named at once', async () => {
  const body = { name: ' ', phone: '12', email: 'nobody', address: 'x'.repeat(256), customerType: 'firm' };
  const reply = await fixture.api.post('/customers', body);
  assert.equal(reply.status, 400);
  assert.deepEqual(reply.body.message, [
    'name must not be empty',
    'phone must be a possible phone number with its country code',
    'email must be an e-mail address',
    'address must be at most 255 characters',
    'customerType must be one of: individual, business',
  ]);
  const empty = await fixture.api.post('/customers', {});
  assert.deepEqual(empty.body.message, ['name is required', 'phone is required']);
});

test('a phone that a customer has, however it is written, is 409, and the customer is named', async () => {
  const { api } = await fixture.organization();
  const first = await api.post<CustomerView>('/customers', ada);
  const second = await api.post('/customers', { name: 'Bea', phone: '+44-20-7946-0001' });
  assert.equal(second.status, 409);
  assert.deepEqual(JSON.parse(second.text), {
    statusCode: 409,
    message: 'Another customer of the organization has this phone number',
    error: 'Conflict',
    code: 'CUSTOMER_PHONE_TAKEN',
    details: { customerId: first.body.data.id },
  });
});

test('another organization may have the same phone', async () => {
  const [one, other] = await Promise.all([fixture.organization(), fixture.organization()]);
  for (const { api } of [one, other]) assert.equal((await api.post('/customers', ada)).status, 201);
});

test('of 100 customers at once with one phone exactly one is created', async () => {
  const { api, organizationId } = await fixture.organization();
  const replies = await Promise.all(Array.from({ length: 100 }, () => api.post('/customers', ada)));
  const taken = replies.filter(({ status, body }) => status === 409 && body.code === 'CUSTOMER_PHONE_TAKEN');
  assert.equal(replies.filter(({ status }) => status === 201).length, 1);
  assert.equal(taken.length, 99);
  assert.equal(await countCustomers(organizationId), 1);
});

test('a customer whom 500 tasks and 20 requests bring along at once exists once', async () => {
  const { api, organizationId } = await fixture.organization();
  const tasks = Array.from({ length: 500 }, () => api.createTask({ customer: { name: 'Ada', phone: ada.phone } }));
  const customers = Array.from({ length: 20 }, () => api.post<CustomerView>('/customers', ada));
  const ids = new Set((await Promise.all(tasks)).map(({ customerId }) => customerId));
  const replies = await Promise.all(customers);
  assert.equal(ids.size, 1);
  assert.ok(replies.filter(({ status }) => status === 201).length <= 1);
  for (const { status, body } of replies) {
    assert.equal(status === 201 ? body.data.id : body.details['customerId'], [...ids][0]);
  }
  assert.equal(await countCustomers(organizationId), 1);
});

test('of 200 customers at once exactly as many are created as the limit allows, and the others get the reason', async () => {
  const { api, organizationId } = await fixture.organization({ limits: { customers: 60 } });
  const posts = Array.from({ length: 200 }, (_, index) =>
    api.post('/customers', { name: 'Ada', phone: phoneOf(1_000 + index) }),
  );
  const replies = await Promise.all(posts);
  const refused = replies.filter(({ status }) => status !== 201);
  assert.equal(replies.length - refused.length, 60);
  for (const { status, body } of refused) {
    assert.equal(status, 403);
    assert.equal(body.code, 'PACKAGE_LIMIT_EXCEEDED');
    assert.deepEqual(body.details, { resource: 'customers', limit: 60, used: 60, remaining: 0, resetsAt: null });
  }
  assert.equal(await countCustomers(organizationId), 60);
});

test('a taken phone is reported before the limit', async () => {
  const { api } = await fixture.organization({ limits: { customers: 1 } });
  assert.equal((await api.post('/customers', ada)).status, 201);
  assert.equal((await api.post('/customers', ada)).body.code, 'CUSTOMER_PHONE_TAKEN');
  assert.equal((await api.post('/customers', { ...ada, phone: phoneOf(4) })).body.code, 'PACKAGE_LIMIT_EXCEEDED');
});

test('the customers that tasks bring along and those made here count against one limit', async () => {
  const { api } = await fixture.organization({ limits: { customers: 2 } });
  await api.createTask();
  assert.equal((await api.post('/customers', { name: 'Second', phone: phoneOf(5) })).status, 201);
  const third = await api.post('/tasks', taskInput({ customer: { name: 'Third', phone: phoneOf(6) } }));
  assert.deepEqual([third.status, third.body.code], [403, 'PACKAGE_LIMIT_EXCEEDED']);
});

test('a task for a customer made here matches by phone and fills nothing that is filled', async () => {
  const { api } = await fixture.organization();
  const { body } = await api.post<CustomerView>('/customers', ada);
  const customer = { name: 'Someone Else', phone: '+442079460001', email: 'else@example.com' };
  const task = await api.createTask({ customer });
  assert.equal(task.customerId, body.data.id);
  assert.deepEqual(task.customer!.user, body.data.user);
  assert.equal((await api.createTask({ customer: undefined, customerId: body.data.id })).customerId, body.data.id);
});

test('a retry with its key gets the first answer and makes no second customer', async () => {
  const { api, organizationId } = await fixture.organization();
  const key = { 'idempotency-key': 'customer-1' };
  const first = await api.post<CustomerView>('/customers', ada, key);
  const again = await api.post<CustomerView>('/customers', ada, key);
  assert.deepEqual([again.status, again.body.data], [201, first.body.data]);
  assert.equal(again.headers['idempotency-replayed'], 'true');
  assert.equal((await api.post('/customers', { ...ada, name: 'Bea' }, key)).body.code, 'IDEMPOTENCY_KEY_REUSED');
  assert.equal(await countCustomers(organizationId), 1);
});

async function countCustomers(organizationId: number): Promise<number> {
  const [row] = await withSql(
    fixture.gateway.databaseUrl,
    (sql) => sql<{ count: number; used: number }[]>`
    SELECT count(*), (SELECT used FROM usage WHERE organization_id = ${organizationId} AND resource = 'customers') AS used
    FROM customers WHERE organization_id = ${organizationId}`,
  );
  assert.equal(row!.used, row!.count, 'usage counts what is there');
  return row!.count;
}
