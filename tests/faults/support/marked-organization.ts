import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import * as v from 'valibot';
import type { Engine } from '../../../engine/org/start-engine.ts';
import type { Sql } from '../../../engine/store/postgres.ts';
import { updateOrganizationInput } from '../../../schema/accounts/organization.ts';
import type { Caller, Command } from '../../../schema/commands.ts';
import { createCustomerInput } from '../../../schema/customers/customer.ts';
import { createWarehouseInput } from '../../../schema/customers/warehouse.ts';
import { ERRORS } from '../../../schema/errors.ts';
import { idempotencyKey } from '../../../schema/fields/idempotency-key.ts';
import { type AgentView, createAgentInput, updateAgentInput } from '../../../schema/fleet/agent.ts';
import type { PaymentView } from '../../../schema/money/payment.ts';
import { createTaskSchema } from '../../../schema/tasks/create-task.ts';
import { changePackageInput, packageInput } from '../../../schema/tasks/package.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { updateTaskSchema } from '../../../schema/tasks/update-task.ts';
import { seedAgent, seedOrganization, withSql } from '../../support/seeds/seed.ts';
import { SCOPE } from './engine-fixture.ts';

export interface MarkedOrganization {
  readonly organizationId: number;
  readonly name: string;
  readonly staff: Caller;
  readonly superAdmin: Caller;
}

export async function seedMarked(databaseUrl: string, marker: string): Promise<MarkedOrganization> {
  const name = `${marker} & Sons`;
  const { organizationId, channelId, userId } = await seedOrganization(databaseUrl, { name });
  await seedAgent(databaseUrl, organizationId);
  await withSql(databaseUrl, (sql) => insertAccess(sql, organizationId, userId, marker));
  const base = { channelId, agentId: null, origin: { correlationId: ORIGIN, address: marker } };
  return {
    organizationId,
    name,
    staff: { ...base, type: 'channel', id: channelId, role: 'org_admin', userId },
    superAdmin: { ...base, type: 'user', id: userId, role: 'super_admin', userId },
  };
}

const ORIGIN = '3b241101-e2bb-4255-8caf-4136c566a962';

/** Writes a row by every plain transaction, with the marker in every free text. */
async function insertAccess(sql: Sql, organizationId: number, userId: number, marker: string): Promise<void> {
  const email = `${marker}@example.com`;
  const hash = `sha256(${`'${marker}'`}::bytea)`;
  await sql`UPDATE users SET email = ${email}, first_name = ${marker}, last_name = ${marker}, password_hash = ${marker}
    WHERE organization_id = ${organizationId} AND id = ${userId}`;
  await sql`UPDATE channels SET name = ${marker}, status = 'INACTIVE' WHERE organization_id = ${organizationId}`;
  await sql`UPDATE agents SET first_name = ${marker}, email = ${email} WHERE organization_id = ${organizationId}`;
  // More rows than one batch of the deletion, over several partitions.
  await sql`
    INSERT INTO agent_trail (organization_id, agent_id, recorded_at, received_at, latitude, longitude)
    SELECT organization_id, id, now() - i * interval '1 minute', now(), 1, 2
    FROM agents, generate_series(1, 2500) i WHERE organization_id = ${organizationId}`;
  await sql`
    INSERT INTO sessions (organization_id, id, user_id, access_hash, access_expires_at, address)
    VALUES (${organizationId}, nextval('session_ids'), ${userId}, ${sql.unsafe(hash)}, now() + interval '1 day', ${marker})`;
  await sql`
    INSERT INTO session_pairs (organization_id, session_id, refresh_hash, refresh_expires_at, access_expires_at, issued_at)
    SELECT organization_id, id, access_hash, now(), now(), now() FROM sessions WHERE organization_id = ${organizationId}`;
  await sql`
    INSERT INTO user_tokens (organization_id, user_id, purpose, token_hash, expires_at)
    VALUES (${organizationId}, ${userId}, 'verify_email', ${sql.unsafe(hash)}, now() + interval '1 day')`;
  await sql`INSERT INTO mail_requests (purpose, email, due_at)
    VALUES ('verify_email', ${email.toUpperCase()}, now() + interval '1 day')`;
  await insertWebhook(sql, organizationId, marker);
  await insertAssignment(sql, organizationId, marker);
  await insertPayment(sql, organizationId, marker);
  await insertProof(sql, organizationId, marker);
  await insertNotice(sql, organizationId, userId, marker);
  await sql`
    INSERT INTO audit_access (organization_id, action, record_type, record_id, actor_type, actor_id, address, after)
    VALUES (${organizationId}, 'user.created', 'user', ${userId}, 'user', ${userId}, ${marker},
      json_build_object('email', ${email}::text))`;
  await sql`
    INSERT INTO kept_outcomes (organization_id, scope, key_hash, fingerprint, status, sealed)
    VALUES (${organizationId}, ${marker}, ${sql.unsafe(hash)}, ${marker}, 200, ${sql.unsafe(hash)})`;
  // The answer to its creation, kept for a super admin.
  await sql`
    INSERT INTO kept_outcomes (organization_id, scope, key_hash, fingerprint, status, sealed, made_organization_id)
    VALUES (0, ${marker}, ${sql.unsafe(hash)}, ${marker}, 201, ${sql.unsafe(hash)}, ${organizationId})`;
}

