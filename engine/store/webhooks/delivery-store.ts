import { LIMITS } from '../../../schema/limits.ts';
import type { Attempt, DeliveryState, DisabledReason } from '../../../schema/notices/webhook.ts';
import { type Fragment, numberArray, type Sql } from '../postgres.ts';
import { once } from '../statements.ts';
import { DISABLED, endedValues, endingAttempt, endReasonOf, lastAttempts } from './ended-deliveries.ts';
import { arePositionsDue, type EndpointHealth, type EndpointKey } from './follower-store.ts';

/** A delivery that needs another attempt. */
export interface PendingDelivery {
  readonly id: number;
  readonly createdAt: string;
  readonly eventId: string;
  readonly type: string;
  readonly sequence: number | null;
  /** Attempts so far. */
  readonly attempt: number;
  /** Undefined: the log does not keep it any more. */
  readonly body: string | undefined;
  /** The orders that the next attempt carries out. */
  readonly orderIds: readonly number[];
}

/** The state of a delivery after an attempt. */
export interface Settled {
  readonly state: DeliveryState;
  readonly attempt: Attempt;
  readonly nextAttemptAt: string | null;
}

/** The outcome of the first attempt at an event of the log, with the delivery that it makes. */
export interface FirstOutcome extends Settled {
  readonly eventId: string;
  readonly type: string;
  readonly sequence: number;
}

/** The outcome of an attempt at an existing delivery. */
export interface FurtherOutcome extends Settled {
  readonly id: number;
  readonly createdAt: string;
  /** The orders that were carried out by it. */
  readonly orderIds: readonly number[];
}

/** The writes of one endpoint at a time: together, or none when another process has taken it over. */
export interface EndpointOutcomes extends EndpointKey {
  /** Every event up to this one has a delivery now, or is not wanted. */
  readonly lastSequence: number;
  readonly first: readonly FirstOutcome[];
  readonly further: readonly FurtherOutcome[];
  readonly health: EndpointHealth;
  /** The webhook gets nothing more, from now on; deliveries that are pending end. */
  readonly disabled: DisabledReason | undefined;
}

/** A replay that goes on: events after one up to another. */
export interface ReplayOrder {
  readonly id: number;
  readonly afterSequence: number;
  readonly lastSequence: number;
}

/** An event of the log that must be sent once more. */
export interface ReplayedEvent {
  readonly eventId: string;
  readonly type: string;
  readonly sequence: number;
}

/** An event that is not in the log. */
export interface UnloggedEvent {
  readonly eventId: string;
  readonly type: string;
  readonly body: string;
}

/** Deliveries and orders. Writes name the process's lease, and do nothing without it. */
export interface DeliveryStore {
  /**
   * Writes the outcomes of attempts, and keeps these endpoints for another lease; without outcomes it only renews.
   * Returns the endpoints that were still this process's: nothing was written for the others. One call at a time: two
   * would wait for each other's rows, perhaps for ever.
   */
  record(outcomes: readonly EndpointOutcomes[], lease: string): Promise<EndpointKey[]>;
  /** Due deliveries, the longest due first. */
  readDue(key: EndpointKey, limit: number): Promise<PendingDelivery[]>;
  /** Makes ordered tests and redeliveries due, and returns them. An order stays until its outcome is recorded. */
  takeOrders(key: EndpointKey, lease: string): Promise<PendingDelivery[]>;
  findReplay(key: EndpointKey): Promise<ReplayOrder | undefined>;
  /**
   * Makes these events of a replay due and moves it; it ends when `upTo` is its last. False, and nothing is done, where
   * the webhook was switched off or disabled meanwhile.
   */
  queueReplay(
    key: EndpointKey,
    lease: string,
    order: ReplayOrder,
    events: readonly ReplayedEvent[],
    upTo: number,
  ): Promise<boolean>;
  /**
   * Makes deliveries of agents' positions due; it needs no lease. The webhook then knows every position received until
   * `knownUntil`. Nothing is done where it was switched off or disabled meanwhile, or another process did it.
   */
  queuePositions(key: EndpointKey, knownUntil: string, events: readonly UnloggedEvent[]): Promise<void>;
}

