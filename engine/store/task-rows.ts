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

export const WAREHOUSE_JSON = `json_build_object('organizationId', w.organization_id, 'id', w.id, 'version', w.version,
    'name', w.name, 'locationId', w.location_id, 'isActive', w.is_active, 'createdAt', ${ISO('w.created_at')},
    'updatedAt', ${ISO('w.updated_at')})`;

export const LOCATION_JSON = location('l');

export const AGENT_JSON = `json_build_object('organizationId', a.organization_id, 'id', a.id, 'userId', a.user_id,
    'agentType', a.agent_type, 'firstName', a.first_name, 'lastName', a.last_name, 'email', a.email,
    'countryCode', a.country_code, 'phoneNumber', a.phone_number)`;

const TIMES = [
  'scheduled_at',
  'assigned_at',
  'accepted_at',
  'started_at',
  'completed_at',
  'ready_at',
  'window_start',
  'window_end',
  'delayed_at',
  'deadline_at',
  'created_at',
  'updated_at',
] as const;
const VALUES = [
  'organization_id',
  'id',
  'version',
  'name',
  'code',
  'task_type',
  'status',
  'time_to_serve',
  'description',
  'notes',
  'customer_id',
  'agent_id',
  'courier_type',
  'courier_id',
  'payment_id',
  'location_id',
  'pickup_location_id',
  'channel_id',
  'parent_id',
  'child_ids',
  'integration_data',
  'auto_assignment_status',
  'auto_assignment_failure_reason',
  'preferred_agent_id',
  'estimated_duration',
  'required_skills',
  'amount_minor',
  'currency',
  'outcome',
  'failure_reason',
  'tracking_token',
] as const;

/** A task row `t` as one JSON value, for tasks within others: 43 of the 50 pairs that json_build_object takes. */
const TASK_JSON = `json_build_object(${[
  ...VALUES.map((column) => `'${toCamel(column)}', t.${column}`),
  ...TIMES.map((column) => `'${toCamel(column)}', ${ISO(`t.${column}`)}`),
].join(', ')})`;

function toCamel(column: string): string {
  return column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** What belongs to a task row `t`, each as one JSON value under the name of its field in TaskBundle. */
const PARTS = {
  customer: `CASE WHEN c.id IS NULL THEN NULL ELSE ${CUSTOMER_JSON} END`,
  agent: `CASE WHEN a.id IS NULL THEN NULL ELSE ${AGENT_JSON} END`,
  location: location('l'),
  pickupLocation: location('o'),
  packages: `coalesce((SELECT json_agg(${PACKAGE_JSON} ORDER BY p.id) FROM packages p
      WHERE p.organization_id = t.organization_id AND p.task_id = t.id), '[]'::json)`,
} as const;

/** The joins that PARTS need. */
export const BUNDLE_JOINS = `
  LEFT JOIN customers c ON c.organization_id = t.organization_id AND c.id = t.customer_id
  LEFT JOIN agents a ON a.organization_id = t.organization_id AND a.id = t.agent_id
  LEFT JOIN locations l ON l.organization_id = t.organization_id AND l.id = t.location_id
  LEFT JOIN locations o ON o.organization_id = t.organization_id AND o.id = t.pickup_location_id`;

const partsAsJson = Object.entries(PARTS).map(([name, part]) => `'${name}', ${part}`);

/** The parts of a job `t`, as bundles, in the order of the job; null for a task that is none. */
const CHILDREN = `CASE WHEN t.child_ids IS NULL THEN NULL ELSE (
    SELECT json_agg(f.bundle ORDER BY f.place) FROM (
      SELECT w.place, json_build_object('task', ${TASK_JSON}, ${partsAsJson.join(', ')}, 'children', '[]'::json) AS bundle
      FROM json_array_elements_text(t.child_ids) WITH ORDINALITY AS w(child_id, place)
      JOIN tasks k ON k.organization_id = t.organization_id AND k.id = w.child_id::bigint
      CROSS JOIN LATERAL (SELECT k.*) t ${BUNDLE_JOINS}) f) END`;

/** What makes a bundle of a task row `t` beside its joins: the select list. */
export const BUNDLE_COLUMNS = `t.*, ${PARTS.customer} AS bundle_customer, ${PARTS.agent} AS bundle_agent,
    ${PARTS.location} AS bundle_location, ${PARTS.pickupLocation} AS bundle_pickup_location,
    ${PARTS.packages} AS bundle_packages, ${CHILDREN} AS bundle_children`;

/** A row of a query with BUNDLE_COLUMNS. */
export interface BundleRow extends TaskRecord {
  readonly statusRank: number;
  readonly bundleCustomer: CustomerRecord | null;
  readonly bundleAgent: AgentRecord | null;
  readonly bundleLocation: LocationRecord | null;
  readonly bundlePickupLocation: LocationRecord | null;
  readonly bundlePackages: readonly PackageRecord[];
  readonly bundleChildren: readonly TaskBundle[] | null;
}

/**
 * A bundle to be shown and not to be changed: its task is the row itself, with its parts still on it. Taking 50 columns
 * apart costs more than reading them.
 */
export function shownBundleOfRow(row: BundleRow): TaskBundle {
  return {
    task: row,
    customer: row.bundleCustomer,
    agent: row.bundleAgent,
    location: row.bundleLocation,
    pickupLocation: row.bundlePickupLocation,
    packages: row.bundlePackages,
    children: row.bundleChildren ?? [],
  };
}

export function bundleOfRow(row: BundleRow): TaskBundle {
  const { bundleCustomer, bundleAgent, bundleLocation, bundlePickupLocation, bundlePackages, bundleChildren, ...rest } =
    row;
  const { statusRank: _, ...task } = rest;
  return {
    task,
    customer: bundleCustomer,
    agent: bundleAgent,
    location: bundleLocation,
    pickupLocation: bundlePickupLocation,
    packages: bundlePackages,
    children: bundleChildren ?? [],
  };
}
