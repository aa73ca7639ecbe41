import { newSecret } from '../../engine/runtime/secrets.ts';
import {
  beginOperatorSession,
  endOperatorSession,
  listSuperAdmins,
} from '../../engine/store/accounts/operator-store.ts';
import type { Sql } from '../../engine/store/postgres.ts';
import { RefusedError } from './admin-errors.ts';

/** Longer than any command takes, in case that it does not come to end the session. */
const LIFE_MS = 300_000;
const TOKEN_CHARS = 40;

/**
 * Runs `act` in a session of a super admin: of `as`, or of the only one. An owner of the database may act, and the
 * audit log has each action under that user.
 */
export async function asSuperAdmin<T>(
  sql: Sql,
  as: string | undefined,
  act: (accessToken: string) => Promise<T>,
): Promise<T> {
  const admins = await listSuperAdmins(sql);
  const known = admins.map(({ email }) => email).join(', ');
  const chosen = as === undefined ? admins : admins.filter(({ email }) => email.toLowerCase() === as.toLowerCase());
  if (admins.length === 0)
    throw new RefusedError('there is no super admin: make one with `users create-super-admin --email <address>`');
  if (chosen.length === 0) throw new RefusedError(`${as} is no super admin; there is ${known}`);
  if (chosen.length > 1) throw new RefusedError(`say --as whom: ${known}`);
  const accessToken = newSecret('da_', TOKEN_CHARS);
  await beginOperatorSession(sql, chosen[0]!.userId, accessToken, LIFE_MS);
  try {
    return await act(accessToken);
  } finally {
    await endOperatorSession(sql, accessToken);
  }
}
