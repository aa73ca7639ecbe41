import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { LIMITS } from '../../../schema/limits.ts';
import {
  type ApiClient,
  type ApiHeaders,
  type ApiReply,
  createApiClient,
  credential,
  taskInput,
} from '../../support/api-client.ts';
import { dereferenced } from '../../support/contract/openapi.ts';
import { createTestPlace, startTestGateway, type TestGateway, type TestPlace } from '../../support/system/gateway.ts';

/** Pages of other origins (docs/contract.md §1 "Other origins"), and that nothing changes without the setting. */

const CONSOLE = 'https://console.example.com';
const APP = 'capacitor://localhost';
const STRANGER = 'https://console.example.com.evil.example';
const EXPOSED =
  'ETag, Retry-After, RateLimit, RateLimit-Policy, Idempotency-Replayed, X-Correlation-Id, X-Log-Position';
const EXPOSURE = { 'access-control-expose-headers': EXPOSED, vary: 'Origin' };
const ALLOWED =
  'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, X-API-Key, X-Correlation-Id, ' +
  'X-Organization-Id';

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers?: ApiHeaders;
  readonly body?: string;
  /** Without the key of the channel. */
  readonly isAnonymous?: true;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const ask = (method: string, path: string, more: Omit<Asked, 'method' | 'path'> = {}): Asked => ({
  method,
  path: `/api/v1${path}`,
  ...more,
});
const task = (change: object = {}) => ({ headers: JSON_TYPE, body: JSON.stringify(taskInput(change)) });

/** One request for each kind of answer, with its status. */
const KINDS: readonly (readonly [name: string, status: number, asked: Asked])[] = [
  ['a list', 200, ask('GET', '/tasks')],
  ['HEAD', 200, ask('HEAD', '/tasks')],
  ['a new task', 201, ask('POST', '/tasks', task())],
  ['an export', 200, ask('GET', '/tasks/export')],
  ['what has not changed', 304, ask('GET', '/tasks/1', { headers: { 'if-none-match': '*' } })],
  ['the tracking page', 404, { method: 'GET', path: '/t/unknown' }],
  ['a probe', 200, { method: 'GET', path: '/healthz' }],
  ['the description', 200, { method: 'GET', path: '/openapi.json' }],
  ['malformed JSON', 400, ask('POST', '/tasks', { headers: JSON_TYPE, body: '{' })],
  ['a violation', 400, ask('GET', '/tasks?limit=0')],
  ['two credentials', 400, ask('GET', '/tasks', { headers: { authorization: 'Bearer x' } })],
  ['no credential', 401, ask('GET', '/tasks', { isAnonymous: true })],
  ['no credential for a stream', 401, ask('GET', '/realtime/me/events', { isAnonymous: true })],
  ['a missing permission', 403, ask('GET', '/audit-logs')],
  ['an unknown path', 404, ask('GET', '/nowhere')],
  ['an unknown task', 404, ask('GET', '/tasks/999000111')],
  ['another method', 405, ask('DELETE', '/tasks')],
  ['a state', 409, ask('PUT', '/tasks/1/status', { headers: JSON_TYPE, body: '{"status":"in_transit"}' })],
  [
    'another version',
    412,
    ask('PATCH', '/tasks/1', { headers: { ...JSON_TYPE, 'if-match': '"x"' }, body: '{"notes":"a"}' }),
  ],
  ['a large body', 413, ask('POST', '/tasks', { headers: JSON_TYPE, body: ' '.repeat(LIMITS.bodyBytes + 1) })],
  ['a long URL', 414, ask('GET', `/tasks?cursor=${'x'.repeat(LIMITS.urlBytes)}`)],
  ['another media type', 415, ask('POST', '/tasks', { headers: { 'content-type': 'text/plain' }, body: '{}' })],
  ['large headers', 431, ask('GET', '/tasks', { headers: { 'x-long': 'x'.repeat(LIMITS.headerBytes) } })],
];

let place: TestPlace;
let taskId: number;

