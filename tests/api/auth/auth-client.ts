import type { ApiClient, ApiHeaders, ApiReply } from '../../support/api-client.ts';
import { withSql } from '../../support/seeds/seed.ts';
import type { ApiFixture } from '../api-fixture.ts';

export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresIn: number;
}

/** Lets tests come from any address they like. */
export const BEHIND_PROXY = { TRUSTED_PROXIES: '127.0.0.1' };

/** Asks one of the `/auth` routes without any credential. */
export function ask<T = Tokens>(
  api: ApiClient,
  path: string,
  body: unknown,
  headers: ApiHeaders = {},
): Promise<ApiReply<T>> {
  return api.post<T>(`/auth/${path}`, body, { 'x-api-key': undefined, ...headers });
}

export async function signIn(api: ApiClient, user: { email: string; password: string | undefined }): Promise<Tokens> {
  const { email, password } = user;
  const reply = await ask(api, 'login', { email, password });
  if (reply.status !== 200) throw new Error(`login answered ${reply.status}: ${reply.text}`);
  return reply.body.data;
}

/** The headers of a signed-in user. */
export function bearer(accessToken: string): ApiHeaders {
  return { 'x-api-key': undefined, authorization: `Bearer ${accessToken}` };
}

export interface AuditRow {
  readonly action: string;
  readonly recordType: string;
  readonly recordId: number;
  readonly actorType: string;
  readonly actorId: number;
  readonly correlationId: string;
  readonly address: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** The entries of the audit log about a user, oldest first. */
export function auditOf({ gateway }: ApiFixture, userId: number): Promise<AuditRow[]> {
  return withSql(gateway.databaseUrl, async (sql) => [
    ...(await sql<AuditRow[]>`
      SELECT action, record_type, record_id, actor_type, actor_id, correlation_id, address, before, after
      FROM audit_access WHERE actor_id = ${userId} ORDER BY id`),
  ]);
}

/** 127.0.0.1 and what else X-Forwarded-For may say. */
export function from(address: string): ApiHeaders {
  return { 'x-forwarded-for': address };
}
