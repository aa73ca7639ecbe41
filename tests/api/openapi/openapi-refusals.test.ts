import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { FORM_MEDIA, isBelowApi, type Route, takesForm } from '../../../gateway/route.ts';
import { API_PREFIX } from '../../../gateway/router.ts';
import type { ApiHeaders, ApiReply } from '../../support/api-client.ts';
import { responseOf } from '../../support/contract/openapi.ts';
import { seedSession, seedUser } from '../../support/seeds/seed.ts';
import { useGateway } from '../api-fixture.ts';
import { nameOf, operationOf, ROUTES } from '../guards/route-table.ts';

/** Every route, refused in every way that goes before its handler: each is in the OpenAPI document, in its form. */

const UNKNOWN_ID = '999000111';
const HTTPS = { 'x-forwarded-proto': 'https' };

let superAdmin: ApiHeaders;

const fixture = useGateway(
  { environment: { ALLOW_INSECURE_HTTP: '0', TRUSTED_PROXIES: '127.0.0.1' } },
  async ({ gateway: { databaseUrl, organizationId } }) => {
    const { userId } = await seedUser(databaseUrl, 0, 'super_admin');
    // No request reaches a handler that would end it.
    superAdmin = {
      ...HTTPS,
      authorization: `Bearer ${await seedSession(databaseUrl, 0, userId)}`,
      'x-organization-id': String(organizationId),
    };
  },
);

interface Sent {
  readonly headers: ApiHeaders;
  readonly id?: string;
  readonly query?: string;
  readonly body?: string;
}

function send(route: Route, { headers, id = UNKNOWN_ID, query = '', body }: Sent): Promise<ApiReply<unknown>> {
  const prefix = isBelowApi(route) ? API_PREFIX : '';
  const path = `${prefix}${route.path.replace(/:\w+/g, id)}${query}`;
  return fixture.api.raw({ method: route.method, path, headers, body });
}

const isGuarded = ({ guard }: Route) => guard.kind !== 'operational' && guard.kind !== 'public';
const needsOrganization = ({ guard }: Route) => guard.kind === 'permission' && guard.scope !== 'platform';
const takesOrganization = (route: Route) => route.guard.kind === 'caller' || needsOrganization(route);
const takesJson = (route: Route) => route.kind === 'api' && route.body !== undefined;
const JSON_TYPE = { 'content-type': 'application/json' };
/** The media type that a route wants, where it has a body: a wrong one is refused before the query. */
const mediaOf = (route: Route) => {
  if (takesForm(route)) return { 'content-type': FORM_MEDIA };
  return route.body ? JSON_TYPE : {};
};

/** Ways to be refused: by which routes, with which status, by what request. */
const WAYS: readonly (readonly [string, (route: Route) => boolean, number, (route: Route) => Sent])[] = [
  ['without HTTPS', ({ guard }) => guard.kind !== 'operational', 403, () => ({ headers: {} })],
  ['without a credential', isGuarded, 401, () => ({ headers: HTTPS })],
  ['with two credentials', isGuarded, 400, () => ({ headers: { ...superAdmin, 'x-api-key': fixture.gateway.key } })],
  [
    'by a super admin who names no organization',
    needsOrganization,
    400,
    () => ({ headers: { ...superAdmin, 'x-organization-id': undefined } }),
  ],
  [
    'by a super admin who names what is no id',
    takesOrganization,
    400,
    () => ({ headers: { ...superAdmin, 'x-organization-id': 'x' } }),
  ],
  [
    'by a super admin who names an unknown organization',
    takesOrganization,
    404,
    () => ({ headers: { ...superAdmin, 'x-organization-id': UNKNOWN_ID } }),
  ],
  [
    'with a body that is too large',
    ({ body }) => body !== undefined,
    413,
    ({ body }) => ({
      headers: { ...superAdmin, ...JSON_TYPE },
      body: ' '.repeat(body!.maxBytes + 1),
    }),
  ],
  [
    'with a body of another type',
    takesJson,
    415,
    () => ({ headers: { ...superAdmin, 'content-type': 'text/plain' }, body: '{}' }),
  ],
  ['with malformed JSON', takesJson, 400, () => ({ headers: { ...superAdmin, ...JSON_TYPE }, body: '{' })],
  ['with a body that is a list', takesJson, 400, () => ({ headers: { ...superAdmin, ...JSON_TYPE }, body: '[]' })],
  [
    'with a malformed id in its path',
    ({ path, textParams }) => path.includes(':') && !textParams,
    400,
    (route) => ({
      headers: { ...superAdmin, ...(route.body ? JSON_TYPE : {}) },
      id: '0',
      ...(route.body ? { body: '{}' } : {}),
    }),
  ],
  [
    'with a malformed query',
    (route) => isBelowApi(route) && !route.query?.ignoresOthers,
    400,
    (route) => ({
      headers: { ...superAdmin, ...mediaOf(route) },
      query: '?%00=1',
      ...(route.body ? { body: '{}' } : {}),
    }),
  ],
  [
    'with a parameter that no call has',
    (route) => isBelowApi(route) && !route.query?.ignoresOthers,
    400,
    (route) => ({
      headers: { ...superAdmin, ...mediaOf(route) },
      query: '?zzz=1',
      ...(route.body ? { body: '{}' } : {}),
    }),
  ],
];

const ajv = new Ajv2020({ formats: { uuid: true, 'date-time': true, int64: true } });

for (const [way, isRefused, status, sentTo] of WAYS) {
  test(`the document has the refusal of a request that is refused ${way}`, async () => {
    const routes = ROUTES.filter(isRefused);
    assert.ok(routes.length > 10);
    for (const route of routes) {
      const reply = await send(route, sentTo(route));
      const place = `${nameOf(route)}: ${reply.status} ${reply.text}`;
      assert.equal(reply.status, status, place);
      const schema = responseOf(operationOf(route).responses, status)?.content?.['application/json']?.schema;
      assert.ok(schema, place);
      const validate = ajv.compile(schema);
      assert.ok(validate(reply.body), place);
    }
  });
}

test('a caller over its rate limit is refused as the document says, by every route but probes', () => {
  for (const route of ROUTES.filter(({ guard }) => guard.kind !== 'operational')) {
    const { responses } = operationOf(route);
    for (const status of [429, 503]) {
      const response = responseOf(responses, status);
      assert.ok(response?.content?.['application/json']?.schema, `${nameOf(route)} ${status}`);
      assert.ok(response.headers?.['Retry-After'], `${nameOf(route)} ${status}`);
    }
  }
});

test('a page for people answers with HTML, and the refusals before it are JSON', () => {
  const { responses } = operationOf(ROUTES.find((route) => nameOf(route) === 'GET /t/:token/events')!);
  assert.deepEqual(Object.keys(responses[429]!.content!).sort(), ['application/json', 'text/html']);
  assert.deepEqual(Object.keys(responses[404]!.content!), ['text/html']);
});