before(async () => {
  place = await createTestPlace();
  await withGateway({}, async ({ api }) => {
    taskId = (await api.createTask()).id;
  });
  assert.equal(taskId, 1);
});
after(() => place.drop());

interface Running {
  readonly gateway: TestGateway;
  readonly api: ApiClient;
  /** The headers of an answer that are about origins. */
  readonly originHeadersOf: (asked: Asked, origin: string | undefined, status?: number) => Promise<Headers>;
}
type Headers = Readonly<Record<string, unknown>>;

async function withGateway(
  environment: Readonly<Record<string, string>>,
  body: (running: Running) => Promise<void>,
): Promise<void> {
  const gateway = await startTestGateway({ place, environment });
  const api = createApiClient(gateway);
  const originHeadersOf: Running['originHeadersOf'] = async (asked, origin, status) => {
    const key = asked.isAnonymous ? {} : credential(gateway.key);
    const reply = await api.raw<unknown>({ ...asked, headers: { ...key, ...asked.headers, origin } });
    if (status !== undefined) assert.equal(reply.status, status, `${asked.method} ${asked.path.slice(0, 60)}`);
    return about(reply);
  };
  try {
    await body({ gateway, api, originHeadersOf });
  } finally {
    api.close();
    await gateway.stop();
  }
}

function about({ headers }: Pick<ApiReply<unknown>, 'headers'>): Headers {
  const named = Object.entries(headers).filter(([name]) => name.startsWith('access-control-') || name === 'vary');
  return Object.fromEntries(named);
}

/** The headers of a stream's head. */
async function headersOfStream({ gateway }: Running, origin: string): Promise<Headers> {
  const leaving = new AbortController();
  const headers = { ...credential(gateway.key), origin };
  const url = `${gateway.baseUrl}/api/v1/realtime/me/events`;
  const { status, headers: given } = await fetch(url, { headers, signal: leaving.signal });
  leaving.abort();
  assert.equal(status, 200);
  return about({ headers: Object.fromEntries(given) });
}

for (const adapter of ['uws', 'node']) {
  test(`every kind of answer names a listed origin, and no other one (${adapter})`, async () => {
    const environment = { HTTP_ADAPTER: adapter, CORS_ORIGINS: `${CONSOLE}, ${APP}` };
    await withGateway(environment, async (running) => {
      for (const [name, status, asked] of KINDS) {
        for (const origin of [CONSOLE, APP]) {
          const expected = { 'access-control-allow-origin': origin, ...EXPOSURE };
          assert.deepEqual(await running.originHeadersOf(asked, origin, status), expected, `${name} for ${origin}`);
        }
        for (const origin of [STRANGER, 'null', CONSOLE.toUpperCase(), `${CONSOLE}, ${APP}`, '', undefined])
          assert.deepEqual(
            await running.originHeadersOf(asked, origin, status),
            { vary: 'Origin' },
            `${name}: ${origin}`,
          );
      }
      const expected = { 'access-control-allow-origin': CONSOLE, ...EXPOSURE };
      assert.deepEqual(await headersOfStream(running, CONSOLE), expected);
      assert.deepEqual(await headersOfStream(running, STRANGER), { vary: 'Origin' });
    });
  });

  test(`a preflight is answered without a credential, by the methods of its path (${adapter})`, async () => {
    await withGateway({ HTTP_ADAPTER: adapter, CORS_ORIGINS: CONSOLE }, async ({ api }) => {
      const paths = {
        '/api/v1/tasks': 'POST, GET, HEAD',
        '/api/v1/tasks/1': 'GET, HEAD, PATCH',
        '/api/v1/tasks/batch': 'POST',
        '/api/v1/agents/me/locations': 'POST',
        '/realtime/me/events': 'GET, HEAD',
        '/openapi.json': 'GET, HEAD',
      };
      const asking = { 'access-control-request-method': 'PUT', 'access-control-request-headers': 'x-unknown' };
      for (const [path, methods] of Object.entries(paths)) {
        for (const more of [{}, asking]) {
          const of = (origin?: string) => api.raw({ method: 'OPTIONS', path, headers: { ...more, origin } });
          const [listed, stranger, page] = [await of(CONSOLE), await of(STRANGER), await of()];
          for (const { status, text, headers } of [listed, stranger, page]) {
            assert.deepEqual([status, text, headers.allow], [204, '', methods], path);
            assert.equal(headers['ratelimit'], undefined);
          }
          assert.deepEqual(about(listed), {
            'access-control-allow-origin': CONSOLE,
            'access-control-allow-methods': methods,
            'access-control-allow-headers': ALLOWED,
            'access-control-max-age': '600',
            ...EXPOSURE,
          });
          for (const reply of [stranger, page]) assert.deepEqual(about(reply), { vary: 'Origin' });
        }
      }
      const unknown = await api.raw({ method: 'OPTIONS', path: '/api/v1/nowhere', headers: { origin: CONSOLE } });
      assert.equal(unknown.status, 404);
      assert.equal(about(unknown)['access-control-allow-origin'], CONSOLE);
    });
  });

  test(`without the setting no answer has a header about origins, and OPTIONS is a wrong method (${adapter})`, async () => {
    await withGateway({ HTTP_ADAPTER: adapter }, async (running) => {
      for (const [name, status, asked] of KINDS)
        assert.deepEqual(await running.originHeadersOf(asked, CONSOLE, status), {}, name);
      assert.deepEqual(await headersOfStream(running, CONSOLE), {});
      const headers = { 'access-control-request-method': 'GET' };
      for (const path of ['/api/v1/tasks', '/healthz'])
        assert.deepEqual(await running.originHeadersOf({ method: 'OPTIONS', path, headers }, CONSOLE, 405), {}, path);
    });
  });
}

