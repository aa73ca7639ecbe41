import * as v from 'valibot';
import { isCurrency } from '../../../engine/domain/money/money.ts';
import { listOrganizations, readOrganization } from '../../../engine/store/accounts/organization-store.ts';
import { encodeOrganization, encodeOrganizationForAgents } from '../../../engine/views/organization-view.ts';
import {
  createOrganizationInput,
  deleteOrganizationInput,
  deletingOrganizationView,
  listOrganizationsQuery,
  organizationForAgentsView,
  organizationListView,
  organizationView,
  updateOrganizationInput,
} from '../../../schema/accounts/organization.ts';
import { isLimitedToOwn, type Permission } from '../../../schema/accounts/permissions.ts';
import type { Answer } from '../../../schema/commands.ts';
import { notFound } from '../../../schema/errors.ts';
import { formatPosition } from '../../../schema/events.ts';
import { named } from '../../../schema/fields/named.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { type ApiRoute, apiRoute, type Guard, type Identity, type RouteAnswer } from '../../route.ts';
import { ADMINISTERED } from '../administer.ts';
import { createOrganization } from '../administer-organizations.ts';
import type { Administration } from '../open-administration.ts';

/** Organizations. Their paths answer without the prefix, too. Source: docs/contract.md §2 "Administration". */
export function organizationRoutes(administration: Administration): ApiRoute[] {
  return [
    createRoute(administration),
    listRoute(administration),
    readRoute(administration),
    changeRoute(administration),
    deleteRoute(administration),
  ];
}

/** Not about one organization that the caller is in: its id stands in the path, or there is none. */
function mayOnPlatform(permission: Permission): Guard {
  return { kind: 'permission', permission, scope: 'platform' };
}

const currency = v.nullish(
  v.pipe(v.string('must be a string'), v.check(isCurrency, 'must be a code of ISO 4217 in use, in capitals')),
);
const NOT_AN_OBJECT = 'the body must be an object';

function createRoute(administration: Administration): ApiRoute {
  const schema = named(
    'CreateOrganizationInput',
    v.object({ ...createOrganizationInput.entries, currency }, NOT_AN_OBJECT),
  );
  return apiRoute({
    method: 'POST',
    path: '/organizations',
    bare: true,
    guard: mayOnPlatform('organizations'),
    body: { schema, maxBytes: LIMITS.bodyBytes },
    summary: 'Create an organization',
    success: { status: 201, data: organizationView },
    refusals: [...ADMINISTERED],
    handle: (request) => createOrganization(administration, request),
  });
}

function listRoute({ reads }: Administration): ApiRoute {
  return apiRoute({
    method: 'GET',
    path: '/organizations',
    bare: true,
    guard: mayOnPlatform('organizations'),
    query: { schema: listOrganizationsQuery, lists: new Set(['status']) },
    summary: 'List organizations, newest first; `search` finds parts of names',
    success: { status: 200, data: organizationListView },
    refusals: [],
    async handle({ identity, query }) {
      const { items, count } = await reads.run(identity.organizationId, (sql) => listOrganizations(sql, query));
      const data = `{"items":[${items.map(encodeOrganization).join(',')}],"count":${count}}`;
      return { status: 200, message: 'Organizations', data };
    },
  });
}

function readRoute({ reads, history }: Administration): ApiRoute {
  return apiRoute({
    method: 'GET',
    path: '/organizations/:id',
    bare: true,
    guard: mayOnPlatform('organization:read'),
    etag: true,
    summary:
      'Read an organization, with its settings and limits; an agent reads its name, currency and time zone alone',
    success: {
      status: 200,
      data: named('VisibleOrganization', v.union([organizationView, organizationForAgentsView])),
    },
    refusals: ['404'],
    async handle({ identity, params }) {
      const organizationId = params.id;
      const found = isWithin(identity, organizationId)
        ? await reads.run(identity.organizationId, (sql) => readOrganization(sql, organizationId))
        : undefined;
      if (!found) return { refusal: notFound('Organization', organizationId) };
      const position = formatPosition(history, found.sequence);
      const isForAgents = isLimitedToOwn(identity.role, 'organization:read');
      const encode = isForAgents ? encodeOrganizationForAgents : encodeOrganization;
      return { status: 200, message: 'Organization', data: encode(found.organization), position };
    },
  });
}

function changeRoute({ ask, history, settled }: Administration): ApiRoute {
  const schema = named(
    'UpdateOrganizationInput',
    v.object({ ...updateOrganizationInput.entries, currency }, NOT_AN_OBJECT),
  );
  return apiRoute({
    method: 'PATCH',
    path: '/organizations/:id',
    bare: true,
    guard: mayOnPlatform('organization'),
    body: { schema, maxBytes: LIMITS.bodyBytes },
    etag: true,
    summary:
      'Change an organization: only the fields that are sent, of limits and settings only those that are named there; ' +
      'status and limits are for super admins',
    success: { status: 200, data: organizationView },
    refusals: ['404', '410 ORGANIZATION_DELETED', '412 PRECONDITION_FAILED', '422 IDEMPOTENCY_KEY_REUSED'],
    async handle({ identity, params, body: input, idempotency, ifMatch }) {
      const { caller } = identity;
      const organizationId = params.id;
      if (!isWithin(identity, organizationId)) return { refusal: notFound('Organization', organizationId) };
      const command = { kind: 'update-organization', caller, input, idempotency, ifMatch } as const;
      const answer = await ask(organizationId, command);
      if (answer.ok && input.status != null) await settled();
      return routeAnswer(organizationId, answer, 'Organization updated', history);
    },
  });
}

function deleteRoute({ ask, history, settled }: Administration): ApiRoute {
  return apiRoute({
    method: 'DELETE',
    path: '/organizations/:id/hard',
    bare: true,
    guard: mayOnPlatform('organizations'),
    body: { schema: deleteOrganizationInput, maxBytes: LIMITS.bodyBytes },
    summary:
      'Delete an organization for good, with all that there is of it; `confirm` is its name. From the answer on ' +
      'every call about it is refused, and a job empties the stores',
    success: { status: 202, data: deletingOrganizationView },
    refusals: ['404', '410 ORGANIZATION_DELETED'],
    // A second attempt finds the organization deleted.
    keepsNothing: true,
    async handle({ identity: { caller }, params, body }) {
      const organizationId = params.id;
      const { confirm } = body;
      const answer = await ask(organizationId, { kind: 'delete-organization', caller, confirm });
      // One that is deleted already may have been deleted just now, by a request that is not answered yet.
      if (answer.ok || answer.refusal.code === 'ORGANIZATION_DELETED') await settled();
      if (!answer.ok) return routeAnswer(organizationId, answer, '', history);
      return { status: 202, message: 'Organization is being deleted', data: answer.data };
    },
  });
}

function isWithin({ role, organizationId }: Identity, wanted: number): boolean {
  return role === 'super_admin' || organizationId === wanted;
}

/** The engine's answer; for an organization that it does not know only that. */
function routeAnswer(organizationId: number, answer: Answer, message: string, history: string): RouteAnswer {
  const replayed = answer.replayed === true;
  if (answer.ok) {
    const { status, data, sequence } = answer;
    return { status, message, data, replayed, position: formatPosition(history, sequence) };
  }
  const isUnknown = answer.refusal.code === 'NOT_FOUND';
  return { refusal: isUnknown ? notFound('Organization', organizationId) : answer.refusal, replayed };
}