/** A webhook that another process seems to serve, so that no worker sends or carries out anything. */
async function insertWebhook(sql: Sql, organizationId: number, marker: string): Promise<void> {
  const [webhook] = await sql<{ id: number }[]>`
    INSERT INTO webhooks (organization_id, id, version, url, events, description, concurrency, secret, previous_secret,
      is_active, active_since, start_sequence, created_at, updated_at)
    VALUES (${organizationId}, nextval('webhook_ids'), 1, ${`https://${marker}.example`}, '{*}', ${marker}, 1, ${marker},
      ${marker}, false, now(), 0, now(), now())
    RETURNING id`;
  await sql`
    INSERT INTO webhook_followers (organization_id, webhook_id, last_sequence, lease, leased_until)
    VALUES (${organizationId}, ${webhook!.id}, 0, gen_random_uuid(), now() + interval '1 day')`;
  await sql`
    INSERT INTO webhook_orders (organization_id, webhook_id, id, kind, delivery_id, event_id, body, created_at)
    VALUES (${organizationId}, ${webhook!.id}, nextval('webhook_order_ids'), 'test', nextval('webhook_delivery_ids'),
      ${marker}, ${marker}, now())`;
  // Rows over several partitions.
  await sql`
    INSERT INTO webhook_deliveries (organization_id, id, webhook_id, created_at, event_id, type, body, state, attempt,
      attempts)
    SELECT ${organizationId}, nextval('webhook_delivery_ids'), ${webhook!.id}, now() + i * interval '1 day', ${marker},
      'webhook.test', ${marker}, 'failed', 1, json_build_array(json_build_object('excerpt', ${marker}::text))
    FROM generate_series(0, 2) i`;
}

/** A proof, and a wrong PIN, of a task that does not exist. */
async function insertProof(sql: Sql, organizationId: number, marker: string): Promise<void> {
  await sql`
    INSERT INTO task_proofs (organization_id, task_id, id, kind, content_type, content, actor_type, created_at)
    VALUES (${organizationId}, 1, nextval('proof_ids'), 'photo', ${marker}, convert_to(${marker}, 'UTF8'), 'system', now())`;
  await sql`INSERT INTO task_pins (organization_id, task_id, wrong_count) VALUES (${organizationId}, 1, 1)`;
}

/** A device with a live session, the mail settings of customers, and a settled notice that no worker sends. */
async function insertNotice(sql: Sql, organizationId: number, userId: number, marker: string): Promise<void> {
  await sql`
    INSERT INTO push_tokens (organization_id, user_id, device_id, id, session_id, platform, token, token_hash, registered_at)
    SELECT organization_id, user_id, ${marker}, nextval('push_token_ids'), id, 'android', ${marker},
      sha256(${marker}::text::bytea), now()
    FROM sessions WHERE organization_id = ${organizationId} AND user_id = ${userId}`;
  await sql`
    INSERT INTO notification_settings (organization_id, version, mail_created, mail_on_the_way, mail_completed, templates,
      updated_at)
    VALUES (${organizationId}, 1, false, false, false, json_build_object('subject', ${marker}::text), now())`;
  await sql`
    INSERT INTO notifications (organization_id, id, kind, channel, task_id, customer_id, topic_id, address, status, reason,
      expires_at)
    VALUES (${organizationId}, nextval('notification_ids'), 'tracking_created', 'mail', 1, 1, 1, ${marker}, 'failed',
      ${marker}, now())`;
}

/** The rows that a search for an agent leaves: a request, a searching task, a courier with a job. */
async function insertAssignment(sql: Sql, organizationId: number, marker: string): Promise<void> {
  await sql`
    INSERT INTO assignment_requests (organization_id, id, version, task_id, agent_id, channel_id, status, mode, attempt,
      score, expires_at, rejection_reason, created_at, updated_at)
    VALUES (${organizationId}, nextval('assignment_request_ids'), 2, 1, 1, 1, 'rejected', 'sequential', 1, 1, now(),
      ${marker}, now(), now())`;
  // The task does not exist, so that no round has anything to do.
  await sql`INSERT INTO searching_tasks (organization_id, task_id) VALUES (${organizationId}, 1)`;
  await sql`
    INSERT INTO couriers (organization_id, provider, external_id, name, phone_number, vehicle_type, vehicle, tracking_url)
    VALUES (${organizationId}, ${marker}, ${marker}, ${marker}, ${marker}, 'van', '{}', ${marker})`;
  // Withdrawn already: workers withdraw a booking that has taken too long, which a slow run would see happen.
  await sql`
    INSERT INTO fleet_jobs (organization_id, entry, task_id, vehicle, weight_kg, volume_m3, packages, booked_at, is_withdrawn)
    VALUES (${organizationId}, 1, 1, ${marker}, 1, 1, 1, now(), true)`;
}

/**
 * The rows that workers and the test provider keep for a payment that does not exist, so that no worker has anything to
 * do.
 */
async function insertPayment(sql: Sql, organizationId: number, marker: string): Promise<void> {
  await sql`
    INSERT INTO payment_attempts (organization_id, payment_id, step, due_at, last_error)
    VALUES (${organizationId}, 1, 'refund', now() + interval '1 day', ${marker})`;
  await sql`
    INSERT INTO test_checkouts (organization_id, payment_id, secret, amount_minor, currency, description, return_url,
      status, expires_at)
    VALUES (${organizationId}, 1, ${marker}, 1, 'USD', ${marker}, ${marker}, 'open', now() + interval '1 day')`;
}

const [REPEATS, REPEAT_MS] = [40, 250];

/** Makes the organization's actor create records of every kind, with the marker in every free text. */
export async function fillMarked(engine: Engine, owner: MarkedOrganization, marker: string, tasks: number) {
  const { organizationId, staff: caller, superAdmin } = owner;
  let keys = 0;
  const ask = async <T = TaskView>(command: Command): Promise<T> => {
    keys += 1;
    const idempotency = idempotencyKey(SCOPE, `${marker} ${keys}`, marker);
    const send = () => engine.ask(organizationId, { ...command, idempotency } as Command);
    let answer = await send();
    // On a machine that stalls the answer says to try again, and the key makes that safe.
    for (let left = REPEATS; left > 0 && !answer.ok && ERRORS[answer.refusal.code].status === 503; left--) {
      await delay(REPEAT_MS);
      answer = await send();
    }
    assert.ok(answer.ok, JSON.stringify(answer));
    return JSON.parse(answer.data) as T;
  };
  const place = { address: marker, latitude: 1, longitude: 2, building: marker, floor: marker, apartment: marker };
  const settings = v.parse(updateOrganizationInput, { settings: { [marker]: marker } });
  await ask({ kind: 'update-organization', caller: superAdmin, input: settings });
  const shop = { name: marker, location: place };
  await ask({ kind: 'create-warehouse', caller, input: v.parse(createWarehouseInput, shop) });
  const someone = { name: marker, phone: '+442079469999', email: `c@${marker}.example`, address: marker };
  await ask({ kind: 'create-customer', caller, input: v.parse(createCustomerInput, someone) });
  const driver = {
    ...{
      name: marker,
      email: `a@${marker}.example`,
      phone: '+442079468888',
      agentType: 'freelancer',
      skills: [marker],
    },
    ...{ vehicle: { type: marker }, home: { address: marker, latitude: 1, longitude: 2 } },
  };
  const { id: agentId } = await ask<AgentView>({
    kind: 'create-agent',
    caller,
    input: v.parse(createAgentInput, driver),
    passwordHash: marker,
  });
  const renamed = v.parse(updateAgentInput, { name: `${marker} changed` });
  await ask({ kind: 'update-agent', caller, agentId, input: renamed });
  await ask({ kind: 'change-duty', caller, agentId, input: { onDuty: true } });
  const create = (body: object) => ask({ kind: 'create-task', caller, input: v.parse(createTaskSchema(), body) });
  const made = await Promise.all(
    Array.from({ length: tasks }, (_, index) => create(markedBody(marker, index, { location: place }))),
  );
  const [first, second] = made as [TaskView, TaskView];
  await create(markedBody(marker, tasks, { locationId: first.locationId }));
  const input = v.parse(updateTaskSchema(), { notes: `${marker} changed`, description: marker });
  await ask({ kind: 'update-task', caller, taskId: first.id, input });
  await ask({ kind: 'add-package', caller, taskId: first.id, input: v.parse(packageInput, { name: marker }) });
  const step = v.parse(changePackageInput, { status: 'cancelled', reason: marker });
  await ask({ kind: 'change-package-status', caller, packageId: first.packages[0]!.id, input: step });
  await ask({ kind: 'assign-task', caller, taskId: first.id, input: { agentId, reason: marker } });
  await ask({ kind: 'unassign-task', caller, taskId: first.id, input: { reason: marker } });
  const topUp = { amount: 10, reference: marker };
  await ask({ kind: 'top-up-wallet', caller, customerId: first.customerId!, input: topUp });
  const sum = { taskId: first.id, amount: 5, reference: marker };
  const { id: paymentId } = await ask<PaymentView>({ kind: 'pay-task', method: 'wallet', caller, input: sum });
  await ask({ kind: 'refund-payment', caller, paymentId, input: { reason: marker } });
  const cancel = { status: 'cancelled', reason: marker } as const;
  await ask({ kind: 'change-task-status', caller, taskId: second.id, input: cancel });
}

function markedBody(marker: string, index: number, where: object): object {
  return {
    name: marker,
    description: marker,
    notes: marker,
    code: `${marker}-${index}`,
    taskType: 'delivery',
    timeToServe: 'scheduled',
    scheduledAt: new Date(Date.now() + 86_400_000).toISOString(),
    customer: { name: marker, phone: `+4420794${String(60_000 + index)}`, email: `${index}@${marker}.example` },
    integrationData: { [marker]: marker },
    requiredSkills: [marker],
    packages: [{ name: marker, description: marker, barcode: marker, notes: marker }],
    ...where,
  };
}
