import type { Attempt, DeliveryState } from '../../../schema/notices/webhook.ts';
import { withSql } from '../../support/seeds/seed.ts';

interface DeliverySeed {
  readonly organizationId: number;
  readonly webhookId: number;
  readonly eventId?: string;
  /** The place of its event in the log; null for one with a body of its own. */
  readonly sequence: number | null;
  readonly body?: string | undefined;
  readonly type?: string;
  readonly state?: DeliveryState;
  readonly attempts?: readonly Attempt[];
  readonly createdAt?: string;
}

/** A delivery as the workers leave it; its id. */
export async function seedDelivery(databaseUrl: string, seed: DeliverySeed): Promise<number> {
  const { type = 'task.created', state = 'succeeded', attempts = [], createdAt = new Date().toISOString() } = seed;
  const nextAttemptAt = state === 'pending' ? createdAt : null;
  const [row] = await withSql(
    databaseUrl,
    (sql) => sql<{ id: number }[]>`
      INSERT INTO webhook_deliveries (organization_id, id, webhook_id, created_at, event_id, type, sequence, body, state,
        attempt, attempts, next_attempt_at)
      VALUES (${seed.organizationId}, nextval('webhook_delivery_ids'), ${seed.webhookId}, ${createdAt}, ${seed.eventId ?? 'evt_seeded'},
        ${type}, ${seed.sequence}, ${seed.body ?? null}, ${state}, ${attempts.length}, ${sql.json(attempts as [])},
        ${nextAttemptAt})
      RETURNING id`,
  );
  return row!.id;
}
