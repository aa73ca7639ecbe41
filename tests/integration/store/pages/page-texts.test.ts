import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { readTexts, type TextSources } from '../../../../engine/org/lists/read-texts.ts';
import { RepeatRates } from '../../../../engine/org/lists/repeat-rates.ts';
import { TaskTexts } from '../../../../engine/org/lists/task-texts.ts';
import type { Sql } from '../../../../engine/store/postgres.ts';
import type { PageRequest } from '../../../../engine/store/task-lists/task-list-request.ts';
import { forPages } from '../../../../engine/store/task-lists/task-list-store.ts';
import type { TaskFilter } from '../../../../schema/tasks/task-filter.ts';
import type { TaskView } from '../../../../schema/tasks/task-view.ts';
import { seedOrganization } from '../../../support/seeds/seed.ts';
import { useDatabase } from '../../../support/system/use-database.ts';
import { makeBelongings } from '../task-belongings.ts';
import { taskRecord, writeTasks } from '../task-writer.ts';

const TASKS = 5;
const NEWEST: Omit<PageRequest, 'filter'> = {
  ...{ sortBy: 'createdAt', sortOrder: 'DESC', take: 21, skip: 0, after: undefined },
};

let organizationId: number;
const { url, sql, connect } = useDatabase();
const pages = connect({ name: 'test pages' }, forPages(url));

beforeEach(async () => {
  ({ organizationId } = await seedOrganization(url));
  const ids = Array.from({ length: TASKS }, (_, index) => index + 1);
  await writeTasks(
    sql,
    ids.map((id) => taskRecord({ organizationId, id, name: 'as it was' })),
  );
});

/** The statements of pages, in order; `before` runs before each, with its number. */
function watched(before: (number: number) => Promise<unknown> = async () => {}) {
  const statements: string[] = [];
  const unsafe = (text: string, ...rest: [never[], object]) => ({
    values: () => ({
      async forEach(take: (row: unknown[]) => void) {
        await before(statements.push(text));
        return pages
          .unsafe(text, ...rest)
          .values()
          .forEach(take);
      },
    }),
  });
  const watching = { unsafe } as unknown as Sql;
  return { statements, pages: { prepared: watching, planned: watching } };
}

/** Changes a task as a commit does, in one statement with the head of the log. */
async function rename(id: number): Promise<void> {
  await sql`WITH head AS (
      UPDATE organization_heads SET last_sequence = last_sequence + 1 WHERE organization_id = ${organizationId})
    UPDATE tasks SET name = 'renamed', version = version + 1 WHERE organization_id = ${organizationId} AND id = ${id}`;
}

async function read(
  sources: Omit<TextSources, 'repeats'> & Partial<TextSources>,
  filter: TaskFilter = {},
  stretch: Partial<PageRequest> = {},
) {
  const request = { ...NEWEST, ...stretch, filter };
  const { items, sequence } = await readTexts(
    { repeats: new RepeatRates(), ...sources },
    organizationId,
    request,
    undefined,
  );
  return { names: items.map(({ json }) => (JSON.parse(json) as TaskView).name), sequence, items };
}

const asItWas = (count: number) => Array.from({ length: count }, () => 'as it was');

/** Rates of which every kind of list that a test reads is one that others show again and again. */
function repeated(filter: TaskFilter = {}): RepeatRates {
  const repeats = new RepeatRates();
  for (let page = 0; page < 9; page++) repeats.note(organizationId, { ...NEWEST, filter }, 20, 20);
  return repeats;
}

test('a page of a list that others show reads tasks once, and from then on only those that have changed', async () => {
  const texts = new TaskTexts(1_000_000);
  const { statements, pages: connections } = watched();
  const sources = { pages: connections, texts, repeats: repeated() };
  const first = await read(sources);
  assert.deepEqual(first.names, asItWas(TASKS));
  assert.equal(statements.length, 2, 'their stamps, and all five tasks');
  assert.deepEqual((await read(sources)).items, first.items);
  assert.equal(statements.length, 3, 'their stamps alone');
  await rename(TASKS);
  assert.deepEqual((await read(sources)).names, ['renamed', ...asItWas(TASKS - 1)]);
  assert.equal(statements.length, 5, 'their stamps, and the task that has changed');
});

test('a page whose task changes while it is read is of one moment', async () => {
  const texts = new TaskTexts(1_000_000);
  const { statements, pages: connections } = watched(async (number) => number === 2 && rename(TASKS));
  const { names, sequence } = await read({ pages: connections, texts, repeats: repeated() });
  assert.equal(statements.length, 3, 'their stamps, the tasks, and the whole page once more');
  assert.deepEqual(names, ['renamed', ...asItWas(TASKS - 1)]);
  assert.equal(sequence, 1, 'the page is of the moment after the change');
});

