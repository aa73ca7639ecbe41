import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Sql } from '../../../engine/store/postgres.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { type ApiClient, type ApiReply, createApiClient, taskInput } from '../../support/api-client.ts';
import { type OrganizationSeed, seedOrganization, withSql } from '../../support/seeds/seed.ts';
import { useGateway } from '../api-fixture.ts';

/** docs/contract.md §1 "Order of refusal": of two faults in one request the answer names the earlier one. */

const fixture = useGateway({ environment: { ALLOW_INSECURE_HTTP: '0', TRUSTED_PROXIES: '127.0.0.1' } });

/** A request in the making. */
interface Draft {
  method: string;
  path: string;
  seed: OrganizationSeed;
  headers: Record<string, string | undefined>;
  input: Record<string, unknown>;
  /** Changes the body once it is encoded. */
  spoil: ((text: string) => string)[];
  /** Changes the organization before the first use of its key. */
  rows: ((sql: Sql, organizationId: number) => PromiseLike<unknown>)[];
  /** The first use of its key. */
  beforehand: ((api: ApiClient) => Promise<unknown>)[];
}

interface Fault {
  readonly name: string;
  /** Two faults of one part of the request cannot be in it together. */
  readonly part: string;
  readonly status: number;
  readonly told: RegExp;
  readonly commit: (draft: Draft) => void;
}

const IDEMPOTENCY_KEY = 'used-before';
const TAKEN_CODE = 'TAKEN';

const FAULTS: readonly Fault[] = [
  {
    name: 'not HTTPS',
    part: 'transport',
    status: 403,
    told: /HTTPS_REQUIRED/,
    commit: ({ headers }) => {
      headers['x-forwarded-proto'] = 'http';
    },
  },
  {
    name: 'unknown path',
    part: 'line',
    status: 404,
    told: /Cannot (POST|DELETE)/,
    commit: (draft) => {
      draft.path = '/api/v1/nowhere';
    },
  },
  {
    name: 'wrong method',
    part: 'line',
    status: 405,
    told: /Method Not Allowed/,
    commit: (draft) => {
      draft.method = 'DELETE';
    },
  },
  {
    name: 'no key',
    part: 'key',
    status: 401,
    told: /"message":"Unauthorized"/,
    commit: ({ headers }) => {
      headers['x-api-key'] = undefined;
    },
  },
  {
    name: 'organization not active',
    part: 'organization',
    status: 403,
    told: /ORGANIZATION_NOT_ACTIVE/,
    commit: (draft) => {
      draft.seed = { ...draft.seed, status: 'inactive' };
    },
  },
  {
    name: 'channel suspended',
    part: 'channel',
    status: 403,
    told: /"message":"Forbidden"/,
    commit: (draft) => {
      draft.seed = { ...draft.seed, channelStatus: 'SUSPENDED' };
    },
  },
  {
    name: 'user not active',
    part: 'user',
    status: 403,
    told: /"message":"Forbidden"/,
    commit: ({ rows }) => {
      rows.push((sql, id) => sql`UPDATE users SET is_active = false WHERE organization_id = ${id}`);
    },
  },
  {
    name: 'e-mail address not verified',
    part: 'email',
    status: 403,
    told: /EMAIL_NOT_VERIFIED/,
    commit: ({ rows }) => {
      rows.push((sql, id) => sql`UPDATE users SET email_verified_at = NULL WHERE organization_id = ${id}`);
    },
  },
  {
    name: 'role not permitted',
    part: 'role',
    status: 403,
    told: /"message":"Forbidden"/,
    commit: (draft) => {
      draft.seed = { ...draft.seed, role: 'agent' };
    },
  },
  {
    name: 'too many requests',
    part: 'rate',
    status: 429,
    told: /RATE_LIMITED/,
    commit: ({ rows, beforehand }) => {
      rows.push((sql, id) => sql`UPDATE channels SET rate_limit = 1 WHERE organization_id = ${id}`);
      // A debt of ten seconds.
      const tasks = Array.from({ length: LIMITS.batchTasks }, () => ({}));
      beforehand.push((api) => api.post('/tasks/batch', { tasks }, { 'x-forwarded-proto': 'https' }));
    },
  },
  {
    name: 'body too large',
    part: 'size',
    status: 413,
    told: /Payload Too Large/,
    commit: ({ spoil }) => {
      spoil.push((text) => text + ' '.repeat(LIMITS.bodyBytes));
    },
  },
  {
    name: 'no JSON media type',
    part: 'media',
    status: 415,
    told: /Unsupported Media Type/,
    commit: ({ headers }) => {
      headers['content-type'] = 'text/plain';
    },
  },
  {
    name: 'malformed JSON',
    part: 'syntax',
    status: 400,
    told: /"The body is not valid JSON"/,
    commit: ({ spoil }) => {
      spoil.unshift((text) => text.slice(1));
    },
  },
  {
    name: 'violation',
    part: 'name',
    status: 400,
    told: /name must not be empty/,
    commit: ({ input }) => {
      input['name'] = '';
    },
  },
  {
    name: 'idempotency key reused',
    part: 'idempotency',
    status: 422,
    told: /IDEMPOTENCY_KEY_REUSED/,
    commit: ({ headers }) => {
      headers['idempotency-key'] = IDEMPOTENCY_KEY;
    },
  },
  {
    name: 'missing record',
    part: 'channelId',
    status: 404,
    told: /Channel with ID 999000111/,
    commit: ({ input }) => {
      input['channelId'] = 999_000_111;
    },
  },
  {
    name: 'conflict of state',
    part: 'code',
    status: 409,
    told: /TASK_CODE_TAKEN/,
    commit: ({ input }) => {
      input['code'] = TAKEN_CODE;
    },
  },
  {
    name: 'quota',
    part: 'quota',
    status: 403,
    told: /PACKAGE_LIMIT_EXCEEDED/,
    commit: (draft) => {
      draft.seed = { ...draft.seed, limits: { tasks: 1 } };
    },
  },
];

