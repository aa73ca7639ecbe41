import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isVisible } from '../../../engine/store/access/snapshot.ts';
import { withSql } from '../../support/seeds/seed.ts';
import { createMigratedDatabase } from '../../support/stores.ts';

/** Snapshots anywhere in the 64 bits, with the transactions around them. */
const cases = fc
  .record({
    xmin: fc.oneof(fc.bigInt(5n, 40n), fc.bigInt(2n ** 32n - 40n, 2n ** 32n + 40n), fc.bigInt(2n ** 53n, 2n ** 62n)),
    isRunning: fc.array(fc.boolean(), { maxLength: 12 }),
  })
  .map(({ xmin, isRunning }) => {
    const at = (index: number) => xmin + BigInt(index);
    const xmax = at(isRunning.length);
    const running = isRunning.flatMap((isIt, index) => (isIt ? [at(index)] : []));
    const xids = Array.from({ length: isRunning.length + 4 }, (_, index) => at(index - 2));
    return { snapshot: `${running[0] ?? xmax}:${xmax}:${running}`, xids };
  })
  // The first three of each 2^32 are nobody's, and Postgres takes no snapshot with them.
  .filter(({ xids }) => xids.every((xid) => xid % 2n ** 32n > 2n));

test('a snapshot shows exactly the transactions that Postgres says it shows', async () => {
  const samples = fc
    .sample(cases, { numRuns: 2_000, seed: 20_261_122 })
    .flatMap(({ snapshot, xids }) => xids.map((xid) => ({ xid: `${xid}`, snapshot })));
  const database = await createMigratedDatabase();
  try {
    const told = await withSql(
      database.url,
      (sql) => sql<{ xid: string; snapshot: string; isShown: boolean }[]>`
        SELECT xid, snapshot, pg_visible_in_snapshot(xid::xid8, snapshot::pg_snapshot) AS is_shown
        FROM json_to_recordset(${JSON.stringify(samples)}::text::json) AS s(xid text, snapshot text)`,
    );
    assert.equal(told.length, samples.length);
    for (const { xid, snapshot, isShown } of told)
      assert.equal(isVisible(xid, snapshot), isShown, `${xid} in ${snapshot}`);
  } finally {
    await database.drop();
  }
});
