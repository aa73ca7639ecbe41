import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiRoute, Route } from '../../../gateway/route.ts';
import type { ApiClient, ApiHeaders, ApiReply } from '../../support/api-client.ts';
import { responseOf } from '../../support/contract/openapi.ts';
import { openEventStream } from '../../support/event-stream.ts';
import { seedOrganization, seedSession, seedUser } from '../../support/seeds/seed.ts';
import { useGateway } from '../api-fixture.ts';
import { EXPECTED } from '../guards/expected-guards.ts';
import { bodyOf, makeRecords, type Records } from '../guards/own-records.ts';
import { nameOf, operationOf, ROUTES } from '../guards/route-table.ts';

/** The OpenAPI document names exactly the headers that each route honours; each route is asked. */

let api: ApiClient;
let key: string;
let own: Records;
/** In a session of its own: one of the routes ends it. */
let superAdmin: () => Promise<ApiHeaders>;

const fixture = useGateway({ own: 'a super admin asks it all' }, async ({ gateway: { databaseUrl }, clientOf }) => {
  const mine = await seedOrganization(databaseUrl, { role: 'org_admin' });
  key = mine.key;
  api = clientOf(key);
  own = await makeRecords(databaseUrl, mine, api);
  const { userId } = await seedUser(databaseUrl, 0, 'super_admin');
  superAdmin = async () => ({
    authorization: `Bearer ${await seedSession(databaseUrl, 0, userId)}`,
    'x-organization-id': String(mine.organizationId),
  });
});

const apiRoutes = ROUTES.filter((route): route is ApiRoute => route.kind === 'api');

/** With own ids in its path, and a body that is taken. */
function ask(route: ApiRoute, headers: ApiHeaders): Promise<ApiReply<unknown>> {
  const { names } = EXPECTED[nameOf(route)]!;
  const path = `/api/v1${route.path.replace(/:\w+/g, () => String(names ? own[names] : 999_000_111))}`;
  const body = route.body && JSON.stringify(bodyOf(nameOf(route), own) ?? {});
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  return api.raw({ method: route.method, path, headers: { ...type, ...headers }, body });
}

const declares = (route: Route, header: string) =>
  operationOf(route).parameters.some((parameter) => parameter.in === 'header' && parameter.name === header);
const answersWith = (route: ApiRoute, status: number | string, header: string) =>
  operationOf(route).responses[String(status)]?.headers?.[header] !== undefined;

for (const route of apiRoutes.filter(({ method }) => method === 'GET')) {
  test(`${nameOf(route)} has the entity tag, and heeds the If-None-Match, that the document says`, async () => {
    const { status, headers } = await ask(route, { 'x-api-key': key });
    const { etag } = headers;
    assert.equal(etag !== undefined, answersWith(route, 200, 'ETag'), `${status}`);
    const isDeclared = declares(route, 'If-None-Match');
    assert.deepEqual([isDeclared, answersWith(route, 304, 'ETag')], [etag !== undefined, etag !== undefined]);
    const again = await ask(route, { 'x-api-key': key, 'if-none-match': etag ?? '*' });
    assert.equal(again.status === 304, isDeclared);
  });
}

/** Their other refusals come before If-Match, so they would not answer the question. */
for (const route of apiRoutes.filter(({ method }) => method === 'PATCH' || method === 'PUT')) {
  test(`${nameOf(route)} heeds an If-Match if the document says so`, async () => {
    const { status, text } = await ask(route, { 'x-api-key': key, 'if-match': '"other"' });
    const isDeclared = declares(route, 'If-Match');
    assert.equal(status === 412, isDeclared, text);
    assert.equal(operationOf(route).responses['412'] !== undefined, isDeclared);
    if (route.method === 'PATCH') assert.ok(isDeclared);
    if (!isDeclared) return;
    const taken = await ask(route, { 'x-api-key': key, 'if-match': '*' });
    assert.ok(taken.status < 300, taken.text);
    assert.equal(taken.headers.etag !== undefined, answersWith(route, taken.status, 'ETag'));
  });
}

for (const route of apiRoutes.filter(({ method }) => method !== 'GET')) {
  test(`${nameOf(route)} judges an Idempotency-Key if the document has one`, async () => {
    const { status, text } = await ask(route, { ...(await superAdmin()), 'idempotency-key': 'k'.repeat(256) });
    const isJudged = status === 400 && text.includes('The Idempotency-Key must be');
    const isDeclared = declares(route, 'Idempotency-Key');
    assert.equal(isJudged, isDeclared, text);
    const { responses } = operationOf(route);
    assert.equal(responses['422']?.description.includes('IDEMPOTENCY_KEY_REUSED') ?? false, isDeclared);
    assert.equal(answersWith(route, route.success.status, 'Idempotency-Replayed'), isDeclared);
  });
}

for (const route of apiRoutes.filter(({ path, body }) => path.includes(':') && body)) {
  const name = nameOf(route);
  const { names } = EXPECTED[name]!;
  if (!names || !declares(route, 'Idempotency-Key')) continue;
  test(`${name} answers the same again under the same Idempotency-Key`, async () => {
    const headers = { 'x-api-key': key, 'idempotency-key': `${name} again` };
    const first = await ask(route, headers);
    const second = await ask(route, headers);
    assert.deepEqual([second.status, second.headers['idempotency-replayed']], [first.status, 'true'], first.text);
    assert.ok(responseOf(operationOf(route).responses, first.status), first.text);
  });
}

const streams = ROUTES.filter((route) => route.kind === 'raw' && route.messages);

test('the streams alone have a Last-Event-ID in the document', () => {
  assert.deepEqual(
    ROUTES.filter((route) => declares(route, 'Last-Event-ID')).map(({ path }) => path),
    streams.map(({ path }) => path),
  );
});

for (const route of streams) {
  test(`${nameOf(route)} looks for the place that a Last-Event-ID names`, async () => {
    const organizationId = own.organization;
    const path = route.path.replace(':organizationId', String(organizationId));
    const { baseUrl } = fixture.gateway;
    const stream = await openEventStream(baseUrl, { key, path, organizationId, lastEventId: 'in no log' });
    const messages = [await stream.next(), await stream.next()];
    stream.close();
    assert.deepEqual(
      messages.map(({ event }) => event),
      ['stream.ready', 'stream.resync'],
    );
  });
}
