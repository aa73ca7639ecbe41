import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../../../schema/limits.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { withSql } from '../../support/seeds/seed.ts';
import { useGateway } from '../api-fixture.ts';

const fixture = useGateway();

interface EventPage {
  readonly items: readonly { readonly sequence: number }[];
  readonly count: number;
  readonly nextAfter: number;
}

/** Three tasks, each of which takes more than half of what a page may hold. */
async function organizationOfLargeTasks() {
  const organization = await fixture.organization();
  for (let index = 0; index < 3; index += 1) await organization.api.createTask({ code: `LARGE-${index}` });
  await withSql(fixture.gateway.databaseUrl, async (sql) => {
    await sql`
      UPDATE tasks SET notes = repeat('x', ${LIMITS.listPageChars / 2}::int)
      WHERE organization_id = ${organization.organizationId}`;
  });
  return organization;
}

const refusalOf = async (api: ApiClient, path: string) => {
  const { status, body } = await api.get(path);
  return [status, body.message];
};

const SENTENCE = `limit is too high for these tasks: a page holds at most ${LIMITS.listPageChars} characters of JSON`;
const REFUSED = [400, [SENTENCE]];

test('a page of more text than one may hold is refused, and smaller pages read the tasks one after the other', async () => {
  const { api } = await organizationOfLargeTasks();
  assert.deepEqual(await refusalOf(api, '/tasks'), REFUSED);
  assert.deepEqual(await refusalOf(api, '/tasks?search=LARGE'), REFUSED, 'also where texts are not kept');
  assert.deepEqual(await refusalOf(api, '/tasks?limit=2&sortOrder=ASC'), REFUSED);
  const codes: (string | null)[] = [];
  for (let page = 1; page <= 3; page += 1) {
    const { status, body } = await api.list(`limit=1&sortBy=createdAt&sortOrder=ASC&code=LARGE-${page - 1}`);
    assert.equal(status, 200);
    codes.push(...body.data.items.map(({ code }) => code));
  }
  assert.deepEqual(codes, ['LARGE-0', 'LARGE-1', 'LARGE-2']);
});

test('an export hands over tasks of any size', async () => {
  const { api } = await organizationOfLargeTasks();
  const { status, text } = await api.get('/tasks/export?sortOrder=ASC');
  assert.equal(status, 200);
  const codes = text
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { code: string }).code);
  assert.deepEqual(codes, ['LARGE-0', 'LARGE-1', 'LARGE-2']);
});

test('a page of large events ends early, and the next one goes on behind it', async () => {
  const { api, organizationId } = await fixture.organization();
  for (let index = 0; index < 5; index += 1) await api.createTask();
  await withSql(fixture.gateway.databaseUrl, async (sql) => {
    const padding = LIMITS.logReadBytes / 2 + 1;
    await sql`
      UPDATE events SET body = replace(body, '"notes":null', '"notes":"' || repeat('x', ${padding}::int) || '"')
      WHERE organization_id = ${organizationId}`;
  });
  const pages: EventPage[] = [];
  for (let after = 0; pages.length < 4; after = pages.at(-1)!.nextAfter) {
    pages.push((await api.get<EventPage>(`/events?limit=1000&after=${after}`)).body.data);
  }
  assert.deepEqual(
    pages.map(({ items, count, nextAfter }) => [items.map(({ sequence }) => sequence), count, nextAfter]),
    [
      [[1, 2], 2, 2],
      [[3, 4], 2, 4],
      [[5], 1, 5],
      [[], 0, 5],
    ],
  );
});
