import { type AccountView, accountView, type UserRecord } from '../../schema/accounts/user.ts';
import { compileSerializer } from './parts/serializer.ts';

const serializeUser: (view: AccountView) => string = compileSerializer(accountView);

/** Returns the JSON of a user account: the same bytes in responses and lists. */
export function encodeUser(user: UserRecord): string {
  const { id, email, firstName, lastName, role, isActive, emailVerifiedAt, createdAt, updatedAt } = user;
  return serializeUser({ id, email, firstName, lastName, role, isActive, emailVerifiedAt, createdAt, updatedAt });
}
