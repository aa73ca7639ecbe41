import type { AgentRecord } from '../../schema/agent.ts';
import type { CustomerRecord } from '../../schema/customer.ts';
import type { LocationRecord } from '../../schema/location.ts';
import type { PackageRecord } from '../../schema/package.ts';
import type { TaskBundle, TaskRecord } from '../../schema/task.ts';

const ISO = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const location = (alias: string) =>
  `CASE WHEN ${alias}.id IS NULL THEN NULL ELSE json_build_object('organizationId', ${alias}.organization_id,
    'id', ${alias}.id, 'address', ${alias}.address, 'latitude', ${alias}.latitude, 'longitude', ${alias}.longitude,
    'building', ${alias}.building, 'floor', ${alias}.floor, 'apartment', ${alias}.apartment) END`;

export const PACKAGE_JSON = `json_build_object('organizationId', p.organization_id, 'id', p.id, 'version', p.version,
    'taskId', p.task_id, 'name', p.name, 'description', p.description, 'quantity', p.quantity, 'weight', p.weight,
    'width', p.width, 'height', p.height, 'length', p.length, 'isFragile', p.is_fragile, 'barcode', p.barcode,
    'notes', p.notes, 'status', p.status, 'createdAt', ${ISO('p.created_at')}, 'updatedAt', ${ISO('p.updated_at')})`;

export const CUSTOMER_JSON = `json_build_object('organizationId', c.organization_id, 'id', c.id, 'version', c.version,
    'userId', c.user_id, 'customerType', c.customer_type, 'firstName', c.first_name, 'lastName', c.last_name,
    'email', c.email, 'phoneE164', c.phone_e164, 'countryCode', c.country_code, 'phoneNumber', c.phone_number,
    'address', c.address, 'createdAt', ${ISO('c.created_at')}, 'updatedAt', ${ISO('c.updated_at')})`;

export const AGENT_JSON = `json_build_object('organizationId', a.organization_id, 'id', a.id, 'userId', a.user_id,
    'agentType', a.agent_type, 'firstName', a.first_name, 'lastName', a.last_name, 'email', a.email,
    'countryCode', a.country_code, 'phoneNumber', a.phone_number)`;

/** What makes a bundle of a task row `t`: the select list, and the joins that feed it. */
export const BUNDLE_COLUMNS = `t.*,
    CASE WHEN c.id IS NULL THEN NULL ELSE ${CUSTOMER_JSON} END AS bundle_customer,
    CASE WHEN a.id IS NULL THEN NULL ELSE ${AGENT_JSON} END AS bundle_agent,
    ${location('l')} AS bundle_location,
    ${location('o')} AS bundle_pickup_location,
    (SELECT json_agg(${PACKAGE_JSON} ORDER BY p.id) FROM packages p
      WHERE p.organization_id = t.organization_id AND p.task_id = t.id) AS bundle_packages`;

export const BUNDLE_JOINS = `
  LEFT JOIN customers c ON c.organization_id = t.organization_id AND c.id = t.customer_id
  LEFT JOIN agents a ON a.organization_id = t.organization_id AND a.id = t.agent_id
  LEFT JOIN locations l ON l.organization_id = t.organization_id AND l.id = t.location_id
  LEFT JOIN locations o ON o.organization_id = t.organization_id AND o.id = t.pickup_location_id`;

/** A row of a query with BUNDLE_COLUMNS. */
export interface BundleRow extends TaskRecord {
  readonly statusRank: number;
  readonly bundleCustomer: CustomerRecord | null;
  readonly bundleAgent: AgentRecord | null;
  readonly bundleLocation: LocationRecord | null;
  readonly bundlePickupLocation: LocationRecord | null;
  readonly bundlePackages: readonly PackageRecord[] | null;
}

export function bundleOfRow(row: BundleRow): TaskBundle {
  const { statusRank, bundleCustomer, bundleAgent, bundleLocation, bundlePickupLocation, bundlePackages, ...task } =
    row;
  return {
    task,
    customer: bundleCustomer,
    agent: bundleAgent,
    location: bundleLocation,
    pickupLocation: bundlePickupLocation,
    packages: bundlePackages ?? [],
  };
}
