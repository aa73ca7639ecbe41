import { createECDH, randomBytes } from 'node:crypto';
import type { ApiClient, ApiReply } from '../../support/api-client.ts';
import { seedSession, seedUser, withSql } from '../../support/seeds/seed.ts';
import type { ApiFixture } from '../api-fixture.ts';

export interface Device {
  readonly deviceId: string;
  readonly platform: string;
  readonly registeredAt: string;
}

/** A user with a session, and the device of theirs. */
export interface SignedIn {
  readonly userId: number;
  readonly api: ApiClient;
  register(input?: object): Promise<ApiReply<Device>>;
  forget(deviceId: string): Promise<ApiReply<object>>;
}

export async function signIn(
  { gateway: { databaseUrl, organizationId }, clientOf }: ApiFixture,
  role: 'dispatcher' | 'org_admin' = 'dispatcher',
  ofOrganization = organizationId,
): Promise<SignedIn> {
  const { userId } = await seedUser(databaseUrl, ofOrganization, role);
  const session = await seedSession(databaseUrl, ofOrganization, userId);
  const api = clientOf(session);
  return {
    userId,
    api,
    register: (input) => api.post('/notifications/push-token', { ...phone(), ...input }),
    forget: (deviceId) => api.delete(`/notifications/push-token/${encodeURIComponent(deviceId)}`),
  };
}

export const newToken = () => randomBytes(20).toString('hex');
const phone = () => ({ token: newToken(), platform: 'android', deviceId: 'phone' });

/** A browser's subscription; `changes` replace fields of it. */
export function subscription(changes: object = {}, keys: object = {}): string {
  const pair = createECDH('prime256v1');
  pair.generateKeys();
  const own = { p256dh: pair.getPublicKey('base64url'), auth: randomBytes(16).toString('base64url'), ...keys };
  return JSON.stringify({ endpoint: 'https://1.1.1.1/push/1', expirationTime: null, keys: own, ...changes });
}

export interface StoredDevice {
  readonly userId: number;
  readonly deviceId: string;
  readonly platform: string;
  readonly token: string;
}

/** All devices of all organizations of the fixture. */
export function storedDevices({ gateway: { databaseUrl } }: ApiFixture): Promise<StoredDevice[]> {
  return withSql(databaseUrl, async (sql) => [
    ...(await sql<
      StoredDevice[]
    >`SELECT user_id, device_id, platform, token FROM push_tokens ORDER BY registered_at, id`),
  ]);
}
