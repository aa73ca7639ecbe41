import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../../../schema/limits.ts';
import { type ApiReply, taskInput } from '../../support/api-client.ts';
import { useGateway } from '../api-fixture.ts';

/** Names in a query that a call does not have (docs/contract.md §1 "Parameters"). */

const fixture = useGateway();

const unknown = (name: string, near?: string) =>
  `${name} is not a parameter of this call${near ? `; did you mean ${near}?` : ''}`;

function assertViolations({ status, body }: ApiReply<unknown>, violations: readonly string[], which: string): void {
  assert.deepEqual([status, body.message, body.error], [400, violations, 'Bad Request'], which);
}

/** A query of GET /tasks, and its violations. */
const OF_A_LIST: readonly (readonly [query: string, violations: readonly string[]])[] = [
  ['stauts=new', [unknown('stauts', 'status')]],
  ['stauts', [unknown('stauts', 'status')]],
  ['stauts=', [unknown('stauts', 'status')]],
  ['stauts=new&stauts=assigned', [unknown('stauts', 'status')]],
  ['limt=5&foo=1', [unknown('limt', 'limit'), unknown('foo')]],
  ['Status=new', [unknown('Status', 'status')]],
  ['sort_by=status&sortorder=ASC', [unknown('sort_by', 'sortBy'), unknown('sortorder', 'sortOrder')]],
  ['agent=1', [unknown('agent', 'agentId')]],
  ['%73tauts=new', [unknown('stauts', 'status')]],
  ['pag+e=1', [unknown('pag e', 'page')]],
  ['limit=0&stauts=x', [unknown('stauts', 'status'), 'limit must be an integer between 1 and 100']],
  ['page=1&page=2&x=1', [unknown('x'), 'page must be given once']],
  ['integrationData=1', [unknown('integrationData', 'integrationData.<key>')]],
  ['integrationdata.shop=1', [unknown('integrationdata.shop', 'integrationData.<key>')]],
  ['integrationData[shop]=1', [unknown('integrationData[shop]', 'integrationData.<key>')]],
  ['q=1', [unknown('q')]],
  ['per_page=1', [unknown('per_page')]],
  ['token=1', [unknown('token')]],
  ['=1', ['the query has a value without a name']],
  ['=', ['the query has a value without a name']],
  ['__proto__=1', [unknown('__proto__')]],
  ['%C3%A9t%C3%A9=1', [unknown('été')]],
  ['%00=1&%ff=2&x=3', ['the query must be percent-encoded UTF-8 without NUL', unknown('x')]],
  [`${'x'.repeat(LIMITS.parameterNameChars)}=1`, [unknown('x'.repeat(LIMITS.parameterNameChars))]],
  [`${'status'.repeat(600)}=1`, [unknown(`${'status'.repeat(11).slice(0, LIMITS.parameterNameChars)}…`)]],
  [`${'%F0%9F%9A%9A'.repeat(300)}=1`, [unknown(`${'🚚'.repeat(LIMITS.parameterNameChars)}…`)]],
];

for (const [query, violations] of OF_A_LIST) {
  test(`GET /tasks?${query.slice(0, 40)} is refused with ${violations.length} entries`, async () => {
    assertViolations(await fixture.api.list(query), violations, query);
  });
}

for (const query of ['', '&', '&&limit=1&', 'limit=1&status=', 'integrationData.shop=1', 'integrationData.a.b=1']) {
  test(`GET /tasks?${query} has only names that it knows`, async () => {
    const { status, text } = await fixture.api.list(query);
    assert.equal(status, 200, text);
  });
}

test('a thousand unknown names get a bounded answer', async () => {
  const names = Array.from({ length: 1_000 }, (_, i) => i.toString(36).padStart(2, '_'));
  const reply = await fixture.api.list(names.join('&'));
  const told = names.slice(0, LIMITS.unknownParameters);
  const others = 1_000 - LIMITS.unknownParameters;
  const rest = `the query has ${others} more names that are not parameters of this call`;
  assert.equal(reply.status, 400);
  assert.equal(reply.body.message.length, LIMITS.unknownParameters + 1);
  assert.ok(told.every((name, i) => reply.body.message[i]!.startsWith(`${name} is not a parameter`)));
  assert.equal(reply.body.message.at(-1), rest);
  assert.ok(reply.text.length < 16_384);
});

