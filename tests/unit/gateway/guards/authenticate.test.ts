import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../../../../engine/runtime/log.ts';
import type { Credential, SessionKey } from '../../../../engine/store/access/credential-store.ts';
import type { StreamGrant } from '../../../../engine/store/access/stream-token-store.ts';
import { createAuthenticator } from '../../../../gateway/guards/authenticate.ts';
import type { IncomingRequest } from '../../../../gateway/http/port.ts';
import type { Guard, Route } from '../../../../gateway/route.ts';
import { LIMITS } from '../../../../schema/limits.ts';

const KEY = `dk_live_${'k'.repeat(40)}`;
const TOKEN = `da_${'t'.repeat(40)}`;
const ORIGIN = { correlationId: '5f3c1d7e-0a1b-4c2d-8e3f-0123456789ab', address: '203.0.113.9' };
const USERS: Guard = { kind: 'permission', permission: 'users' };
const TASKS: Guard = { kind: 'permission', permission: 'tasks:read' };
const PLATFORM: Guard = { kind: 'permission', permission: 'organizations', scope: 'platform' };

const KEY_CREDENTIAL: Credential = {
  hash: '',
  organizationId: 1,
  organizationStatus: 'active',
  channelId: 2,
  channelStatus: 'ACTIVE',
  userId: 3,
  role: 'integration',
  isActive: true,
  isVerified: true,
  agentId: null,
  sessionId: null,
  snapshot: '5:8:6',
  expiresAtMs: Number.POSITIVE_INFINITY,
  sessionEndsAtMs: Number.POSITIVE_INFINITY,
  rateLimit: 7,
  locationsWrite: true,
};
const SESSION: Credential = { ...KEY_CREDENTIAL, role: 'org_admin', sessionId: 4, rateLimit: null };
const SUPER_ADMIN: Credential = {
  ...SESSION,
  role: 'super_admin',
  organizationId: 0,
  organizationStatus: null,
  channelId: 0,
  channelStatus: null,
};

interface Asking {
  readonly guard?: Guard;
  readonly headers?: Readonly<Record<string, string>>;
  readonly credential?: Credential | Promise<Credential>;
  /** Built-in channels by organization. */
  readonly consoles?: ReadonlyMap<number, number>;
  readonly onOrganizationAsked?: () => void;
  /** The grant of a stream token, and the caller of its session. */
  readonly grant?: StreamGrant;
  readonly findOfSession?: (session: SessionKey) => Credential | undefined;
}

const feed = { generation: 0 };

