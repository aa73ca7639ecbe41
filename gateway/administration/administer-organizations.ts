import {
  drawOrganizationId,
  insertBelongings,
  insertOrganization,
} from '../../engine/store/accounts/organization-store.ts';
import { encodeOrganization } from '../../engine/views/organization-view.ts';
import {
  type CreateOrganizationInput,
  changedOrganization,
  type OrganizationRecord,
} from '../../schema/accounts/organization.ts';
import type { ParsedRequest, RouteAnswer } from '../route.ts';
import { administer } from './administer.ts';
import type { Administration } from './open-administration.ts';

/** Before anything is said of it. */
const BLANK = { status: 'active', currency: 'USD', limits: {}, settings: {} } as const;

/** Makes an organization with all that belongs to it from the start. Its audit log begins with that. */
export function createOrganization(
  administration: Administration,
  request: ParsedRequest<unknown, unknown, CreateOrganizationInput>,
): Promise<RouteAnswer> {
  const { sql } = administration;
  const { organizationId: asked, caller } = request.identity;
  const input = request.body;
  return administer(administration, { ...request, organizationId: asked }, async (now) => {
    const { organizationId } = await drawOrganizationId(sql);
    const fields = changedOrganization({ ...BLANK, name: input.name }, input);
    if ('violation' in fields) throw new Error(`validated settings were refused: ${fields.violation}`);
    const organization: OrganizationRecord = { organizationId, version: 1, ...fields, createdAt: now, updatedAt: now };
    const data = encodeOrganization(organization);
    return {
      answer: { status: 201, message: 'Organization created', data },
      write: {
        change: insertOrganization(sql, organization),
        also: insertBelongings(sql, organizationId),
        madeOrganizationId: organizationId,
        notes: [
          {
            organizationId,
            action: 'organization.created',
            recordType: 'organization',
            recordId: organizationId,
            caller,
            before: null,
            after: data,
          },
        ],
        revokes: false,
      },
    };
  });
}