/** A call, and its violations. */
const OF_OTHER_CALLS: readonly (readonly [method: string, path: string, violations: readonly string[]])[] = [
  ['GET', '/tasks/1?limit=1', [unknown('limit')]],
  ['GET', '/tasks/x?limit=1', ['id must be a positive integer', unknown('limit')]],
  ['GET', '/auth/me?verbose=1', [unknown('verbose')]],
  ['POST', '/tasks/1/auto-assign?force=true', [unknown('force')]],
  ['GET', '/tasks/export?stauts=new', [unknown('stauts', 'status')]],
  ['GET', '/tasks/export?page=1', [unknown('page')]],
  ['GET', '/tasks/1/print/receipt?with=58', [unknown('with', 'width')]],
  ['GET', '/realtime/me/events?typs=a', [unknown('typs', 'types')]],
  ['GET', '/realtime/me/events?token=&typs=a', [unknown('typs', 'types')]],
  ['GET', '/realtime/me/events?tokn=a', [unknown('tokn', 'token')]],
  ['GET', '/tracking/tasks?tokn=a', [unknown('tokn', 'token')]],
  ['GET', '/events?afer=1', [unknown('afer', 'after')]],
];

for (const [method, path, violations] of OF_OTHER_CALLS) {
  test(`${method} ${path} is refused`, async () => {
    const headers = path.startsWith('/tracking') ? {} : { 'x-api-key': fixture.gateway.key };
    assertViolations(await fixture.api.raw({ method, path: `/api/v1${path}`, headers }), violations, path);
  });
}

test('a call without the prefix refuses the same names', async () => {
  assertViolations(
    await fixture.api.raw({ method: 'GET', path: '/tracking/tasks?token=a&taskid=1' }),
    [unknown('taskid', 'taskId')],
    'bare',
  );
});

test('names of the query and fields of the body are refused together, and nothing is created', async () => {
  const { count } = (await fixture.api.list()).body.data;
  const wrong = await fixture.api.post('/tasks/batch?atomc=true', {});
  assertViolations(wrong, [unknown('atomc', 'atomic'), 'tasks is required'], 'batch');
  assertViolations(await fixture.api.post('/tasks?source=shop', taskInput()), [unknown('source')], 'create');
  assert.equal((await fixture.api.list()).body.data.count, count);
});

test('a caller without a credential learns no names', async () => {
  const { status } = await fixture.api.raw({ method: 'GET', path: '/api/v1/tasks?stauts=new' });
  assert.equal(status, 401);
});

test('operational paths, the tracking page and the checkout page ignore such names', async () => {
  for (const path of ['/healthz', '/readyz', '/metrics', '/openapi.json']) {
    const { status, text } = await fixture.api.raw({ method: 'GET', path: `${path}?x=1&=2&%00` });
    assert.equal(status, 200, text.slice(0, 100));
  }
  for (const page of ['/t/unknown', '/api/v1/payments/checkout/unknown', '/payments/checkout/unknown'])
    for (const query of ['fbclid=1&utm_source=a', 'utm_campaign=%E4pfel', '%E4=1', '%00&=%ff']) {
      const { status, headers } = await fixture.api.raw({ method: 'GET', path: `${page}?${query}` });
      assert.deepEqual([status, headers['content-type']], [404, 'text/html; charset=utf-8'], `${page}?${query}`);
    }
});

test('a name that the checkout page knows has a value that can be read', async () => {
  const path = '/api/v1/payments/checkout/unknown?returned=%E4';
  const answer = await fixture.api.raw({ method: 'GET', path });
  assertViolations(answer, ['the query must be percent-encoded UTF-8 without NUL'], path);
});