export function createDeliveryStore(sql: Sql): DeliveryStore {
  return {
    record: (outcomes, lease) => once(recordOf(sql, outcomes, lease), 'recording deliveries'),
    async readDue({ organizationId, webhookId }, limit) {
      const query = sql<PendingRow[]>`
        SELECT ${pendingColumns(sql)} FROM ${deliveriesWithBodies(sql)}
        WHERE d.organization_id = ${organizationId} AND d.webhook_id = ${webhookId} AND d.state = 'pending'
          AND d.next_attempt_at <= now()
        ORDER BY d.next_attempt_at, d.id LIMIT ${limit}`;
      return (await once(query, 'looking for due deliveries')).map((row) => pendingOf(row));
    },
    async takeOrders(key, lease) {
      const taken = new Map(
        (await once(takingOf(sql, key, lease), 'taking orders')).map((row) => [row.id, row.orderIds]),
      );
      if (taken.size === 0) return [];
      const query = sql<PendingRow[]>`
        SELECT ${pendingColumns(sql)} FROM ${deliveriesWithBodies(sql)}
        WHERE d.organization_id = ${key.organizationId} AND d.id = ANY(${numberArray([...taken.keys()])}::bigint[]) ORDER BY d.id`;
      return (await once(query, 'reading ordered deliveries')).map((row) => pendingOf(row, taken.get(row.id)));
    },
    async findReplay({ organizationId, webhookId }) {
      const query = sql<ReplayOrder[]>`
        SELECT id, after_sequence, last_sequence FROM webhook_orders
        WHERE organization_id = ${organizationId} AND webhook_id = ${webhookId} AND kind = 'replay'
        ORDER BY id LIMIT 1`;
      return (await once(query, 'looking for replays'))[0];
    },
    async queueReplay(key, lease, order, events, upTo) {
      const moved = await once(replayOf(sql, key, lease, order, events, upTo), 'queueing a replay');
      return moved.length > 0;
    },
    async queuePositions(key, knownUntil, events) {
      await once(positionsOf(sql, key, knownUntil, events), 'queueing positions');
    },
  };
}

type PendingRow = Omit<PendingDelivery, 'body' | 'orderIds'> & { readonly body: string | null };

function pendingColumns(sql: Sql): Fragment {
  return sql`d.id, d.created_at, d.event_id, d.type, d.sequence, d.attempt, coalesce(d.body, e.body) AS body`;
}

function deliveriesWithBodies(sql: Sql): Fragment {
  return sql`
    webhook_deliveries d LEFT JOIN events e ON e.organization_id = d.organization_id AND e.sequence = d.sequence`;
}

function pendingOf({ body, ...delivery }: PendingRow, orderIds: readonly number[] = []): PendingDelivery {
  return { ...delivery, body: body ?? undefined, orderIds };
}

/** The endpoint, as long as it is held; its next holder finds the due deliveries of a dead process. */
function heldOf(sql: Sql, { organizationId, webhookId }: EndpointKey, lease: string): Fragment {
  return sql`
    held AS (
      UPDATE webhook_followers SET next_due_at = least(next_due_at, now())
      WHERE organization_id = ${organizationId} AND webhook_id = ${webhookId} AND lease = ${lease} RETURNING webhook_id)`;
}

/**
 * The webhook while it is switched on, locked before its follower, as changes of it do: a change that comes between has
 * ended what is pending, and nothing more is made.
 */
function switchedOnOf(sql: Sql, { organizationId, webhookId }: EndpointKey): Fragment {
  return sql`
    switched_on AS MATERIALIZED (
      SELECT * FROM webhooks WHERE organization_id = ${organizationId} AND id = ${webhookId} AND is_active FOR SHARE)`;
}