test('a list reads its tasks at once until it comes into use, and again when it goes out of use', async () => {
  const repeats = new RepeatRates();
  const { statements, pages: connections } = watched();
  const statementsOf = async (texts: TaskTexts, filter: TaskFilter = {}) => {
    const before = statements.length;
    const { names } = await read({ pages: connections, texts, repeats }, filter);
    assert.deepEqual(names, asItWas(TASKS));
    return statements.length - before;
  };
  const inVain = async () => statementsOf(new TaskTexts(1_000_000));
  for (let page = 0; page < 4; page++) assert.equal(await inVain(), 1, 'the tasks, with their stamps');
  const texts = new TaskTexts(1_000_000);
  for (let page = 0; page < 4; page++) assert.equal(await statementsOf(texts), 1);
  assert.ok(statements.every((text) => text.includes('packages')));
  assert.equal(await statementsOf(texts), 1);
  assert.ok(!statements.at(-1)!.includes('packages'), 'the stamps alone: every text is kept');
  assert.equal(await statementsOf(texts, { channelId: 1 }), 1, 'lists of another kind have a share of their own');
  for (let page = 0; page < 9; page++) await inVain();
  assert.equal(await inVain(), 1, 'others no longer show them');
});

test('both ways to a page know a task by the same stamp, with customer, agent, packages and parts', async () => {
  const texts = new TaskTexts(1_000_000);
  await makeBelongings(sql, organizationId);
  await sql`INSERT INTO agents (organization_id, id, user_id, agent_type, first_name, last_name)
    VALUES (${organizationId}, 7, 7, 'employee', 'Ada', 'Agent')`;
  await sql`UPDATE tasks SET child_ids = CASE WHEN id > 3 THEN '[1, 2]'::json END, agent_id = CASE WHEN id % 2 = 0 THEN 7 END
    WHERE organization_id = ${organizationId}`;
  await read({ pages: watched().pages, texts });
  const whole = await read({ pages: watched().pages, texts });
  const { statements, pages: connections } = watched();
  const known = await read({ pages: connections, texts, repeats: repeated() });
  assert.equal(statements.length, 1, 'the stamps alone: every text is kept');
  assert.deepEqual(known.items, whole.items);
});

test('the first page of a list and the others have a share of kept texts each', async () => {
  const request = { ...NEWEST, filter: {} };
  const repeats = repeated();
  assert.equal(repeats.isRepeated(organizationId, request), true);
  assert.equal(repeats.isRepeated(organizationId, { ...request, skip: 20 }), false);
  assert.equal(repeats.isRepeated(organizationId + 1, request), false, 'nor does another organization share it');
});

test('a page without tasks says nothing about kept texts', () => {
  const request = { ...NEWEST, filter: {} };
  const repeats = repeated();
  for (let page = 0; page < 9; page++) repeats.note(organizationId, request, 0, 0);
  assert.equal(repeats.isRepeated(organizationId, request), true);
});

test('texts stay below their bound: those that no page has shown for longest leave', async () => {
  const texts = new TaskTexts(1_000_000);
  await read({ pages: watched().pages, texts, repeats: repeated() });
  const room = texts.bytes;
  const few = new TaskTexts(room - 1);
  const { statements, pages: connections } = watched();
  const sources = { pages: connections, texts: few, repeats: repeated() };
  assert.deepEqual((await read(sources)).names, asItWas(TASKS));
  assert.ok(few.bytes < room && few.bytes > room / 2, `${few.bytes} of ${room}`);
  assert.deepEqual((await read(sources)).names, asItWas(TASKS));
  assert.equal(statements.length, 4, 'the one that left is read again');
});

test('a page shows no change that a restored database has lost, though its task is in the same version again', async () => {
  const sources = { pages: watched().pages, texts: new TaskTexts(1_000_000) };
  const change = (name: string, version: number, at: string) => sql`
    UPDATE tasks SET name = ${name}, version = ${version}, updated_at = ${at} WHERE organization_id = ${organizationId}`;
  await change('lost', 2, '2030-01-02T00:00:00Z');
  for (let page = 0; page < 2; page++)
    assert.deepEqual(
      (await read(sources)).names,
      Array.from({ length: TASKS }, () => 'lost'),
    );
  await change('as it was', 1, '2030-01-01T00:00:00Z');
  await change('as it is', 2, '2030-01-03T00:00:00Z');
  assert.deepEqual(
    (await read(sources)).names,
    Array.from({ length: TASKS }, () => 'as it is'),
  );
});

test('a list whose tasks hardly come again keeps a text from the second time on', async () => {
  const texts = new TaskTexts(1_000_000);
  const sources = { pages: watched().pages, texts };
  const first = await read(sources);
  assert.equal(texts.bytes, 0);
  const second = await read(sources, { channelId: 1 });
  assert.ok(texts.bytes > 0);
  assert.deepEqual(second.names, first.names);
  const { items } = await read(sources);
  assert.ok(
    items.every((text, place) => text === second.items[place]),
    'the very texts of the page before',
  );
});

test('a text counts two bytes a letter when one of its letters needs them', () => {
  const bytesOf = (json: string) => {
    const texts = new TaskTexts(1_000_000);
    const keys = { createdAt: null, updatedAt: null, scheduledAt: null, dueAt: null, status: 0 };
    texts.keep(1, 'a stamp', { id: 1, json, keys });
    return texts.bytes;
  };
  assert.equal(bytesOf('"café’s"') - bytesOf('"cafés"'), 8 * 2 - 7);
});
