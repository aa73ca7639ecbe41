import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { connectPostgres, type Sql, textArray } from '../../../engine/store/postgres.ts';
import { listCustomers } from '../../../engine/store/records/customer-store.ts';
import type { ListPart } from '../../../schema/fields/page-query.ts';
import { rounds } from '../../support/runner/rounds.ts';
import { seedOrganization } from '../../support/seeds/seed.ts';
import { createMigratedDatabase, type TestDatabase } from '../../support/stores.ts';

/** A search on Postgres finds the same customers as a look at every one in turn, for any search text. */

const CUSTOMERS = 400;
const RUNS = rounds(300);

interface Person {
  readonly id: number;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly phone: string;
}

/** Few characters, so that much is found; among them what LIKE, SQL, JSON and upper case treat in their own ways. */
const character = fc.constantFrom(...'abABéÉжЖßσςΣ小01 _%\\\'"(.+-@');
const word = fc.string({ unit: character, minLength: 1, maxLength: 6 });
const digits = fc.string({ unit: fc.constantFrom(...'0123'), minLength: 4, maxLength: 9 });
const search = fc.oneof(
  { weight: 3, arbitrary: word },
  { weight: 1, arbitrary: digits.map((text) => text.slice(0, 3)) },
  { weight: 1, arbitrary: digits.map((text) => `+${text.slice(0, 1)} (${text.slice(1, 3)})`) },
);

let database: TestDatabase;
/** The planner's own choice, which is by order for so few customers; and the trigram index where it can be forced. */
let sql: Sql;
let byTrigrams: Sql;
let organizationId: number;
let people: Person[];

before(async () => {
  database = await createMigratedDatabase();
  const options = { name: 'test', connections: 1, statementTimeoutMs: 30_000 };
  sql = connectPostgres(database.url, options);
  await sql`SELECT 1`;
  for (const plan of ['seqscan', 'indexscan', 'indexonlyscan']) {
    await sql.unsafe(`ALTER DATABASE ${database.name} SET enable_${plan} = off`);
  }
  byTrigrams = connectPostgres(database.url, options);
  ({ organizationId } = await seedOrganization(database.url));
  const person = fc.record({ firstName: word, lastName: fc.oneof(word, fc.constant('')), email: word, phone: digits });
  people = fc.sample(person, { numRuns: CUSTOMERS, seed: 20_240_229 }).map((one, index) => ({
    ...one,
    id: index + 1,
    phone: `+${one.phone}${String(index).padStart(4, '0')}`,
  }));
  const texts = (field: Exclude<keyof Person, 'id'>) => textArray(people.map((one) => one[field]));
  await sql`
    INSERT INTO customers (organization_id, id, version, user_id, customer_type, first_name, last_name, email,
      phone_e164, created_at, updated_at)
    SELECT ${organizationId}, n, 1, n, 'individual', first_name, last_name, email, phone, to_timestamp(n / 3), now()
    FROM unnest(${texts('firstName')}::text[], ${texts('lastName')}::text[], ${texts('email')}::text[],
      ${texts('phone')}::text[]) WITH ORDINALITY AS p(first_name, last_name, email, phone, n)`;
});
after(async () => {
  await sql?.end({ timeout: 5 });
  await byTrigrams?.end({ timeout: 5 });
  await database?.drop();
});

test('every search finds exactly the customers who match, newest first, on every page and behind every cursor', async () => {
  const pages = fc.record({ search, page: fc.integer({ min: 1, max: 4 }), limit: fc.constantFrom(1, 7, 100) });
  const property = fc.asyncProperty(pages, async ({ search, page, limit }) => {
    const matching = people.filter((one) => matches(one, search)).map(({ id }) => id);
    const newestFirst = matching.toSorted((a, b) => Math.floor(b / 3) - Math.floor(a / 3) || b - a);
    const skip = (page - 1) * limit;
    const wanted = { ids: newestFirst.slice(skip, skip + limit), count: matching.length };
    const last = newestFirst[skip - 1];
    const at = (id: number) => new Date(Math.floor(id / 3) * 1_000).toISOString();
    const byPage: ListPart = { limit, skip, after: undefined, listKey: 0 };
    const parts = last === undefined ? [byPage] : [byPage, { ...byPage, skip: 0, after: { at: at(last), id: last } }];
    for (const [planned, part] of [sql, byTrigrams].flatMap((each) => parts.map((part) => [each, part] as const))) {
      const { items, count } = await listCustomers(planned, organizationId, { search, part });
      assert.deepEqual({ ids: items.map(({ id }) => id), count }, wanted);
    }
  });
  await fc.assert(property, { numRuns: RUNS, seed: 20_240_229 });
});

function matches({ firstName, lastName, email, phone }: Person, wanted: string): boolean {
  const fold = (text: string) => text.toUpperCase();
  const name = lastName === '' ? firstName : `${firstName} ${lastName}`;
  if ([name, email].some((text) => fold(text).includes(fold(wanted)))) return true;
  return /\d/.test(wanted) && /^[\d\s()+-]*$/.test(wanted) && phone.slice(1).includes(wanted.replace(/\D/g, ''));
}
