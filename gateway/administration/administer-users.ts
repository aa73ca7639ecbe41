import { isoTime } from '../../engine/runtime/clock.ts';
import type { AuditNote } from '../../engine/store/accounts/change-notes.ts';
import { drawIds } from '../../engine/store/accounts/channel-store.ts';
import {
  endSessions,
  findOtherAdmin,
  insertUser,
  isAdmin,
  readUser,
  requestFirstMail,
  updateUser,
} from '../../engine/store/accounts/user-store.ts';
import { newInvitation } from '../../engine/store/accounts/user-token-store.ts';
import { matchesEtag } from '../../engine/views/parts/etag.ts';
import { encodeUser } from '../../engine/views/user-view.ts';
import type { CreateUserInput, UpdateUserInput, UserRecord } from '../../schema/accounts/user.ts';
import type { Caller } from '../../schema/commands.ts';
import { splitName } from '../../schema/customers/customer.ts';
import { notFound, refusal } from '../../schema/errors.ts';
import { LIMITS } from '../../schema/limits.ts';
import { openCodeSymbols } from '../pages/code-symbols.ts';
import type { ById, ParsedRequest, RouteAnswer } from '../route.ts';
import { administer } from './administer.ts';
import type { Administration } from './open-administration.ts';

/** Makes a user, who gets a mail: to set the first password, or to prove the address where there is one already. */
export async function createUser(
  administration: Administration,
  request: ParsedRequest<unknown, unknown, CreateUserInput>,
): Promise<RouteAnswer> {
  const { sql, hashPassword } = administration;
  const { organizationId, caller } = request.identity;
  const { email, name, role, password } = request.body;
  // Before its turn to write: passwords have a queue of their own.
  const passwordHash = password ? await hashPassword(password, caller.origin?.address ?? null) : null;
  return administer(administration, { ...request, organizationId }, async (now) => {
    const { userId } = await drawIds(sql);
    const user = newUser({ organizationId, id: userId, role, email, ...splitName(name), now });
    return {
      answer: { status: 201, message: 'User created', data: encodeUser(user) },
      write: {
        change: insertUser(sql, user, passwordHash),
        also: [requestFirstMail(sql, passwordHash ? 'verify_email' : 'welcome', email)],
        notes: [userNote(caller, 'user.created', undefined, user)],
        elseRefusal: refusal('USER_EMAIL_TAKEN'),
        revokes: false,
      },
    };
  });
}

/**
 * Makes a link by which a user sets a password, once. A new one ends the last. The administrator who hands it over vouches
 * for the user, so the address counts as verified when it is used.
 */
export function inviteUser(
  administration: Administration,
  request: ParsedRequest<ById>,
  publicUrl: string,
): Promise<RouteAnswer> {
  const { sql } = administration;
  const { organizationId, caller } = request.identity;
  const userId = request.params.id;
  return administer(administration, { ...request, organizationId }, async (now) => {
    const user = (await readUser(sql, organizationId, userId))?.user;
    if (!user) return { refusal: notFound('User', userId) };
    if (user.email === null)
      return { refusal: refusal('CONFLICT', 'The user has no e-mail address and signs in by a key only') };
    if (!user.isActive) return { refusal: refusal('CONFLICT', 'The user is inactive: activate it first') };
    const expiresAt = isoTime(Date.parse(now) + LIMITS.welcomeTokenMs);
    const { token, change } = newInvitation(sql, { organizationId, userId }, expiresAt);
    const url = `${publicUrl}/account/welcome?token=${token}`;
    const { qrCodeOf } = await openCodeSymbols();
    const data = JSON.stringify({ url, expiresAt, qr: qrCodeOf(url).toString() });
    return {
      answer: { status: 201, message: 'Invitation created', data },
      write: {
        change,
        notes: [
          {
            ...userNote(caller, 'user.invited', user, user),
            before: null,
            after: JSON.stringify({ expiresAt }),
          },
        ],
        revokes: false,
      },
    };
  });
}

/**
 * Changes a user. A user with fewer rights loses them everywhere before the answer, also when another request has taken
 * them already: it may still wait for that. The last administrator keeps them:
 * nobody of the organization could give them back.
 */
export function changeUser(
  administration: Administration,
  request: ParsedRequest<ById, unknown, UpdateUserInput>,
): Promise<RouteAnswer> {
  const { sql } = administration;
  const { organizationId, caller } = request.identity;
  const userId = request.params.id;
  const input = request.body;
  return administer(administration, { ...request, organizationId }, async (now) => {
    const before = (await readUser(sql, organizationId, userId))?.user;
    if (!before) return { refusal: notFound('User', userId) };
    if (request.ifMatch && !matchesEtag(request.ifMatch, encodeUser(before)))
      return { refusal: refusal('PRECONDITION_FAILED') };
    if (before.role === 'agent')
      return { refusal: refusal('CONFLICT', 'The user is an agent: change it by PATCH /agents/:id') };
    const after = changedUser(before, input);
    const message = 'User updated';
    const revokes = input.role != null || input.isActive != null;
    if (encodeUser(after) === encodeUser(before))
      return { answer: { status: 200, message, data: encodeUser(before) }, revokesAgain: revokes };
    const written = { ...after, version: before.version + 1, updatedAt: now };
    const needsOther = isAdmin(before) && !isAdmin(after) && caller.role !== 'super_admin';
    if (needsOther && !(await findOtherAdmin(sql, before))) return { refusal: refusal('CONFLICT', LAST_ADMIN) };
    return {
      answer: { status: 200, message, data: encodeUser(written) },
      write: {
        change: updateUser(sql, written, { needsOtherAdmin: needsOther }),
        // Those of logins that ran beside the deactivation, which did not see them, end before the account comes back.
        also: before.isActive === written.isActive ? [] : [endSessions(sql, written)],
        notes: [userNote(caller, 'user.updated', before, written)],
        revokes,
      },
    };
  });
}

const LAST_ADMIN = 'The user is the only org_admin who is active and verified: make another one first';

/** A user as it is made: active, and verified only where there is no address to verify. */
export function newUser({
  now,
  ...fields
}: Pick<UserRecord, 'organizationId' | 'id' | 'role' | 'email' | 'firstName' | 'lastName'> & {
  readonly now: string;
}): UserRecord {
  const emailVerifiedAt = fields.email === null ? now : null;
  return { ...fields, version: 1, isActive: true, emailVerifiedAt, createdAt: now, updatedAt: now };
}

function changedUser(before: UserRecord, { name, role, isActive }: UpdateUserInput): UserRecord {
  return {
    ...before,
    ...(name == null ? {} : splitName(name)),
    role: role ?? before.role,
    isActive: isActive ?? before.isActive,
  };
}

export function userNote(caller: Caller, action: string, before: UserRecord | undefined, after: UserRecord): AuditNote {
  return {
    organizationId: after.organizationId,
    action,
    recordType: 'user',
    recordId: after.id,
    caller,
    before: before ? encodeUser(before) : null,
    after: encodeUser(after),
  };
}
