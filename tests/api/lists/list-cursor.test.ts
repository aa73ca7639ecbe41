import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import type { ApiClient, ApiReply } from '../../support/api-client.ts';
import { useGateway } from '../api-fixture.ts';

interface Page {
  readonly items: TaskView[];
  readonly count: number;
  readonly nextCursor: string | null;
}

const TASKS = 23;
const fixture = useGateway({}, async ({ api }) => {
  for (let index = 0; index < TASKS; index += 1) {
    const { id } = await api.createTask({ taskType: index % 3 === 0 ? 'pickup' : 'delivery' });
    if (index % 4 === 0) await api.put(`/tasks/${id}/status`, { status: 'cancelled' });
  }
});

/** All items of a list, page after page, until there is no cursor any more. */
async function readAll(api: ApiClient, query: string): Promise<TaskView[]> {
  const items: TaskView[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: ApiReply<Page> = await api.get(`/tasks?${query}${cursor && `&cursor=${cursor}`}`);
    assert.equal(page.status, 200, page.text);
    items.push(...page.body.data.items);
    cursor = page.body.data.nextCursor;
  }
  return items;
}

for (const sortBy of ['createdAt', 'updatedAt', 'status', 'scheduledAt', 'dueAt']) {
  for (const sortOrder of ['ASC', 'DESC']) {
    for (const filter of ['', '&taskType=delivery', '&status=new,cancelled&scheduledTo=2000-01-01T00:00:00Z']) {
      test(`cursors lead through ${sortBy} ${sortOrder}${filter} as pages do`, async () => {
        const query = `sortBy=${sortBy}&sortOrder=${sortOrder}${filter}`;
        const whole = (await fixture.api.list(`${query}&limit=100`)).body.data.items;
        assert.deepEqual(await readAll(fixture.api, `${query}&limit=4`), whole);
        assert.deepEqual(await readAll(fixture.api, `${query}&limit=${whole.length || 1}`), whole);
      });
    }
  }
}

test('a cursor goes on behind its task when new tasks have come before it', async () => {
  const { api } = await fixture.organization();
  const first = await api.createTask();
  const second = await api.createTask();
  const page = (await api.get<Page>('/tasks?limit=1')).body.data;
  assert.deepEqual(page.items, [second]);
  await api.createTask();
  const next = (await api.get<Page>(`/tasks?limit=1&cursor=${page.nextCursor}`)).body.data;
  assert.deepEqual(next, { items: [first], count: 3, nextCursor: null });
});

test('a cursor goes on from a numbered page, and with another limit', async () => {
  const { items } = (await fixture.api.list('limit=100')).body.data;
  const page = (await fixture.api.get<Page>('/tasks?limit=5&page=2')).body.data;
  const next = (await fixture.api.get<Page>(`/tasks?limit=7&cursor=${page.nextCursor}`)).body.data;
  assert.deepEqual(next.items, items.slice(10, 17));
});

test('a cursor is the same however its filter was written', async () => {
  const { nextCursor } = (await fixture.api.get<Page>('/tasks?limit=2&status=new,cancelled')).body.data;
  const { status } = await fixture.api.get(`/tasks?cursor=${nextCursor}&status=cancelled&status=new,new`);
  assert.equal(status, 200);
});

const FOREIGN = 'cursor must be the nextCursor of this list with the same filters and sort';
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

const REFUSED: readonly (readonly [what: string, query: (cursor: string) => string, violations: readonly string[]])[] =
  [
    ['with a page', (cursor) => `cursor=${cursor}&page=1`, ['cursor must not be given together with page']],
    ['of another filter', (cursor) => `cursor=${cursor}&status=new`, [FOREIGN]],
    ['of another sort', (cursor) => `cursor=${cursor}&sortBy=status`, [FOREIGN]],
    ['of another order', (cursor) => `cursor=${cursor}&sortOrder=ASC`, [FOREIGN]],
    ['that is text', () => 'cursor=next', [FOREIGN]],
    ['that is cut', (cursor) => `cursor=${cursor.slice(0, -6)}`, [FOREIGN]],
    ['that is a number', () => `cursor=${encoded(7)}`, [FOREIGN]],
    ['that holds no moment', (cursor) => `cursor=${encoded([listOf(cursor), 'yesterday', 1])}`, [FOREIGN]],
    ['that holds no id', (cursor) => `cursor=${encoded([listOf(cursor), '2030-01-01T00:00:00.000Z', '1'])}`, [FOREIGN]],
    ['given twice', (cursor) => `cursor=${cursor}&cursor=${cursor}`, ['cursor must be given once']],
    [
      'with a page, beside a malformed field',
      (cursor) => `cursor=${cursor}&page=2&limit=0`,
      ['limit must be an integer between 1 and 100', 'cursor must not be given together with page'],
    ],
  ];

const listOf = (cursor: string) => JSON.parse(Buffer.from(cursor.split('.')[0]!, 'base64url').toString())[0] as string;

for (const [what, query, violations] of REFUSED) {
  test(`a cursor ${what} is a violation`, async () => {
    const { nextCursor } = (await fixture.api.get<Page>('/tasks?limit=1')).body.data;
    const { status, body } = await fixture.api.list(query(nextCursor!));
    assert.equal(status, 400);
    assert.deepEqual(body.message, violations);
  });
}
