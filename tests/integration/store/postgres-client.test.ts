import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { connectPostgres } from '../../../engine/store/postgres.ts';
import { createTestDatabase } from '../../support/stores.ts';

const LENGTHS = [0, 1, 200, 1_000, 1_023, 1_024, 5_000, 65_000, 65_535, 65_536, 200_000, 3_000_000];
/** Letters of one, two, three and four bytes. */
const LETTERS = ['x', 'é', '语', '🛵'];

test('texts of any length reach Postgres as they are, one behind the other', { timeout: 60_000 }, async () => {
  const database = await createTestDatabase();
  const sql = connectPostgres(database.url, { name: 'test', connections: 1, statementTimeoutMs: 30_000 });
  try {
    const digest = (text: string) => sql<{ told: string; own: number; none: null; last: string }[]>`
      SELECT md5(${text}::text) AS told, ${text.length}::int AS own, ${null}::text AS none, ${text.slice(-4)}::text AS last`;
    const growing = LENGTHS.flatMap((length) => LETTERS.map((letter) => letter.repeat(length)));
    // A short one waits to be sent together with what comes next.
    const texts = growing.flatMap((text) => ['short', text]);
    // The first round prepares the statement.
    for (let round = 0; round < 2; round += 1) {
      const rows = await Promise.all(texts.map(digest));
      for (const [index, text] of texts.entries()) {
        assert.deepEqual(
          { ...rows[index]![0]! },
          { told: hash('md5', text, 'hex'), own: text.length, none: null, last: text.slice(-4) },
        );
      }
    }
  } finally {
    await sql.end({ timeout: 5 });
    await database.drop();
  }
});

test('nothing that is sent to Postgres waits until it has acknowledged what was sent before', async (t) => {
  const database = await createTestDatabase();
  const setNoDelay = t.mock.method(Socket.prototype, 'setNoDelay');
  const sql = connectPostgres(database.url, { name: 'test', connections: 3, statementTimeoutMs: 30_000 });
  try {
    const backends = await Promise.all(Array.from({ length: 3 }, () => sql`SELECT pg_backend_pid(), pg_sleep(0.1)`));
    assert.equal(new Set(backends.map(([row]) => row!['pgBackendPid'])).size, 3);
    const port = Number(new URL(database.url).port);
    const asked = setNoDelay.mock.calls.filter(({ this: socket }) => (socket as Socket).remotePort === port);
    assert.deepEqual(
      asked.map(({ arguments: [isOn] }) => isOn),
      [true, true, true],
    );
  } finally {
    await sql.end({ timeout: 5 });
    await database.drop();
  }
});
