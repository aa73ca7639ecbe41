import * as v from 'valibot';
import { boolean, email, oneOf, requiredText } from '../fields/fields.ts';
import { named } from '../fields/named.ts';
import { newPassword } from '../fields/new-password.ts';
import { listQuery, pageView } from '../fields/page-query.ts';
import { nullableTime, shownId, shownTime } from '../fields/shown-fields.ts';
import { LIMITS } from '../limits.ts';
import { ROLES, type Role } from './role.ts';

/** A row of `users`: somebody who signs in, or stands behind a channel. The password is never read along. */
export interface UserRecord {
  readonly organizationId: number;
  readonly id: number;
  readonly version: number;
  readonly role: Role;
  /** Null for the user that was made with a channel. */
  readonly email: string | null;
  readonly firstName: string;
  readonly lastName: string;
  readonly isActive: boolean;
  readonly emailVerifiedAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Roles that an administrator gives: agents are created as agents, super admins by the operator of the system. */
const GIVEN_ROLES = named('GivenRole', ['integration', 'dispatcher', 'org_admin'] as const);

const name = requiredText(LIMITS.shortTextChars);

/** The body of POST /users. Without a password the user is mailed a link to set one. */
export const createUserInput = named(
  'CreateUserInput',
  v.object({ email, name, role: oneOf(GIVEN_ROLES), password: v.nullish(newPassword) }, 'the body must be an object'),
);
export type CreateUserInput = v.InferOutput<typeof createUserInput>;

/** The body of PATCH /users/:id: what is absent or null stays. */
export const updateUserInput = named(
  'UpdateUserInput',
  v.object(
    { name: v.nullish(name), role: v.nullish(oneOf(GIVEN_ROLES)), isActive: v.nullish(boolean) },
    'the body must be an object',
  ),
);
export type UpdateUserInput = v.InferOutput<typeof updateUserInput>;

export const accountView = named(
  'User',
  v.object({
    id: shownId,
    email: v.nullable(v.string()),
    firstName: v.string(),
    lastName: v.string(),
    role: v.picklist(ROLES),
    isActive: v.boolean(),
    emailVerifiedAt: nullableTime,
    createdAt: shownTime,
    updatedAt: shownTime,
  }),
);
export type AccountView = v.InferOutput<typeof accountView>;

export const accountListView = pageView('UserList', accountView);

/** The answer of POST /users/:id/invitation: a secret, shown once. `qr`: the link as SVG. */
export const invitationView = named('Invitation', v.object({ url: v.string(), expiresAt: shownTime, qr: v.string() }));

/** The query of GET /users. */
export const listUsersQuery = listQuery('users', {});
export type ListUsersQuery = v.InferOutput<typeof listUsersQuery>;