test('with * the page of any origin may read the answers, and none may send credentials of its browser', async () => {
  await withGateway({ CORS_ORIGINS: '*' }, async (running) => {
    const expected = { 'access-control-allow-origin': '*', ...EXPOSURE };
    for (const [name, status, asked] of KINDS) {
      for (const origin of [STRANGER, 'null', undefined])
        assert.deepEqual(await running.originHeadersOf(asked, origin, status), expected, name);
    }
    const preflight = await running.api.raw({
      method: 'OPTIONS',
      path: '/api/v1/tasks',
      headers: { origin: STRANGER },
    });
    assert.equal(preflight.status, 204);
    assert.equal(about(preflight)['access-control-allow-origin'], '*');
  });
});

test('over plain HTTP the preflight passes, so that the page can read why its request does not', async () => {
  await withGateway({ CORS_ORIGINS: CONSOLE, ALLOW_INSECURE_HTTP: '0' }, async ({ api, originHeadersOf }) => {
    const preflight = await api.raw({ method: 'OPTIONS', path: '/api/v1/tasks', headers: { origin: CONSOLE } });
    assert.equal(preflight.status, 204);
    const refused = await originHeadersOf(ask('GET', '/tasks'), CONSOLE, 403);
    assert.equal(refused['access-control-allow-origin'], CONSOLE);
  });
});

test('a page may send every header that the description names, and every credential', async () => {
  await withGateway({ CORS_ORIGINS: CONSOLE }, async ({ api }) => {
    const { body } = await api.raw({ method: 'GET', path: '/openapi.json' });
    const { paths, components } = dereferenced(body as never) as unknown as Description;
    const parameters = Object.values(paths).flatMap((operations) =>
      Object.values(operations).flatMap((operation) => operation.parameters),
    );
    const schemes = Object.values(components.securitySchemes).filter((scheme) => scheme.in === 'header');
    const named = [...parameters.filter((parameter) => parameter.in === 'header'), ...schemes];
    const allowed = new Set(ALLOWED.toLowerCase().split(', '));
    assert.deepEqual(
      [...new Set(named.map(({ name }) => name!.toLowerCase()))].filter((name) => !allowed.has(name)),
      [],
    );
    assert.ok(named.length > 100);
  });
});

interface Named {
  readonly in?: string;
  readonly name?: string;
}
interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly parameters: readonly Named[] }>>>>;
  readonly components: { readonly securitySchemes: Readonly<Record<string, Named>> };
}
