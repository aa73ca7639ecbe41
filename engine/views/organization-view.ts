import { letterheadOf } from '../../schema/accounts/letterhead.ts';
import {
  type OrganizationRecord,
  type OrganizationView,
  organizationForAgentsView,
  organizationView,
} from '../../schema/accounts/organization.ts';
import { compileSerializer } from './parts/serializer.ts';

const serializeOrganization = compileSerializer(organizationView);
const serializeForAgents = compileSerializer(organizationForAgentsView);

/** Returns the JSON of an organization: the same bytes in responses and lists. */
export function encodeOrganization(organization: OrganizationRecord): string {
  return serializeOrganization(organizationViewOf(organization));
}

/** Returns the JSON of what an agent reads of its organization. */
export function encodeOrganizationForAgents({
  organizationId: id,
  name,
  currency,
  settings,
}: OrganizationRecord): string {
  return serializeForAgents({ id, name, currency, timeZone: letterheadOf({ name, settings }).timeZone });
}

/** Returns every limit; a limit that is not set is null. */
function organizationViewOf(organization: OrganizationRecord): OrganizationView {
  const { organizationId: id, name, status, currency, settings, createdAt, updatedAt } = organization;
  const { tasks = null, customers = null, agents = null, warehouses = null } = organization.limits;
  const limits = { tasks, customers, agents, warehouses };
  return { id, name, status, currency, limits, settings, createdAt, updatedAt };
}
