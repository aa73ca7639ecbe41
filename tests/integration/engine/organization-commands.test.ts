import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as v from 'valibot';
import { etagOf } from '../../../engine/views/parts/etag.ts';
import { type OrganizationView, updateOrganizationInput } from '../../../schema/accounts/organization.ts';
import type { Answer, Caller } from '../../../schema/commands.ts';
import { ERRORS } from '../../../schema/errors.ts';
import { createTaskSchema } from '../../../schema/tasks/create-task.ts';
import {
  callerOf,
  createCommand,
  type EngineFixture,
  startEngineFixture,
} from '../../faults/support/engine-fixture.ts';
import { taskInput } from '../../support/api-client.ts';
import { seedOrganization, withSql } from '../../support/seeds/seed.ts';

let fixture: EngineFixture;
before(async () => {
  fixture = await startEngineFixture({ organizations: 1 });
});
after(() => fixture.stop());

const NAME = 'Test organization';

interface Place {
  readonly organizationId: number;
  readonly staff: Caller;
  readonly admin: Caller;
  readonly superAdmin: Caller;
}
async function organization(): Promise<Place> {
  const seeded = await seedOrganization(fixture.databaseUrl);
  const staff = callerOf(seeded);
  const user = { type: 'user', id: 7, channelId: seeded.channelId, agentId: null, userId: 7 } as const;
  return {
    organizationId: seeded.organizationId,
    staff,
    admin: { ...user, role: 'org_admin' },
    superAdmin: { ...user, role: 'super_admin' },
  };
}

function update({ organizationId }: Place, caller: Caller, body: object, ifMatch?: readonly string[]) {
  const input = v.parse(updateOrganizationInput, body);
  return fixture.engine.ask(organizationId, { kind: 'update-organization', caller, input, ifMatch });
}
const remove = ({ organizationId }: Place, caller: Caller, confirm = NAME) =>
  fixture.engine.ask(organizationId, { kind: 'delete-organization', caller, confirm });

function dataOf<T>(answer: Answer): T {
  assert.ok(answer.ok, JSON.stringify(answer));
  return JSON.parse(answer.data) as T;
}
const codeOf = (answer: Answer) => (answer.ok ? answer.status : answer.refusal.code);

const rowsOf = ({ organizationId }: Place) =>
  withSql(fixture.databaseUrl, async (sql) => {
    const [row] = await sql<{ organizations: number; tombstones: number; tasks: number; audit: number }[]>`SELECT
      (SELECT count(*) FROM organizations WHERE organization_id = ${organizationId}) AS organizations,
      (SELECT count(*) FROM deleted_organizations WHERE organization_id = ${organizationId}) AS tombstones,
      (SELECT count(*) FROM tasks WHERE organization_id = ${organizationId}) AS tasks,
      (SELECT count(*) FROM audit_records WHERE organization_id = ${organizationId}) AS audit`;
    return { ...row };
  });

test('an organization changes by its actor, gets an audit entry, and reads back from Postgres alike', async () => {
  const place = await organization();
  const changed = dataOf<OrganizationView>(await update(place, place.admin, { name: 'New name', settings: { a: 1 } }));
  assert.deepEqual([changed.name, changed.settings, changed.currency], ['New name', { a: 1 }, 'USD']);
  const [row] = await withSql(
    fixture.databaseUrl,
    (sql) => sql`SELECT o.version, o.name, o.settings, o.updated_at, a.before, a.after FROM organizations o
      JOIN audit_records a ON a.organization_id = o.organization_id AND a.record_type = 'organization'
      WHERE o.organization_id = ${place.organizationId}`,
  );
  assert.deepEqual(
    [row!['version'], row!['name'], row!['settings'], row!['updatedAt']],
    [2, 'New name', { a: 1 }, changed.updatedAt],
  );
  assert.deepEqual([row!['before'].name, row!['after'].name], [NAME, 'New name']);
  await fixture.engine.parts.groupCommit.whenIdle();
  fixture.engine.parts.directory.find(place.organizationId)!.retire();
  assert.deepEqual(dataOf(await update(place, place.admin, {})), changed, 'a rebuilt actor has the same');
  assert.equal((await rowsOf(place)).audit, 1, 'what changes nothing is not told');
});

test('an entity tag holds whether the organization comes from memory or from Postgres', async () => {
  const place = await organization();
  const settings = { long: { z: [{ b: 1, aa: 2 }], é: 1, y: 2 }, b: 1, a: null, 10: true };
  const first = await update(place, place.admin, { settings });
  assert.ok(first.ok);
  await fixture.engine.parts.groupCommit.whenIdle();
  fixture.engine.parts.directory.find(place.organizationId)!.retire();
  const again = await update(place, place.admin, { settings });
  assert.ok(again.ok);
  assert.equal(again.data, first.data);
  assert.equal((await rowsOf(place)).audit, 1);
});