/** An organization whose one task has used the key, taken the code and filled the quota; then the request. */
async function send(faults: readonly Fault[]): Promise<ApiReply> {
  const draft: Draft = {
    method: 'POST',
    path: '/api/v1/tasks',
    seed: {},
    input: taskInput(),
    spoil: [],
    rows: [],
    beforehand: [],
    headers: { 'x-forwarded-proto': 'https', 'content-type': 'application/json' },
  };
  for (const fault of faults) fault.commit(draft);
  const { baseUrl, databaseUrl } = fixture.gateway;
  const { key, organizationId } = await seedOrganization(databaseUrl, draft.seed);
  await withSql(databaseUrl, async (sql) => {
    for (const change of draft.rows) await change(sql, organizationId);
  });
  const api = createApiClient({ baseUrl, key });
  try {
    const secure = { 'x-forwarded-proto': 'https', 'idempotency-key': IDEMPOTENCY_KEY };
    await api.post('/tasks', taskInput({ code: TAKEN_CODE, notes: 'the first' }), secure);
    for (const use of draft.beforehand) await use(api);
    const body = draft.spoil.reduce((text, spoil) => spoil(text), JSON.stringify(draft.input));
    return await api.raw({ ...draft, headers: { 'x-api-key': key, ...draft.headers }, body });
  } finally {
    api.close();
  }
}

test('the request that the faults are put into is accepted without them', async () => {
  const { status, text } = await send([]);
  assert.equal(status, 201, text);
});

for (const [index, earlier] of FAULTS.entries()) {
  test(`${earlier.name} alone is ${earlier.status}`, async () => {
    const { status, text } = await send([earlier]);
    assert.equal(status, earlier.status, text);
    assert.match(text, earlier.told);
  });
  const later = FAULTS.slice(index + 1).filter(({ part }) => part !== earlier.part);
  if (later.length === 0) continue;
  test(`${earlier.name} is reported before ${later.map(({ name }) => name).join(', ')}`, async () => {
    for (const other of later) {
      const { status, text } = await send([earlier, other]);
      assert.equal(status, earlier.status, `with ${other.name}: ${text}`);
      assert.match(text, earlier.told, `with ${other.name}`);
    }
  });
}
