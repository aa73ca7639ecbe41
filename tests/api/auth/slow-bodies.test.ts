import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { LIMITS } from '../../../schema/limits.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { seedSession, seedUser } from '../../support/seeds/seed.ts';
import { useGateway } from '../api-fixture.ts';

const fixture = useGateway();

interface HeldRequest {
  /** Sends the body, and resolves to the status. */
  finish(): Promise<number>;
}

/** Sends the head of a request, and keeps its body back. */
async function hold(path: string, headers: Record<string, string>, input: object): Promise<HeldRequest> {
  const body = JSON.stringify(input);
  const length = { 'content-type': 'application/json', 'content-length': `${body.length}` };
  const held = request(new URL(`/api/v1${path}`, fixture.gateway.baseUrl), {
    method: 'POST',
    headers: { ...headers, ...length },
  });
  const status = new Promise<number>((resolve, reject) => {
    held.on('response', (response) => {
      response.resume();
      resolve(response.statusCode!);
    });
    held.on('error', reject);
  });
  held.write(body.slice(0, 1));
  // The gateway has the head, and has admitted the caller.
  await delay(5 * LIMITS.lateBodyMs);
  return {
    async finish() {
      held.end(body.slice(1));
      return status;
    },
  };
}

const CHANNEL = { name: 'held', businessName: 'Held' };

/** An administrator whose request is held back, and another one who ends his access. */
async function twoAdministrators() {
  const { organizationId } = await fixture.organization();
  const { databaseUrl } = fixture.gateway;
  const own = await seedUser(databaseUrl, organizationId, 'org_admin');
  const other = await seedUser(databaseUrl, organizationId, 'org_admin');
  const token = await seedSession(databaseUrl, organizationId, own.userId);
  const admin = fixture.clientOf(await seedSession(databaseUrl, organizationId, other.userId));
  return { userId: own.userId, token, admin, self: fixture.clientOf(token) };
}

type Scene = Awaited<ReturnType<typeof twoAdministrators>>;

const ENDS: Readonly<Record<string, readonly [end: (scene: Scene) => ReturnType<ApiClient['post']>, status: number]>> =
  {
    'he signs out': [({ self }) => self.post('/auth/logout', undefined), 401],
    'he is made inactive': [({ admin, userId }) => admin.patch(`/users/${userId}`, { isActive: false }), 401],
    'he becomes a dispatcher': [({ admin, userId }) => admin.patch(`/users/${userId}`, { role: 'dispatcher' }), 403],
    'nothing happens': [({ admin }) => admin.get('/auth/me'), 201],
  };

for (const [what, [end, expected]] of Object.entries(ENDS)) {
  test(`a request whose body comes after ${what} is answered ${expected}`, async () => {
    const scene = await twoAdministrators();
    const held = await hold('/channels', { authorization: `Bearer ${scene.token}` }, CHANNEL);
    assert.equal((await end(scene)).status, 200);
    assert.equal(await held.finish(), expected);
  });
}