/** The workers have not disabled the webhook `w` with the follower `f` since it was switched on. */
function isEnabled(sql: Sql): Fragment {
  return sql`(f.disabled_at IS NULL OR f.disabled_at < w.active_since)`;
}

/** The value of `created_at` in the exactness in which it is read, for finding the row. */
function nowExactly(sql: Sql): Fragment {
  return sql`date_trunc('milliseconds', now())`;
}

/**
 * An order that a dead process had taken is taken again: its test is there already. One whose delivery is not kept any
 * more goes.
 */
function takingOf(sql: Sql, key: EndpointKey, lease: string) {
  const { organizationId, webhookId } = key;
  return sql<{ id: number; orderIds: number[] }[]>`
    WITH ${heldOf(sql, key, lease)}, taken AS MATERIALIZED (
      SELECT o.*, EXISTS (SELECT FROM webhook_deliveries d
          WHERE d.organization_id = o.organization_id AND d.webhook_id = o.webhook_id AND d.id = o.delivery_id) AS is_there
      FROM webhook_orders o WHERE o.organization_id = ${organizationId}
        AND o.webhook_id = (SELECT webhook_id FROM held) AND o.kind <> 'replay'
    ), gone AS (
      DELETE FROM webhook_orders o USING taken WHERE taken.kind = 'redelivery' AND NOT taken.is_there
        AND o.organization_id = taken.organization_id AND o.webhook_id = taken.webhook_id AND o.id = taken.id
    ), tests AS (
      INSERT INTO webhook_deliveries (organization_id, id, webhook_id, created_at, event_id, type, body, state,
          attempt, attempts, next_attempt_at)
        SELECT organization_id, delivery_id, webhook_id, ${nowExactly(sql)}, event_id, 'webhook.test', body, 'pending',
          0, '[]', now()
        FROM taken WHERE kind = 'test' AND NOT is_there
      RETURNING id
    ), again AS (
      UPDATE webhook_deliveries d SET state = 'pending', next_attempt_at = now()
      FROM taken WHERE taken.is_there AND d.organization_id = ${organizationId} AND d.webhook_id = ${webhookId}
        AND d.id = taken.delivery_id
      RETURNING d.id
    )
    SELECT due.id, json_agg(taken.id) AS order_ids
    FROM (SELECT id FROM tests UNION SELECT id FROM again) due JOIN taken ON taken.delivery_id = due.id
    GROUP BY due.id`;
}

function replayOf(
  sql: Sql,
  key: EndpointKey,
  lease: string,
  order: ReplayOrder,
  events: readonly ReplayedEvent[],
  upTo: number,
) {
  const { organizationId, webhookId } = key;
  const isOrder = sql`
    organization_id = ${organizationId} AND webhook_id = (SELECT webhook_id FROM held) AND id = ${order.id}
    AND after_sequence = ${order.afterSequence}`;
  return sql`
    WITH ${switchedOnOf(sql, key)}, held AS (
      UPDATE webhook_followers f SET next_due_at = least(f.next_due_at, now()) FROM switched_on w
      WHERE f.organization_id = ${organizationId} AND f.webhook_id = w.id AND f.lease = ${lease} AND ${isEnabled(sql)}
      RETURNING f.webhook_id
    ), moved AS (
      UPDATE webhook_orders SET after_sequence = ${upTo} WHERE ${isOrder} AND last_sequence > ${upTo} RETURNING id
    ), ended AS (
      DELETE FROM webhook_orders WHERE ${isOrder} AND last_sequence <= ${upTo} RETURNING id
    ), due AS (
      INSERT INTO webhook_deliveries (organization_id, id, webhook_id, created_at, event_id, type, sequence, state,
          attempt, attempts, next_attempt_at)
        SELECT ${organizationId}, nextval('webhook_delivery_ids'), ${webhookId}, ${nowExactly(sql)}, event_id, type,
          sequence, 'pending', 0, '[]', now()
        FROM ${rowsOf(sql, events.map(inSnakeCase))} AS t(event_id text, type text, sequence bigint)
        WHERE EXISTS (SELECT FROM moved UNION ALL SELECT FROM ended)
    )
    SELECT FROM moved UNION ALL SELECT FROM ended`;
}

