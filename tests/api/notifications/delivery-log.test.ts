import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NotificationView } from '../../../schema/notices/notification.ts';
import { withSql } from '../../support/seeds/seed.ts';
import { useGateway } from '../api-fixture.ts';

interface Page {
  readonly items: NotificationView[];
  readonly count: number;
  readonly nextCursor: string | null;
}

const fixture = useGateway();
const TASK = 700;

interface Seed {
  readonly taskId?: number;
  readonly kind?: string;
  readonly status?: string;
}

/** An organization with these notices, oldest first. */
async function organizationWith(seeds: readonly Seed[]) {
  const { organizationId, api } = await fixture.organization();
  await withSql(fixture.gateway.databaseUrl, async (sql) => {
    for (const [index, { taskId = TASK, kind = 'task_cancelled', status = 'sent' }] of seeds.entries()) {
      const isMail = kind.startsWith('tracking_');
      await sql`
        INSERT INTO notifications (organization_id, id, kind, channel, task_id, agent_id, user_id, push_token_id, platform,
          customer_id, topic_id, address, status, attempts, due_at, expires_at, settled_at)
        VALUES (${organizationId}, nextval('notification_ids'), ${kind}, ${isMail ? 'mail' : 'push'}, ${taskId},
          ${isMail ? null : 5}, ${isMail ? null : 6}, ${isMail ? null : 7}, ${isMail ? null : 'web'},
          ${isMail ? 8 : null}, ${isMail ? taskId * 1_000 + index : null}, ${isMail ? 'a***@example.com' : null},
          ${status}, 1, CASE WHEN ${status}::text = 'pending' THEN now() END, now() + interval '1 hour', now())`;
    }
  });
  const list = async (query = '') => (await api.get<Page>(`/notifications${query}`)).body.data;
  return { list, api };
}

test('notices are listed newest first, of the organization alone', async () => {
  await organizationWith([{ taskId: 1 }]);
  const { list } = await organizationWith([{ taskId: 2 }, { taskId: 3, kind: 'tracking_on_the_way' }]);
  const { items, count, nextCursor } = await list();
  assert.deepEqual([items.map(({ taskId }) => taskId), count, nextCursor], [[3, 2], 2, null]);
  const { id: _, expiresAt: _e, createdAt: _c, settledAt, ...mail } = items[0]!;
  assert.notEqual(settledAt, null);
  assert.deepEqual(mail, {
    ...{ kind: 'tracking_on_the_way', channel: 'mail', status: 'sent', reason: null, taskId: 3, attempts: 1 },
    ...{ userId: null, platform: null, customerId: 8, address: 'a***@example.com', nextAttemptAt: null },
  });
  assert.deepEqual([items[1]!.userId, items[1]!.platform, items[1]!.customerId], [6, 'web', null]);
});

test('notices are found by task, status, kind and channel', async () => {
  const { list } = await organizationWith([
    { taskId: 1, kind: 'task_offered', status: 'pending' },
    { taskId: 2, kind: 'task_offered', status: 'failed' },
    { taskId: 3, kind: 'tracking_created', status: 'failed' },
  ]);
  const tasksBy = async (query: string) => (await list(query)).items.map(({ taskId }) => taskId);
  assert.deepEqual(await tasksBy('?taskId=2'), [2]);
  assert.deepEqual(await tasksBy('?status=failed'), [3, 2]);
  assert.deepEqual(await tasksBy('?kind=task_offered'), [2, 1]);
  assert.deepEqual(await tasksBy('?channel=mail'), [3]);
  assert.deepEqual(await tasksBy('?channel=push&status=failed&taskId=3'), []);
});

test('pages follow one another by their cursor, without a gap and nothing twice', async () => {
  const { list } = await organizationWith(Array.from({ length: 7 }, (_, i) => ({ taskId: i + 1 })));
  const seen: number[] = [];
  let cursor: string | null = '';
  for (let pages = 0; cursor !== null && pages < 10; pages++) {
    const page: Page = await list(`?limit=3${cursor && `&cursor=${cursor}`}`);
    seen.push(...page.items.map(({ taskId }) => taskId));
    cursor = page.nextCursor;
  }
  assert.deepEqual(seen, [7, 6, 5, 4, 3, 2, 1]);
});

for (const query of ['cursor=x', 'cursor=LTE', 'status=lost', 'kind=task', 'channel=fax', 'taskId=x', 'limit=0']) {
  test(`a list by ${query} is refused with 400`, async () => {
    assert.equal((await fixture.api.get(`/notifications?${query}`)).status, 400);
  });
}
