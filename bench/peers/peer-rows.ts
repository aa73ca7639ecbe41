import type { CustomerRecord } from '../../schema/customers/customer.ts';
import type { LocationRecord } from '../../schema/customers/location.ts';
import type { PackageRecord } from '../../schema/tasks/package.ts';
import type { TaskRecord } from '../../schema/tasks/task.ts';
import type { TaskHistoryRecord } from '../../schema/tasks/task-history.ts';
import type { Transaction } from './counting.ts';

/** One INSERT a row, as one writes them by hand; the database gives the ids. Each statement is prepared once. */

export type New<T> = Omit<T, 'id'>;

/** Undefined when another transaction has made a customer with this phone in the meantime. */
export async function insertCustomer(
  tx: Transaction,
  row: Omit<New<CustomerRecord>, 'userId'>,
): Promise<CustomerRecord | undefined> {
  const rows = await tx<{ id: number; userId: number }[]>`
    INSERT INTO customers (organization_id, id, version, user_id, customer_type, first_name, last_name, email,
      phone_e164, country_code, phone_number, address, created_at, updated_at)
    VALUES (${row.organizationId}, nextval('customer_ids'), ${row.version}, nextval('user_ids'), ${row.customerType},
      ${row.firstName}, ${row.lastName}, ${row.email}, ${row.phoneE164}, ${row.countryCode}, ${row.phoneNumber},
      ${row.address}, ${row.createdAt}, ${row.updatedAt})
    ON CONFLICT (organization_id, phone_e164) WHERE phone_e164 IS NOT NULL DO NOTHING
    RETURNING id, user_id`;
  return rows[0] && { ...row, ...rows[0] };
}

export async function insertLocation(tx: Transaction, row: New<LocationRecord>): Promise<LocationRecord> {
  const rows = await tx<{ id: number }[]>`
    INSERT INTO locations (organization_id, id, address, latitude, longitude, building, floor, apartment)
    VALUES (${row.organizationId}, nextval('location_ids'), ${row.address}, ${row.latitude}, ${row.longitude},
      ${row.building}, ${row.floor}, ${row.apartment})
    RETURNING id`;
  return { ...row, id: rows[0]!.id };
}

export async function insertTask(tx: Transaction, row: New<TaskRecord>): Promise<TaskRecord> {
  const rows = await tx<{ id: number }[]>`
    INSERT INTO tasks (organization_id, id, version, name, code, task_type, status, status_rank, time_to_serve,
      scheduled_at, description, notes, customer_id, courier_type, location_id, pickup_location_id, channel_id,
      auto_assignment_status, ready_at, window_start, window_end, estimated_duration, tracking_token, deadline_at,
      created_at, updated_at, moving_while_open)
    VALUES (${row.organizationId}, nextval('task_ids'), ${row.version}, ${row.name}, ${row.code}, ${row.taskType},
      ${row.status}, 0, ${row.timeToServe}, ${row.scheduledAt}, ${row.description}, ${row.notes}, ${row.customerId},
      ${row.courierType}, ${row.locationId}, ${row.pickupLocationId}, ${row.channelId}, ${row.autoAssignmentStatus},
      ${row.readyAt}, ${row.windowStart}, ${row.windowEnd}, ${row.estimatedDuration}, ${row.trackingToken},
      ${row.deadlineAt}, ${row.createdAt}, ${row.updatedAt}, ${row.movingWhileOpen})
    RETURNING id`;
  return { ...row, id: rows[0]!.id };
}

export async function insertPackage(tx: Transaction, row: New<PackageRecord>): Promise<PackageRecord> {
  const rows = await tx<{ id: number }[]>`
    INSERT INTO packages (organization_id, id, version, task_id, name, description, quantity, weight, width, height,
      length, is_fragile, barcode, notes, status, created_at, updated_at)
    VALUES (${row.organizationId}, nextval('package_ids'), ${row.version}, ${row.taskId}, ${row.name},
      ${row.description}, ${row.quantity}, ${row.weight}, ${row.width}, ${row.height}, ${row.length},
      ${row.isFragile}, ${row.barcode}, ${row.notes}, ${row.status}, ${row.createdAt}, ${row.updatedAt})
    RETURNING id`;
  return { ...row, id: rows[0]!.id };
}

export function insertEvent(
  tx: Transaction,
  event: { organizationId: number; sequence: number; at: string; type: string; body: string },
) {
  return tx`
    INSERT INTO events (organization_id, sequence, at, type, epoch, body)
    VALUES (${event.organizationId}, ${event.sequence}, ${event.at}, ${event.type}, 0, ${event.body})`;
}

type NewStep = Pick<TaskHistoryRecord, 'organizationId' | 'taskId' | 'sequence' | 'at' | 'kind' | 'toStatus'> & {
  readonly channelId: number;
};

/** A step that a channel takes, with nothing to say of it. */
export function insertHistory(tx: Transaction, row: NewStep) {
  return tx`
    INSERT INTO task_history (organization_id, task_id, sequence, at, recorded_at, kind, to_status, actor_type, actor_id)
    VALUES (${row.organizationId}, ${row.taskId}, ${row.sequence}, ${row.at}, ${row.at}, ${row.kind}, ${row.toStatus},
      'channel', ${row.channelId})`;
}
