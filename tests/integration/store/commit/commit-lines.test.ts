import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { encodeField, SEPARATOR } from '../../../../engine/store/rows/encode-line.ts';
import {
  AGENT,
  ASSIGNMENT_REQUEST,
  CUSTOMER,
  LOCATION,
  PACKAGE,
  PAYMENT,
  TASK,
  TASK_HISTORY,
  WAREHOUSE,
} from '../../../../engine/store/rows/record-tables.ts';
import { useDatabase } from '../../../support/system/use-database.ts';
import { taskRecord } from '../task-writer.ts';

/** The lines in which commit_group takes rows, between the gateway that writes and Postgres that reads them. */

const { sql } = useDatabase();

const TYPES: Readonly<Record<string, readonly string[]>> = {
  customer_line: ['expectedVersion', ...CUSTOMER.names],
  location_line: ['taskId', ...LOCATION.names],
  task_line: ['expectedVersion', 'statusRank', 'relist', 'reusesLocation', 'sought', ...TASK.names],
  package_line: ['expectedVersion', ...PACKAGE.names],
  history_line: TASK_HISTORY.names,
  event_line: ['organizationId', 'sequence', 'at', 'type', 'epoch'],
  outcome_line: ['organizationId', 'scope', 'key', 'at', 'fingerprint', 'status', 'sequence', 'toldAt'],
  warehouse_line: ['expectedVersion', ...WAREHOUSE.names],
  agent_line: ['expectedVersion', 'passwordHash', ...AGENT.names],
  request_line: ['expectedVersion', ...ASSIGNMENT_REQUEST.names],
  payment_line: ['expectedVersion', ...PAYMENT.names],
};

test('Postgres reads the fields of each line in the order in which the gateway writes them', async () => {
  const found = await sql<{ type: string; names: string[] }[]>`
    SELECT c.relname::text AS type, json_agg(a.attname ORDER BY a.attnum) AS names
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.relkind = 'c' AND c.relname LIKE '%line' AND NOT a.attisdropped GROUP BY 1`;
  assert.deepEqual(Object.fromEntries(found.map(({ type, names }) => [type, names])), TYPES);
});

/** Characters with a meaning in a line, a composite value or the text around them. */
const awkward = fc.constantFrom(
  SEPARATOR,
  '\u001e"\u001e',
  '\u001e',
  '"',
  '""',
  '\\',
  '\\"',
  ',',
  '(',
  ')',
  '),(',
  ' ',
  '\n',
  '\t',
);
const word = fc.constantFrom('NULL', 'null', 't', '{}', '[', 'é', '🚚', '1');
const storable = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0') && text.isWellFormed());
const text = fc.array(fc.oneof(awkward, word, storable), { maxLength: 6 }).map((parts) => parts.join(''));

/** Without the prototypes of rows and dictionaries. */
const plain = (rows: unknown) => JSON.parse(JSON.stringify(rows));

test('Postgres reads any text of a row as it was', async () => {
  const rows = fc.array(fc.record({ name: text, notes: fc.option(text), data: fc.dictionary(text, text) }), {
    minLength: 1,
    maxLength: 20,
  });
  await fc.assert(
    fc.asyncProperty(rows, async (given) => {
      const lines = given.map(({ name, notes, data }, index) => {
        const task = taskRecord({ organizationId: 1, id: index + 1, name, notes, integrationData: data });
        return `(0,0,,,,${TASK.encode(task)})`;
      });
      const read = await sql<{ name: string; notes: string | null; data: object; version: number; ends: boolean }[]>`
        SELECT name, notes, "integrationData" AS data, version, "updatedAt" IS NOT NULL AS ends
        FROM unnest(lines_of(${lines.join(SEPARATOR)}, ${SEPARATOR}, NULL::task_line[]))`;
      const meant = given.map((row) => ({ ...row, version: 1, ends: true }));
      assert.deepEqual(plain(read), plain(meant));
    }),
    { numRuns: 200, seed: 23 },
  );
});

test('numbers, truths and lists are read as what they are', async () => {
  const fields = [0, -1, 1.5e-7, 1e21, true, false, [1, 2], { a: 'b"c' }].map(encodeField).join(',');
  const [read] = await sql`
    CREATE TYPE pg_temp.odd AS (a int, b int, c float8, d float8, e boolean, f boolean, g json, h json)`.then(
    () => sql`SELECT (${`(${fields})`}::text::pg_temp.odd).*`,
  );
  assert.deepEqual({ ...read }, { a: 0, b: -1, c: 1.5e-7, d: 1e21, e: true, f: false, g: [1, 2], h: { a: 'b"c' } });
});

test('where there are no rows there are no lines', async () => {
  const [none] = await sql`SELECT lines_of(NULL, ${SEPARATOR}, NULL::task_line[]) AS lines`;
  assert.equal(none!['lines'], null);
});