test('status and limits are for super admins; limits and currency hold from the next command on', async () => {
  const place = await organization();
  assert.equal(codeOf(await update(place, place.admin, { limits: { tasks: 1 } })), 'FORBIDDEN');
  assert.equal(codeOf(await update(place, place.admin, { status: 'inactive' })), 'FORBIDDEN');
  const both = { limits: { tasks: 1 }, currency: 'KWD' };
  assert.equal(codeOf(await update(place, place.superAdmin, both)), 200);
  const { organizationId, staff } = place;
  const cash = v.parse(createTaskSchema({ cash: true }), {
    ...taskInput({ taskType: 'cash_collection', amount: '1.250' }),
  });
  const made = dataOf<{ currency: string; amount: string }>(
    await fixture.engine.ask(organizationId, { kind: 'create-task', caller: staff, input: cash }),
  );
  assert.deepEqual([made.currency, made.amount], ['KWD', '1.250']);
  const second = await fixture.engine.ask(organizationId, createCommand('second', staff));
  assert.equal(codeOf(second), 'PACKAGE_LIMIT_EXCEEDED');
  assert.equal(codeOf(await update(place, place.superAdmin, { limits: { tasks: 2 } })), 200);
  assert.equal(codeOf(await fixture.engine.ask(organizationId, createCommand('third', staff))), 201);
});

test('a change that rests on an older state is refused 412', async () => {
  const place = await organization();
  const answer = await update(place, place.admin, { name: 'First' });
  assert.ok(answer.ok);
  const tag = etagOf(answer.data);
  assert.equal(codeOf(await update(place, place.admin, { name: 'Second' }, [tag])), 200);
  assert.equal(codeOf(await update(place, place.admin, { name: 'Third' }, [tag])), 'PRECONDITION_FAILED');
});

test('a currency that is none, and settings that grow too large together, are refused 400', async () => {
  const place = await organization();
  assert.equal(codeOf(await update(place, place.admin, { currency: 'QQQ' })), 'VALIDATION_FAILED');
  const half = 'x'.repeat(9_000);
  assert.equal(codeOf(await update(place, place.admin, { settings: { a: half } })), 200);
  assert.equal(codeOf(await update(place, place.admin, { settings: { b: half } })), 'VALIDATION_FAILED');
});

test('deletion wants the name, and a super admin', async () => {
  const place = await organization();
  assert.equal(codeOf(await remove(place, place.admin)), 'FORBIDDEN');
  assert.equal(codeOf(await remove(place, place.superAdmin, 'test organization')), 'VALIDATION_FAILED');
  assert.deepEqual(await rowsOf(place), { organizations: 1, tombstones: 0, tasks: 0, audit: 0 });
});

test('commands in flight end in 2xx before the deletion or in 410 behind it, and nothing is written behind it', async () => {
  const place = await organization();
  const { organizationId, staff } = place;
  const send = (name: string) =>
    fixture.engine.ask(organizationId, createCommand(`${name} of ${organizationId}`, staff));
  const early = Array.from({ length: 20 }, (_, index) => send(`early ${index}`));
  const deletion = remove(place, place.superAdmin);
  const late = Array.from({ length: 20 }, (_, index) => send(`late ${index}`));
  assert.deepEqual(dataOf(await deletion), { organizationId, status: 'deleting' });
  const codes = (await Promise.all([...early, ...late])).map((answer) =>
    answer.ok ? answer.status : ERRORS[answer.refusal.code].status,
  );
  assert.ok(
    codes.every((status) => status === 201 || status === 410),
    codes.join(' '),
  );
  assert.ok(codes.includes(410));
  const made = codes.filter((status) => status === 201).length;
  const { audit, ...rows } = await rowsOf(place);
  assert.deepEqual(rows, { organizations: 0, tombstones: 1, tasks: made });
  assert.ok((audit ?? 0) <= made, 'none but new customers');
  assert.equal(codeOf(await send('early 0')), 'ORGANIZATION_DELETED', 'keys mean nothing any more');
  assert.equal(codeOf(await remove(place, place.superAdmin)), 'ORGANIZATION_DELETED');
});

test('an actor that is loaded behind the deletion refuses 410, and an organization that never was is 404', async () => {
  const place = await organization();
  const { organizationId, staff } = place;
  assert.equal(codeOf(await remove(place, place.superAdmin)), 200);
  await fixture.engine.parts.groupCommit.whenIdle();
  fixture.engine.parts.directory.find(organizationId)!.retire();
  const command = { kind: 'read-task', caller: staff, taskId: 1, show: 'task' } as const;
  assert.equal(codeOf(await fixture.engine.ask(organizationId, command)), 'ORGANIZATION_DELETED');
  assert.equal(codeOf(await fixture.engine.ask(999_999, command)), 'NOT_FOUND');
});