function positionsOf(
  sql: Sql,
  { organizationId, webhookId }: EndpointKey,
  knownUntil: string,
  events: readonly UnloggedEvent[],
): Fragment {
  return sql`
    WITH ${switchedOnOf(sql, { organizationId, webhookId })}, told AS (
      INSERT INTO webhook_followers AS f (organization_id, webhook_id, last_sequence, positions_told_at,
          positions_known_until, next_due_at)
        SELECT organization_id, id, start_sequence, now(), ${knownUntil}::timestamptz, now() FROM switched_on
      ON CONFLICT (organization_id, webhook_id) DO UPDATE SET positions_told_at = excluded.positions_told_at,
        positions_known_until = excluded.positions_known_until, next_due_at = least(f.next_due_at, excluded.next_due_at)
        WHERE (SELECT ${isEnabled(sql)} FROM switched_on w) AND ${arePositionsDue(sql)}
      RETURNING webhook_id
    )
    INSERT INTO webhook_deliveries (organization_id, id, webhook_id, created_at, event_id, type, body, state, attempt,
        attempts, next_attempt_at)
      SELECT ${organizationId}, nextval('webhook_delivery_ids'), told.webhook_id, ${nowExactly(sql)}, event_id, type,
        body, 'pending', 0, '[]', now()
      FROM told, ${rowsOf(sql, events.map(inSnakeCase))} AS t(event_id text, type text, body text)`;
}

function rowsOf(sql: Sql, rows: readonly object[]): Fragment {
  return sql`jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb)`;
}

function inSnakeCase({ eventId, ...rest }: ReplayedEvent | UnloggedEvent) {
  return { event_id: eventId, ...rest };
}

/** The outcomes as lists of rows. */
function rowsOfOutcomes(outcomes: readonly EndpointOutcomes[]) {
  const endpoints = [];
  const first = [];
  const further = [];
  const orders = [];
  for (const { organizationId: o, webhookId: w, lastSequence, health, disabled, ...settled } of outcomes) {
    const dues = [...settled.first, ...settled.further].flatMap(({ nextAttemptAt }) => nextAttemptAt ?? []);
    endpoints.push({
      o,
      w,
      last_sequence: lastSequence,
      failures: health.failures,
      failing_since: health.failingSince,
      paused_until: health.pausedUntil,
      disabled_reason: disabled ?? null,
      next_due_at: dues.sort()[0] ?? null,
    });
    for (const { eventId, type, sequence, state, attempt, nextAttemptAt } of settled.first)
      first.push({
        o,
        w,
        event_id: eventId,
        type,
        sequence,
        state,
        attempts: [attempt],
        next_attempt_at: nextAttemptAt,
      });
    for (const { id, createdAt, state, attempt, nextAttemptAt, orderIds } of settled.further) {
      further.push({ o, w, id, created_at: createdAt, state, attempts: [attempt], next_attempt_at: nextAttemptAt });
      orders.push(...orderIds.map((orderId) => ({ o, w, id: orderId })));
    }
  }
  return { endpoints, first, further, orders };
}

