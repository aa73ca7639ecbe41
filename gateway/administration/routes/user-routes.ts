import { listUsers, readUser } from '../../../engine/store/accounts/user-store.ts';
import { encodeUser } from '../../../engine/views/user-view.ts';
import {
  accountListView,
  accountView,
  createUserInput,
  invitationView,
  listUsersQuery,
  updateUserInput,
} from '../../../schema/accounts/user.ts';
import { notFound } from '../../../schema/errors.ts';
import { formatPosition } from '../../../schema/events.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { pageAnswer } from '../../page-answer.ts';
import { type ApiRoute, apiRoute, may } from '../../route.ts';
import { ADMINISTERED } from '../administer.ts';
import { changeUser, createUser, inviteUser } from '../administer-users.ts';
import type { Administration } from '../open-administration.ts';

/** The accounts of an organization. Source: docs/contract.md §2 "Administration". */
export function userRoutes(administration: Administration, publicUrl: () => string): ApiRoute[] {
  const { reads, history } = administration;
  const create: ApiRoute = apiRoute({
    method: 'POST',
    path: '/users',
    guard: may('users'),
    body: { schema: createUserInput, maxBytes: LIMITS.bodyBytes },
    summary:
      'Create a user, who is mailed a link: to set the first password, or with `password` to verify the e-mail address',
    success: { status: 201, data: accountView },
    refusals: ['409 USER_EMAIL_TAKEN', ...ADMINISTERED, '429 RATE_LIMITED'],
    handle: (request) => createUser(administration, request),
  });
  const list: ApiRoute = apiRoute({
    method: 'GET',
    path: '/users',
    guard: may('users'),
    query: { schema: listUsersQuery, lists: new Set() },
    summary: 'List users, newest first',
    success: { status: 200, data: accountListView },
    refusals: [],
    async handle({ identity: { organizationId }, query }) {
      const page = await reads.run(organizationId, (sql) => listUsers(sql, organizationId, query));
      return pageAnswer(history, 'Users', page, encodeUser);
    },
  });
  const readOne: ApiRoute = apiRoute({
    method: 'GET',
    path: '/users/:id',
    guard: may('users'),
    etag: true,
    summary: 'Read a user',
    success: { status: 200, data: accountView },
    refusals: ['404'],
    async handle({ identity: { organizationId }, params }) {
      const userId = params.id;
      const found = await reads.run(organizationId, (sql) => readUser(sql, organizationId, userId));
      if (!found) return { refusal: notFound('User', userId) };
      const position = formatPosition(history, found.sequence);
      return { status: 200, message: 'User', data: encodeUser(found.user), position };
    },
  });
  const change: ApiRoute = apiRoute({
    method: 'PATCH',
    path: '/users/:id',
    guard: may('users'),
    body: { schema: updateUserInput, maxBytes: LIMITS.bodyBytes },
    etag: true,
    summary:
      'Change a user: only the fields that are sent; the e-mail address stays. The only active and verified org_admin stays one. ' +
      'Agents are changed by PATCH /agents/:id',
    success: { status: 200, data: accountView },
    refusals: ['404', '409 CONFLICT', '412 PRECONDITION_FAILED', ...ADMINISTERED],
    handle: (request) => changeUser(administration, request),
  });
  const invite: ApiRoute = apiRoute({
    method: 'POST',
    path: '/users/:id/invitation',
    guard: may('users'),
    summary:
      'Make a link by which the user, an agent too, sets a password once within 24 hours, to be handed over; `qr` is the link as ' +
      'a QR code in SVG. A new one ends the last',
    success: { status: 201, data: invitationView },
    refusals: ['404', '409 CONFLICT', ...ADMINISTERED],
    handle: (request) => inviteUser(administration, request, publicUrl()),
  });
  return [create, list, readOne, change, invite];
}
