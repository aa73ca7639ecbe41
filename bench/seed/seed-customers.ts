import type { Sql } from '../../engine/store/postgres.ts';

/** Far from the ids that actors reserve. */
const FIRST_ID = 1_000_000_000;

/**
 * Fills an organization that has no customers yet with `customers` believable ones, in Latin and Cyrillic letters, of
 * whom three in five have an e-mail address, and gives the newest of them `tasks` tasks. Returns that customer's id.
 */
export async function seedCustomers(
  sql: Sql,
  organizationId: number,
  { customers, tasks }: { readonly customers: number; readonly tasks: number },
): Promise<number> {
  const newest = FIRST_ID + customers;
  await sql`
    INSERT INTO customers (organization_id, id, version, user_id, customer_type, first_name, last_name, email,
      phone_e164, country_code, phone_number, address, created_at, updated_at)
    SELECT ${organizationId}, ${FIRST_ID} + n, 1, ${FIRST_ID} + n, 'individual',
      ('{Ada,Grace,Жанна,Mohammed,Wei,José,Olga,Kwame,Ingrid,Fatima,John,Maria,Anna,Paul,Sven,Lucía}'::text[])[1 + (hashint4(n) & 15)],
      ('{Lovelace,Hopper,Иванова,Al-Farsi,Zhang,García,Petrova,Mensah,Larsson,Benali,Smith,Rossi,Kowalska,Dubois,Nilsson,Fernández}'::text[])
        [1 + (hashint4(n * 7) & 15)] || '-' || substr(md5(n::text), 1, 5),
      CASE WHEN n % 5 < 3 THEN 'user' || substr(md5((n * 3)::text), 1, 8) || '@'
        || ('{gmail.com,example.com,outlook.com}'::text[])[1 + n % 3] END,
      '+4915' || lpad((n::bigint * 7919 % 1000000000)::text, 9, '0'), '+49',
      '15' || lpad((n::bigint * 7919 % 1000000000)::text, 9, '0'), n % 200 || ' Harbour Road, Hamburg',
      now() - (${customers} - n) * interval '10 s', now()
    FROM generate_series(1, ${customers}::int) AS n`;
  await sql`
    INSERT INTO usage (organization_id, resource, period, used)
    VALUES (${organizationId}, 'customers', '1970-01-01', ${customers})`;
  await sql`
    INSERT INTO tasks (organization_id, id, version, name, code, task_type, status, status_rank, time_to_serve,
      customer_id, courier_type, channel_id, auto_assignment_status, tracking_token, created_at, updated_at)
    SELECT ${organizationId}, ${FIRST_ID} + n, 1, 'Delivery ' || n, 'SEED-' || n, 'delivery',
      CASE WHEN n % 10 = 0 THEN 'cancelled' ELSE 'completed' END, CASE WHEN n % 10 = 0 THEN 6 ELSE 5 END, 'asap',
      ${newest}, 'internal', 1, 'not_requested', md5(n::text), now() - n * interval '1 minute', now()
    FROM generate_series(1, ${tasks}::int) AS n`;
  await sql`VACUUM ANALYZE customers`;
  await sql`VACUUM ANALYZE tasks`;
  return newest;
}