/** One statement for any number of outcomes. The one that disables a webhook ends its pending deliveries, too. */
function recordOf(sql: Sql, outcomes: readonly EndpointOutcomes[], lease: string) {
  const { endpoints, first, further, orders } = rowsOfOutcomes(outcomes);
  // Rare, and planned over all partitions: other writes do without it.
  const ended = outcomes.some(({ disabled }) => disabled) ? sql`, ended AS (${endingOf(sql)})` : sql``;
  const carriedOut = orders.length > 0 ? sql`, carried_out AS (${carryingOutOf(sql, orders)})` : sql``;
  const isEnded = sql`held.reason IS NOT NULL AND t.state = 'pending'`;
  const state = sql`CASE WHEN ${isEnded} THEN 'failed' ELSE t.state END`;
  const nextAttemptAt = sql`CASE WHEN held.reason IS NULL THEN t.next_attempt_at END`;
  const attempts = sql`CASE WHEN ${isEnded} THEN t.attempts || ${endingAttempt(sql, sql`held.reason`)} ELSE t.attempts END`;
  return sql<EndpointKey[]>`
    WITH held AS (
      UPDATE webhook_followers f SET leased_until = now() + ${LIMITS.webhookLeaseMs} * interval '1 ms',
        last_sequence = greatest(f.last_sequence, t.last_sequence), failures = t.failures,
        failing_since = t.failing_since, paused_until = t.paused_until,
        disabled_at = coalesce(f.disabled_at, CASE WHEN t.disabled_reason IS NOT NULL THEN now() END),
        disabled_reason = coalesce(f.disabled_reason, t.disabled_reason), next_due_at = least(f.next_due_at, t.next_due_at)
      FROM ${rowsOf(sql, endpoints)} AS t(o bigint, w bigint, last_sequence bigint, failures int, failing_since timestamptz,
        paused_until timestamptz, disabled_reason text, next_due_at timestamptz)
      WHERE f.organization_id = t.o AND f.webhook_id = t.w AND f.lease = ${lease}
      RETURNING f.organization_id, f.webhook_id, f.disabled_at = now() AS is_disabled_now,
        ${endReasonOf(sql)} AS reason
    ), first AS (
      INSERT INTO webhook_deliveries (organization_id, id, webhook_id, created_at, event_id, type, sequence, state,
          attempt, attempts, next_attempt_at)
        SELECT t.o, nextval('webhook_delivery_ids'), t.w, ${nowExactly(sql)}, t.event_id, t.type, t.sequence, ${state},
          jsonb_array_length(${attempts}), ${attempts}, ${nextAttemptAt}
        FROM ${rowsOf(sql, first)} AS t(o bigint, w bigint, event_id text, type text, sequence bigint, state text,
          attempts jsonb, next_attempt_at timestamptz) JOIN held ON held.organization_id = t.o AND held.webhook_id = t.w
    ), again AS (
      SELECT * FROM ${rowsOf(sql, further)} AS t(o bigint, w bigint, id bigint, created_at timestamptz, state text,
        attempts jsonb, next_attempt_at timestamptz)
    ), further AS (
      UPDATE webhook_deliveries d SET state = ${state}, attempt = d.attempt + jsonb_array_length(${attempts}),
        attempts = ${lastAttempts(sql, sql`d.attempts || ${attempts}`)}, next_attempt_at = ${nextAttemptAt}
      FROM again t JOIN held ON held.organization_id = t.o AND held.webhook_id = t.w
      WHERE d.organization_id = t.o AND d.id = t.id AND d.created_at = t.created_at
    )${ended}${carriedOut}
    SELECT organization_id, webhook_id FROM held`;
}

/** Removes orders of webhooks in `held` whose deliveries have an outcome. */
function carryingOutOf(sql: Sql, orders: readonly object[]): Fragment {
  return sql`
    DELETE FROM webhook_orders USING ${rowsOf(sql, orders)} AS t(o bigint, w bigint, id bigint)
      JOIN held ON held.organization_id = t.o AND held.webhook_id = t.w
    WHERE webhook_orders.organization_id = t.o AND webhook_orders.webhook_id = t.w AND webhook_orders.id = t.id`;
}

/** The pending deliveries of webhooks in `held` that are disabled just now, without those in `again`. */
function endingOf(sql: Sql): Fragment {
  return sql`
    UPDATE webhook_deliveries d SET ${endedValues(sql, sql`${DISABLED}::text`)}
    FROM held
    WHERE held.is_disabled_now AND d.organization_id = held.organization_id AND d.webhook_id = held.webhook_id
      AND d.state = 'pending' AND NOT EXISTS (SELECT FROM again WHERE again.o = d.organization_id AND again.id = d.id)`;
}
