import type { Belongings } from '../../../engine/domain/tasks/task-filter.ts';
import type { Sql } from '../../../engine/store/postgres.ts';

/** Customers, packages with barcodes, and places all over a city. */
export async function makeBelongings(sql: Sql, organizationId: number): Promise<void> {
  await sql`
    INSERT INTO customers (organization_id, id, version, user_id, customer_type, first_name, last_name, email,
      phone_e164, country_code, phone_number, created_at, updated_at)
    SELECT ${organizationId}, n, 1, n, 'individual', CASE WHEN n % 7 = 0 THEN 'Zoë' ELSE 'Ada' END, 'Straße ' || n,
      'crate' || n || '@test.example', '+4915' || (10000000 + n), '+49', '15' || (10000000 + n), now(), now()
    FROM generate_series(1, 51) n`;
  await sql`
    INSERT INTO packages (organization_id, id, version, task_id, name, description, quantity, is_fragile, barcode,
      status, created_at, updated_at)
    SELECT organization_id, id, 1, id, 'box', 'box', 1, false, CASE WHEN id % 3 = 0 THEN 'bar-' || id || '-Xé' END,
      'pending', now(), now()
    FROM tasks WHERE organization_id = ${organizationId} AND id % 5 = 0`;
  await sql`
    UPDATE locations SET latitude = 51 + (id % 7) * 0.011, longitude = CASE id % 5 WHEN 0 THEN 179.9 WHEN 1 THEN -179.9
      ELSE 6 + id * 0.003 END
    WHERE organization_id = ${organizationId}`;
  await sql`
    UPDATE findable_fresh f SET latitude = l.latitude, longitude = l.longitude
    FROM tasks t JOIN locations l ON l.organization_id = t.organization_id AND l.id = t.location_id
    WHERE f.organization_id = ${organizationId} AND t.organization_id = f.organization_id AND t.id = f.task_id`;
}

/** The records beside each task, by its id. */
export async function readBelongings(sql: Sql, organizationId: number): Promise<ReadonlyMap<number, Belongings>> {
  const rows = await sql<(Belongings & { id: number })[]>`
    SELECT t.id, (SELECT json_build_object('firstName', c.first_name, 'lastName', c.last_name, 'phoneE164', c.phone_e164)
        FROM customers c WHERE c.organization_id = t.organization_id AND c.id = t.customer_id) AS customer,
      (SELECT json_build_object('latitude', l.latitude, 'longitude', l.longitude)
        FROM locations l WHERE l.organization_id = t.organization_id AND l.id = t.location_id) AS location,
      array_to_json(ARRAY(SELECT json_build_object('barcode', p.barcode)
        FROM packages p WHERE p.organization_id = t.organization_id AND p.task_id = t.id)) AS packages
    FROM tasks t WHERE t.organization_id = ${organizationId}`;
  return new Map(rows.map(({ id, ...beside }) => [id, beside]));
}
