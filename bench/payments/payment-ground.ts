import { DEFAULT_MINUTES } from '../../engine/domain/tasks/delay.ts';
import { connectPostgres, type Sql } from '../../engine/store/postgres.ts';

/** Far from the ids that others use, with the same number of digits for every one. */
const FIRST_ID = 1_000_000_000;
const CUSTOMERS = 1_000;
/** The size of one payment. */
const PAYMENT_MINOR = 100;
const SEED_STATEMENT_MS = 120_000;

/** Whose wallets pay: a thousand in turn, or one and the same. */
export const WALLETS = ['spread', 'hot'] as const;
export type Wallets = (typeof WALLETS)[number];

/** Tasks that wait to be paid, in stretches of `perRun`: each run takes a stretch of its own. */
export interface PaymentGround {
  readonly perRun: number;
  readonly rounds: number;
}

/** The first task of the stretch that a run takes. */
export function firstTaskOf({ perRun, rounds }: PaymentGround, wallets: Wallets, round: number): number {
  return FIRST_ID + (WALLETS.indexOf(wallets) * rounds + round - 1) * perRun;
}

/**
 * Gives an organization customers with full wallets, and plain tasks of theirs. Everything that the engine keeps beside
 * agrees with them.
 */
export async function seedPayments(
  databaseUrl: string,
  owner: { readonly organizationId: number; readonly channelId: number },
  ground: PaymentGround,
): Promise<void> {
  const sql = connectPostgres(databaseUrl, { name: 'seed', connections: 1, statementTimeoutMs: SEED_STATEMENT_MS });
  try {
    await seedCustomers(sql, owner.organizationId);
    await seedWallets(sql, owner.organizationId, ground.perRun * ground.rounds * PAYMENT_MINOR);
    await seedTasks(sql, owner, ground);
    await sql`VACUUM (ANALYZE)`;
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Customer 0 is the one whose wallet is hot. */
async function seedCustomers(sql: Sql, organizationId: number): Promise<void> {
  await sql`
    INSERT INTO customers (organization_id, id, version, user_id, customer_type, first_name, last_name, phone_e164,
      country_code, phone_number, created_at, updated_at)
    SELECT ${organizationId}, ${FIRST_ID}::bigint + n, 1, ${FIRST_ID}::bigint + n, 'individual', 'Customer', 'Number ' || n,
      '+491555' || lpad(n::text, 8, '0'), '+49', '1555' || lpad(n::text, 8, '0'), now(), now()
    FROM generate_series(0, ${CUSTOMERS}::int) n`;
  await sql`
    INSERT INTO usage (organization_id, resource, period, used)
    VALUES (${organizationId}, 'customers', '1970-01-01', ${CUSTOMERS + 1})
    ON CONFLICT (organization_id, resource, period) DO UPDATE SET used = usage.used + excluded.used`;
}

async function seedWallets(sql: Sql, organizationId: number, eachMinor: number): Promise<void> {
  const wallets = sql`generate_series(0, ${CUSTOMERS}::int) n`;
  await sql`
    INSERT INTO ledger_transfers (organization_id, id, kind, at, actor_type)
    SELECT ${organizationId}, ${FIRST_ID}::bigint + n, 'top_up', now(), 'system' FROM ${wallets}`;
  await sql`
    INSERT INTO ledger_entries (organization_id, transfer_id, line, account, owner_id, currency, amount_minor,
      balance_minor, entry)
    SELECT ${organizationId}::bigint, ${FIRST_ID}::bigint + n, 1, 'wallet_funding', 0, 'USD', ${eachMinor}::bigint,
      ${eachMinor}::bigint * (n + 1), n + 1 FROM ${wallets}
    UNION ALL
    SELECT ${organizationId}::bigint, ${FIRST_ID}::bigint + n, 2, 'wallet', ${FIRST_ID}::bigint + n, 'USD',
      -${eachMinor}::bigint, -${eachMinor}::bigint, 1 FROM ${wallets}`;
  await sql`
    INSERT INTO ledger_accounts (organization_id, account, owner_id, currency, balance_minor, entries, updated_at)
    SELECT organization_id, account, owner_id, currency, sum(amount_minor), count(*), now() FROM ledger_entries
    WHERE organization_id = ${organizationId} GROUP BY 1, 2, 3, 4`;
}

async function seedTasks(
  sql: Sql,
  { organizationId, channelId }: { readonly organizationId: number; readonly channelId: number },
  { perRun, rounds }: PaymentGround,
): Promise<void> {
  const tasks = WALLETS.length * rounds * perRun;
  await sql`
    INSERT INTO tasks (organization_id, id, version, name, code, task_type, status, status_rank, time_to_serve,
      customer_id, courier_type, channel_id, auto_assignment_status, tracking_token, deadline_at, created_at, updated_at)
    SELECT ${organizationId}, ${FIRST_ID}::bigint + n, 1, 'Delivery ' || n, 'SEED-' || n, 'delivery', 'new', 0, 'asap',
      ${FIRST_ID}::bigint + CASE WHEN n < ${rounds * perRun} THEN 1 + n % ${CUSTOMERS}::int ELSE 0 END, 'internal',
      ${channelId}, 'not_requested', left(md5(n::text), 22), now() + ${DEFAULT_MINUTES.asap}::int * interval '1 minute', now(), now()
    FROM generate_series(0, ${tasks - 1}::int) n`;
  await sql`
    UPDATE organization_heads SET next_deadline_at = (
      SELECT min(deadline_at) FROM tasks WHERE organization_id = ${organizationId}) WHERE organization_id = ${organizationId}`;
  await sql`
    INSERT INTO task_counts (organization_id, status, task_type, channel_id, time_to_serve, count)
    VALUES (${organizationId}, 'new', 'delivery', ${channelId}, 'asap', ${tasks})`;
  await sql`
    INSERT INTO usage (organization_id, resource, period, used)
    VALUES (${organizationId}, 'tasks', date_trunc('month', now() AT TIME ZONE 'UTC')::date, ${tasks})`;
}

/**
 * The faults of the books after `acknowledged` payments, of which `untold` more may have been made; empty when there
 * are none.
 */
export async function checkPayments(
  databaseUrl: string,
  ground: PaymentGround,
  acknowledged: number,
  untold: number,
): Promise<string[]> {
  const sql = connectPostgres(databaseUrl, {
    name: 'bench probe',
    connections: 1,
    statementTimeoutMs: SEED_STATEMENT_MS,
  });
  try {
    const [row] = await sql<
      Record<'payments' | 'tasks' | 'events' | 'history' | 'audited' | 'entries' | 'left', number>[]
    >`
      SELECT (SELECT count(*) FROM payments WHERE status = 'succeeded') AS payments,
        (SELECT count(*) FROM tasks t JOIN payments p ON p.organization_id = t.organization_id AND p.id = t.payment_id
          AND p.task_id = t.id) AS tasks,
        (SELECT count(*) FROM events WHERE type = 'payment.succeeded') AS events,
        (SELECT count(*) FROM task_history WHERE kind = 'payment') AS history,
        (SELECT count(*) FROM audit_records WHERE record_type = 'payment') AS audited,
        (SELECT count(*) FROM ledger_entries WHERE account IN ('wallet', 'revenue') AND transfer_id NOT BETWEEN
          ${FIRST_ID} AND ${FIRST_ID + CUSTOMERS}) AS entries,
        (SELECT -sum(balance_minor) FROM ledger_accounts WHERE account = 'wallet')::bigint AS left`;
    const { payments, entries, left, ...others } = row!;
    const problems: string[] = [];
    if (payments < acknowledged || payments > acknowledged + untold)
      problems.push(`${payments} payments for ${acknowledged} acknowledged ones, of which ${untold} may be untold`);
    for (const [what, count] of Object.entries(others)) {
      if (count !== payments) problems.push(`${count} ${what} for ${payments} payments`);
    }
    if (entries !== 2 * payments) problems.push(`${entries} entries of ${payments} payments`);
    const due = PAYMENT_MINOR * (ground.perRun * ground.rounds * (CUSTOMERS + 1) - payments);
    if (left !== due) problems.push(`the wallets have ${left}, ${due} were due`);
    return problems;
  } finally {
    await sql.end({ timeout: 5 });
  }
}
