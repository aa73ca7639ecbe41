import {
  type OrganizationRecord,
  type OrganizationView,
  organizationView,
} from '../../schema/accounts/organization.ts';
import { compileSerializer } from './parts/serializer.ts';

const serializeOrganization = compileSerializer(organizationView);

/** Returns the JSON of an organization: the same bytes in responses and lists. */
export function encodeOrganization(organization: OrganizationRecord): string {
  return serializeOrganization(organizationViewOf(organization));
}

/** Returns every limit; a limit that is not set is null. */
function organizationViewOf(organization: OrganizationRecord): OrganizationView {
  const { organizationId: id, name, status, currency, settings, createdAt, updatedAt } = organization;
  const { tasks = null, customers = null, agents = null, warehouses = null } = organization.limits;
  const limits = { tasks, customers, agents, warehouses };
  return { id, name, status, currency, limits, settings, createdAt, updatedAt };
}
