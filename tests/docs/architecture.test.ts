import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { connectPostgres } from '../../engine/store/postgres.ts';
import { createMigratedDatabase } from '../support/stores.ts';
import { readPage } from './pages.ts';

const ARCHITECTURE = readPage('ARCHITECTURE.md');

test('README.md has at most 250 lines and ARCHITECTURE.md at most 300', () => {
  assert.ok(readPage('README.md').split('\n').length <= 250);
  assert.ok(ARCHITECTURE.split('\n').length <= 300);
});

test('the rooms of ARCHITECTURE.md are the folders that exist, each with one sentence', () => {
  const rooms = [...ARCHITECTURE.matchAll(/^\| `([a-z/-]+)` \| (.+) \|$/gm)];
  for (const [, room, purpose] of rooms) assert.match(purpose!, /^\S[^|]*\.$/, room);
  const wholeTrees = ['engine', 'gateway', 'workers', 'schema', 'bench'].flatMap((root) => foldersUnder(root));
  const tests = foldersUnder('tests').filter((path) => path.split('/').length <= 2);
  assert.deepEqual(rooms.map(([, room]) => room).sort(), [...wholeTrees, ...tests].sort());
});

test('each stop on the path of a create names a file and a function in it, 25 stops at most', () => {
  const path = ARCHITECTURE.slice(
    ARCHITECTURE.indexOf('## The path of a create'),
    ARCHITECTURE.indexOf('## Ownership'),
  );
  const stops = [...path.matchAll(/^(\d+)\. `([^`]+\.ts)` `([^`]+)` /gm)];
  assert.ok(stops.length >= 15 && stops.length <= 25, `${stops.length} stops`);
  stops.forEach(([, number, file, name], at) => {
    assert.equal(Number(number), at + 1);
    const defined = new RegExp(`(?:function |^  (?:async |readonly )?)${name}\\b *(?:[<(=])`, 'm');
    assert.match(readFileSync(file!, 'utf8'), defined, `${file} has no ${name}`);
  });
});

test('the tables of "Who writes which table" are those that the migrations leave', async () => {
  const chapter = ARCHITECTURE.slice(ARCHITECTURE.indexOf('## Who writes'), ARCHITECTURE.indexOf('## Glossary'));
  const lists = [...chapter.matchAll(/^\| [^|]+ \| (.+) \|$/gm)].map(([, list]) => list!);
  const named = new Set(lists.flatMap((list) => [...list.matchAll(/`(\w+)`/g)].map(([, name]) => name!)));
  const { url, drop } = await createMigratedDatabase();
  const sql = connectPostgres(url, { name: 'test', connections: 1, statementTimeoutMs: 30_000 });
  try {
    const rows = await sql<{ readonly name: string }[]>`
      SELECT relname AS name FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`;
    assert.deepEqual([...named].sort(), rows.map(({ name }) => name).sort());
  } finally {
    await sql.end({ timeout: 5 });
    await drop();
  }
});

/** Git ignores them. */
const MADE_BY_PROGRAMS = ['node_modules', 'generated', 'latest'];

function foldersUnder(root: string): string[] {
  const inside = readdirSync(root, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && !MADE_BY_PROGRAMS.includes(entry.name),
  );
  return [root, ...inside.flatMap(({ name }) => foldersUnder(join(root, name)))];
}
