import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ERRORS } from '../../../../schema/errors.ts';
import { assertRowsAgree } from './agreed-rows.ts';
import { type AgreementOptions, checkHistories, limits } from './agreement.ts';
import type { Sent } from './request.ts';
import { type Known, OPENING, request, type Step } from './step.ts';
import { toCommand } from './to-command.ts';
import { openTenant, type Tenant } from './world.ts';
import { assertHistoryTellsAll } from './wound-back.ts';

const burst = fc.array(request, { minLength: 2, maxLength: 12, size: 'max' });

/**
 * Sends requests of one organization together, so that many share a commit and meet records in flight. For every order
 * of execution: no client gets a failure of ours, and after each burst the live actor, the list, a rebuilt actor and
 * the rows beside the tasks agree. Resolves to the number of requests.
 */
export function assertBurstsAgree(options: AgreementOptions): Promise<number> {
  const story = fc.noBias(fc.array(burst, { minLength: 1, maxLength: options.steps, size: 'max' }));
  return checkHistories(options, limits, story, async (world, most, bursts, log) => {
    const tenant = await openTenant(world, most);
    for (const steps of [OPENING, ...bursts]) {
      await sendTogether(tenant, steps, log);
      await assertAgreed(tenant);
    }
    return bursts.flat().length;
  });
}

async function sendTogether(tenant: Tenant, steps: readonly Step[], log: string[]): Promise<void> {
  tenant.world.forward(1);
  const known = await readKnown(tenant);
  const sent = steps.flatMap((step): Sent[] => {
    if (step.kind !== 'send') return [];
    return [{ ...step.make(known), key: step.key === undefined ? undefined : `key ${step.key}` }];
  });
  log.push(sent.map((one) => JSON.stringify(one)).join('\n  & '));
  const answers = await Promise.all(sent.map((one) => tenant.ask(toCommand(one, tenant.callers))));
  for (const [index, answer] of answers.entries()) {
    const isFault = !answer.ok && ERRORS[answer.refusal.code].status >= 500;
    assert.ok(!isFault, `${JSON.stringify(answer)} for ${JSON.stringify(sent[index])}`);
  }
}

async function readKnown({ world: { sql, clock }, organizationId }: Tenant): Promise<Known> {
  const rows = await sql<{ kind: string; id: number; status: string | null; taskId: number | null }[]>`
    SELECT 'tasks' AS kind, id, status, NULL::bigint AS task_id FROM tasks WHERE organization_id = ${organizationId}
    UNION ALL SELECT 'packages', id, status, task_id FROM packages WHERE organization_id = ${organizationId}
    UNION ALL SELECT 'customers', id, NULL, NULL FROM customers WHERE organization_id = ${organizationId}
    UNION ALL SELECT 'warehouses', id, NULL, NULL FROM warehouses WHERE organization_id = ${organizationId}
    ORDER BY id`;
  const idsOf = (kind: string) => rows.filter((row) => row.kind === kind).map(({ id }) => id);
  return {
    tasks: idsOf('tasks'),
    packages: idsOf('packages'),
    customers: idsOf('customers'),
    warehouses: idsOf('warehouses'),
    nowMs: clock.now(),
    packagesOf: (id) => rows.filter(({ kind, taskId }) => kind === 'packages' && taskId === id).map((row) => row.id),
    statusOf: (kind, id) => rows.find((row) => row.kind === kind && row.id === id)?.status ?? undefined,
  };
}

async function assertAgreed(tenant: Tenant): Promise<void> {
  const { tasks } = await readKnown(tenant);
  const readAll = async () => new Map(await Promise.all(tasks.map(async (id) => [id, await tenant.read(id)] as const)));
  const inMemory = await readAll();
  const listed = new Map<number, string>();
  for (let page = 1; listed.size < tasks.length; page++) {
    const query = { page, limit: 100, sortBy: 'createdAt', sortOrder: 'ASC' } as const;
    const { items, count } = await tenant.world.engine.listTasks(
      tenant.organizationId,
      query,
      tenant.callers.dispatcher,
    );
    assert.equal(count, tasks.length);
    assert.ok(items.length > 0, 'the list ends before its count');
    for (const { id, json } of items) listed.set(id, json);
  }
  assert.deepEqual(new Map([...listed].sort(([a], [b]) => a - b)), inMemory, 'the list and the live actor');
  await tenant.retire();
  assert.deepEqual(await readAll(), inMemory, 'the rebuilt and the live actor');
  await assertRowsAgree(tenant.world.sql, tenant.organizationId);
  await assertHistoryTellsAll(tenant.world.sql, tenant.organizationId);
}