async function ask(asking: Asking) {
  const { guard = TASKS, credential, consoles = new Map([[1, 20]]), onOrganizationAsked = () => {}, grant } = asking;
  const headers: Readonly<Record<string, string>> =
    asking.headers ?? (grant ? {} : (await credential)?.sessionId ? bearer(TOKEN) : { 'x-api-key': KEY });
  const authenticate = createAuthenticator({
    credentials: {
      find: (secret) => (secret === KEY || secret === TOKEN ? credential : undefined),
      findByHash: (secretHash) => (secretHash === grant?.credentialHash ? credential : undefined),
    },
    streamTokens: { find: async () => grant, take: async () => grant },
    store: {
      async findConsoleChannel(organizationId) {
        onOrganizationAsked();
        return consoles.get(organizationId);
      },
      findOfSession: async (session) => asking.findOfSession?.(session),
    },
    feed,
    log: createLog('gateway', 'silent'),
  });
  const request: IncomingRequest = {
    method: 'GET',
    path: '/api/v1/tasks',
    query: grant ? `token=dst_${'s'.repeat(40)}` : '',
    remoteAddress: '',
    header: (name) => headers[name],
    headerCount: (name) => (name in headers ? 1 : 0),
    readBody: () => Promise.reject(new Error('has none')),
  };
  return authenticate(request, { guard, kind: 'raw', takesStreamToken: true } as unknown as Route, ORIGIN);
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function refusedAs(asking: Asking): Promise<string> {
  const answer = await ask(asking);
  assert.ok('refused' in answer, 'let in');
  const { statusCode, message, code } = JSON.parse(answer.refused.body) as Record<string, unknown>;
  assert.equal(statusCode, answer.refused.status);
  return `${answer.refused.status} ${code ?? message}`;
}

test('a key stands for its channel', async () => {
  const answer = await ask({ credential: { ...KEY_CREDENTIAL, agentId: 9 } });
  assert.deepEqual(answer, {
    identity: {
      organizationId: 1,
      role: 'integration',
      caller: { type: 'channel', id: 2, channelId: 2, role: 'integration', agentId: 9, userId: 3, origin: ORIGIN },
      sessionId: null,
      sessionEndsAtMs: Number.POSITIVE_INFINITY,
      credentialHash: '',
      snapshot: '5:8:6',
      rateLimit: 7,
      locationsWrite: true,
    },
  });
});

test('an access token stands for its user, in the channel that sessions have', async () => {
  for (const headers of [bearer(TOKEN), { authorization: `bearer  ${TOKEN}` }]) {
    const answer = await ask({ credential: SESSION, headers });
    assert.ok('identity' in answer);
    assert.deepEqual(answer.identity!.caller, {
      type: 'user',
      id: 3,
      channelId: 2,
      role: 'org_admin',
      agentId: null,
      userId: 3,
      origin: ORIGIN,
    });
    assert.equal(answer.identity!.sessionId, 4);
  }
});

test('a credential counts only in the header that is its own', async () => {
  const wrong = [
    {},
    { 'x-api-key': TOKEN },
    bearer(KEY),
    { authorization: TOKEN },
    { authorization: `Basic ${TOKEN}` },
    { authorization: 'Bearer' },
    { authorization: `Bearer ${TOKEN}, Bearer ${TOKEN}` },
    { authorization: `Bearer ${TOKEN} x` },
    { 'x-api-key': `${KEY}, ${KEY}` },
  ];
  for (const headers of wrong) {
    assert.equal(await refusedAs({ credential: SESSION, headers }), '401 Unauthorized', JSON.stringify(headers));
  }
  const both = { 'x-api-key': KEY, ...bearer(TOKEN) };
  assert.equal(await refusedAs({ credential: SESSION, headers: both }), '400 Exactly one credential may be given');
});

test('of several reasons to refuse, the first one in the decided order is reported', async () => {
  const faults: readonly (readonly [Partial<Credential>, string])[] = [
    [{ organizationStatus: 'inactive' }, '403 ORGANIZATION_NOT_ACTIVE'],
    [{ channelStatus: 'SUSPENDED' }, '403 Forbidden'],
    [{ isActive: false }, '403 Forbidden'],
    [{ isVerified: false }, '403 EMAIL_NOT_VERIFIED'],
    [{ role: 'agent' }, '403 Forbidden'],
  ];
  for (const base of [KEY_CREDENTIAL, SESSION]) {
    for (const [index, [, told]] of faults.entries()) {
      const all = Object.assign({}, ...faults.slice(index).map(([fault]) => fault));
      assert.equal(await refusedAs({ credential: { ...base, ...all }, guard: USERS }), told);
    }
  }
});

test('a refused caller that is known draws on its own limit; an unknown one does not', async () => {
  const known = await ask({ credential: { ...KEY_CREDENTIAL, isVerified: false } });
  assert.equal(known.identity?.caller.id, 2);
  assert.equal((await ask({ headers: { 'x-api-key': KEY } })).identity, undefined);
});

test('a route for who has signed in is none for a key', async () => {
  const guard: Guard = { kind: 'session' };
  assert.equal(await refusedAs({ credential: KEY_CREDENTIAL, guard }), '403 Forbidden');
  const answer = await ask({ credential: SUPER_ADMIN, guard });
  assert.equal(answer.identity?.organizationId, 0);
  assert.ok(!('refused' in answer));
});

test('a route for any caller lets keys and sessions in, and a super admin in no organization or in the one it names', async () => {
  const guard: Guard = { kind: 'caller' };
  for (const credential of [KEY_CREDENTIAL, SESSION]) {
    const answer = await ask({ credential, guard });
    assert.deepEqual(['refused' in answer, answer.identity?.organizationId], [false, 1]);
  }
  for (const [named, organizationId] of [
    [undefined, 0],
    ['', 0],
    ['1', 1],
  ] as const) {
    const answer = await ask({
      credential: SUPER_ADMIN,
      guard,
      headers: { ...bearer(TOKEN), ...(named !== undefined && { 'x-organization-id': named }) },
    });
    assert.deepEqual(['refused' in answer, answer.identity?.organizationId], [false, organizationId]);
  }
  const headers = { ...bearer(TOKEN), 'x-organization-id': 'x' };
  assert.equal(
    await refusedAs({ credential: SUPER_ADMIN, guard, headers }),
    '400 X-Organization-Id must be a positive integer',
  );
  assert.equal(await refusedAs({ credential: { ...SESSION, isActive: false }, guard }), '403 Forbidden');
});

test('a route over all organizations is for super admins, who need not name one', async () => {
  for (const credential of [KEY_CREDENTIAL, SESSION]) {
    assert.equal(await refusedAs({ credential, guard: PLATFORM }), '403 Forbidden');
  }
  const answer = await ask({ credential: SUPER_ADMIN, guard: PLATFORM });
  assert.ok(!('refused' in answer));
  assert.equal(answer.identity.organizationId, 0);
});

test('a super admin acts in the organization that it names, as itself', async () => {
  const headers = { ...bearer(TOKEN), 'x-organization-id': '1' };
  const answer = await ask({ credential: SUPER_ADMIN, headers });
  assert.ok(!('refused' in answer));
  const { organizationId, caller } = answer.identity;
  assert.deepEqual([organizationId, caller.type, caller.id, caller.channelId], [1, 'user', 3, 20]);
});

for (const [named, told] of [
  [undefined, '400 X-Organization-Id is required'],
  ['', '400 X-Organization-Id is required'],
  ['0', '400 X-Organization-Id must be a positive integer'],
  ['-1', '400 X-Organization-Id must be a positive integer'],
  ['1.0', '400 X-Organization-Id must be a positive integer'],
  ['1, 2', '400 X-Organization-Id must be a positive integer'],
  ['9007199254740992', '400 X-Organization-Id must be a positive integer'],
  ['7', '404 Organization with ID 7 not found'],
] as const) {
  test(`a super admin that names ${named ?? 'no organization'} gets ${told}`, async () => {
    const headers = { ...bearer(TOKEN), ...(named === undefined ? {} : { 'x-organization-id': named }) };
    assert.equal(await refusedAs({ credential: SUPER_ADMIN, headers }), told);
  });
}

test('a super admin that is not active any more learns nothing of organizations', async () => {
  const headers = { ...bearer(TOKEN), 'x-organization-id': '7' };
  assert.equal(await refusedAs({ credential: { ...SUPER_ADMIN, isActive: false }, headers }), '403 Forbidden');
});

test('nobody else can name an organization', async () => {
  const headers = { ...bearer(TOKEN), 'x-organization-id': '7' };
  const answer = await ask({ credential: SESSION, headers });
  assert.equal(answer.identity?.organizationId, 1);
});

test('a super admin whose access changes while its organization is looked up is judged again', async () => {
  const headers = { ...bearer(TOKEN), 'x-organization-id': '1' };
  let asked = 0;
  const answer = await ask({
    credential: SUPER_ADMIN,
    headers,
    onOrganizationAsked: () => {
      asked += 1;
      if (asked === 1) feed.generation += 1;
    },
  });
  assert.ok(!('refused' in answer));
  assert.equal(asked, 2);
  asked = 0;
  const onOrganizationAsked = () => {
    asked += 1;
    feed.generation += 1;
  };
  assert.match(await refusedAs({ credential: SUPER_ADMIN, headers, onOrganizationAsked }), /^503 UNAVAILABLE/);
  assert.equal(asked, LIMITS.credentialAttempts);
});

test('a credential that cannot be checked is answered as unavailable', async () => {
  for (const why of [Object.assign(new Error('away'), { code: 'ECONNREFUSED' }), new Error('a defect')]) {
    const credential = Promise.reject(why);
    assert.equal(await refusedAs({ credential, headers: { 'x-api-key': KEY } }), '503 UNAVAILABLE');
  }
});

const GRANT: StreamGrant = { credentialHash: 'gone', organizationId: 1, session: { organizationId: 0, id: 4 } };

test('a stream token stands for the credential that asked for it, or else for its session, if it was one', async () => {
  const asked: SessionKey[] = [];
  const findOfSession = (session: SessionKey) => {
    asked.push(session);
    return SUPER_ADMIN;
  };
  const known = await ask({ grant: GRANT, credential: SESSION, findOfSession });
  assert.deepEqual([known.identity?.caller.channelId, asked], [2, []]);
  const ofSession = await ask({ grant: GRANT, findOfSession });
  assert.deepEqual(
    [ofSession.identity?.caller.channelId, asked],
    [20, [GRANT.session]],
    'in the organization it named',
  );
  assert.equal(await refusedAs({ grant: { ...GRANT, session: null }, findOfSession }), '401 Unauthorized');
  assert.equal(await refusedAs({ grant: GRANT, findOfSession: () => undefined }), '401 Unauthorized');
});

test('a session that changes while it is looked up for a stream token is looked up again', async () => {
  let asked = 0;
  const changing = (times: number) => {
    asked = 0;
    return () => {
      asked += 1;
      if (asked <= times) feed.generation += 1;
      return asked <= times ? SESSION : undefined;
    };
  };
  assert.equal(await refusedAs({ grant: GRANT, findOfSession: changing(1) }), '401 Unauthorized');
  assert.equal(asked, 2);
  const told = await refusedAs({ grant: GRANT, findOfSession: changing(Number.POSITIVE_INFINITY) });
  assert.match(told, /^503 UNAVAILABLE/);
  assert.equal(asked, LIMITS.credentialAttempts);
});

test('public routes look at no credential', async () => {
  for (const kind of ['public', 'operational'] as const) {
    const answer = await ask({ guard: { kind }, headers: { 'x-api-key': 'x', authorization: 'y' } });
    assert.ok(!('refused' in answer));
    assert.equal(answer.identity.organizationId, 0);
  }
});
