import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../../../schema/limits.ts';
import { type ApiReply, taskInput } from '../../support/api-client.ts';
import {
  type Answer,
  ContractBreach,
  checkAnswer,
  checkEvent,
  checkMessage,
} from '../../support/contract/check-contract.ts';
import { openEventStream } from '../../support/event-stream.ts';
import { useGateway } from '../api-fixture.ts';

/**
 * Every client of the tests holds what it receives to the published documents; see tests/support/contract. Here real answers
 * and events are changed, and each change must be noticed.
 */

const fixture = useGateway();

type Json = Record<string, unknown>;

const BATTERY: Json = { battery: 1 };

/** Faults that a task gets. */
const PLANTED: readonly (readonly [fault: string, plant: (task: Json) => void])[] = [
  ['an extra field', (task) => Object.assign(task, { colour: 'red' })],
  ['an extra field deep inside', (task) => Object.assign(task['location'] as Json, BATTERY)],
  ['a missing field', (task) => delete task['dueAt']],
  ['a field of another type', (task) => Object.assign(task, { name: 5 })],
  ['null where there is always a value', (task) => Object.assign(task, { code: null })],
  ['an unknown status', (task) => Object.assign(task, { status: 'lost' })],
  ['a time with an offset', (task) => Object.assign(task, { createdAt: '2030-01-01T00:00:00.000+01:00' })],
  ['a time without milliseconds', (task) => Object.assign(task, { createdAt: '2030-01-01T00:00:00Z' })],
  ['a fraction for an id', (task) => Object.assign(task, { id: 1.5 })],
];

function answerOf(method: string, path: string, { status, headers, text }: ApiReply<unknown>): Answer {
  return { method, path: `/api/v1${path}`, status, contentType: headers['content-type'], text };
}

/** A copy with a change. */
function changed<T>(value: T, change: (copy: T) => unknown): T {
  const copy = structuredClone(value);
  change(copy);
  return copy;
}

const breaks = (check: () => void, fault: string) => assert.throws(check, ContractBreach, fault);

test('a planted fault in an answer is noticed, in a task alone, in a list and in the log', async () => {
  const { api } = await fixture.organization();
  const answers: [Answer, (body: Json) => Json][] = [
    [answerOf('POST', '/tasks', await api.post('/tasks', taskInput())), (body) => body['data'] as Json],
    [
      answerOf('GET', '/tasks?limit=1', await api.list('limit=1')),
      (body) => (body['data'] as { items: Json[] }).items[0]!,
    ],
    [
      answerOf('GET', '/events?types=task.created', await api.get('/events?types=task.created')),
      (body) => (body['data'] as { items: { data: { task: Json } }[] }).items[0]!.data.task,
    ],
  ];
  for (const [answer, taskOf] of answers) {
    checkAnswer(answer);
    for (const [fault, plant] of PLANTED) {
      const body = changed(JSON.parse(answer.text) as Json, (copy) => plant(taskOf(copy)));
      breaks(() => checkAnswer({ ...answer, text: JSON.stringify(body) }), `${answer.path}: ${fault}`);
    }
    const envelope = changed(JSON.parse(answer.text) as Json, (copy) => Object.assign(copy, BATTERY));
    breaks(() => checkAnswer({ ...answer, text: JSON.stringify(envelope) }), 'an extra field of the envelope');
  }
});

test('an answer with a status, body or type that its operation does not have is noticed', async () => {
  const created = answerOf('POST', '/tasks', await fixture.api.post('/tasks', taskInput()));
  const refused = answerOf('POST', '/tasks', await fixture.api.post('/tasks', {}));
  const unknown = answerOf('GET', '/boats', await fixture.api.get('/boats'));
  for (const answer of [created, refused, unknown]) checkAnswer(answer);
  for (const [fault, answer] of [
    ['another success', { ...created, status: 200 }],
    ['a success where there is a refusal', { ...refused, status: 201 }],
    ['a body that is no JSON', { ...created, text: 'ok' }],
    ['no body', { ...created, text: '' }],
    ['a page', { ...created, contentType: 'text/html' }],
    ['a refusal as a page', { ...refused, contentType: 'text/html; charset=utf-8' }],
    ['a refusal with an extra field', { ...refused, text: refused.text.replace('{', '{"battery":1,') }],
    ['an unknown path with a success', { ...unknown, text: created.text }],
  ] as const)
    breaks(() => checkAnswer(answer), fault);
});

test('a planted fault in an event is noticed, and so is an event without a schema', async () => {
  const { organizationId, key, api } = await fixture.organization();
  const stream = await openEventStream(fixture.gateway.baseUrl, { key, organizationId });
  const ready = await stream.next();
  await api.createTask();
  const event = (await stream.take(1))[0]!.data as unknown as { readonly data: { readonly task: Json } };
  stream.close();
  // The same body goes to webhooks.
  for (const check of [checkMessage, checkEvent]) {
    check('task.created', event);
    for (const [fault, plant] of PLANTED) {
      const body = changed(event, (copy) => plant(copy.data.task));
      breaks(() => check('task.created', body), fault);
    }
    breaks(() => check('task.updated', event), 'the name of another event');
    breaks(() => check('task.sold', event), 'an event that nobody described');
  }
  breaks(() => checkMessage('stream.ready', { ...ready.data, ...BATTERY }), 'an extra field of a control message');
});

test('refusals of the body itself are what the document says', async () => {
  const headers = { 'x-api-key': fixture.gateway.key, 'content-type': 'application/json' };
  const send = async (change: object, body: string) =>
    (await fixture.api.raw({ method: 'POST', path: '/api/v1/tasks', headers: { ...headers, ...change }, body })).status;
  assert.equal(await send({}, '{'), 400);
  assert.equal(await send({ 'idempotency-key': '' }, JSON.stringify(taskInput())), 400);
  assert.equal(await send({ 'content-type': 'text/plain' }, '{}'), 415);
  assert.equal(await send({}, ' '.repeat(LIMITS.bodyBytes + 1)), 413);
});
