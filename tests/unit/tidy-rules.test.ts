import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bannedCallRule, consoleRule } from '../support/tidy/call-rules.ts';
import { fileCycleRule, folderCycleRule, importTableRule, packageRule } from '../support/tidy/import-rules.ts';
import { fileNameRule, reExportRule } from '../support/tidy/name-rules.ts';
import type { Reviewed } from '../support/tidy/reviewed.ts';
import { fileSizeRule, folderSizeRule, functionSizeRule } from '../support/tidy/size-rules.ts';
import { parseSource, type Rule } from '../support/tidy/source.ts';
import { tableWriterRule, tenantKeyRule, tenantRule } from '../support/tidy/sql-rules.ts';
import { testAssertionRule, testDodgeRule, testDrawRule } from '../support/tidy/test-rules.ts';
import { machineTextRule, requiredFileRule } from '../support/tidy/text-rules.ts';
import { requestCastRule } from '../support/tidy/type-rules.ts';
import { phrasesIn } from '../support/tidy/word-rules.ts';

/** A file with the lines that break the rule; none for a file that only looks as if it did. */
type Planted = readonly [path: string, text: string, ...lines: number[]];

function prove(name: string, rule: Rule, planted: readonly Planted[]): void {
  describe(name, () => {
    for (const [path, text, ...lines] of planted) {
      test(`${lines.length === 0 ? 'allows' : 'refuses'} ${path}: ${text.slice(0, 60).replaceAll('\n', ' ')}`, () => {
        const findings = rule([parseSource(path, text)]);
        assert.deepEqual(
          findings.map((finding) => [finding.path, finding.line]),
          lines.map((line) => [path, line]),
        );
      });
    }
  });
}

prove('import table', importTableRule, [
  ['schema/tasks/task.ts', "import { b } from '../../engine/domain/b.ts';", 1],
  ['engine/domain/a.ts', "import { s } from '../../schema/tasks/task.ts';\nimport { b } from '../store/b.ts';", 2],
  ['engine/org/a.ts', "export { start } from '../launcher/start.ts';", 1],
  ['engine/org/a.ts', "import { b } from './b.ts';\nimport { c } from '../store/c.ts';"],
  ['gateway/main.ts', "import type { A } from '../workers/a.ts';", 1],
  ['workers/main.ts', "const actor = await import('../engine/org/org-actor.ts');", 1],
  ['workers/main.ts', "import { run } from '../bench/run.ts';", 1],
  ['engine/launcher/main.ts', "import { m } from '../../gateway/main.ts';", 1],
  ['tests/api/a.test.ts', "import { m } from '../../engine/launcher/stores/embedded-postgres.ts';"],
  ['plugins/a.ts', 'export const a = 1;', 1],
]);

prove('package homes', packageRule, [
  ['gateway/routes/a.ts', "import uWS from 'uWebSockets.js';", 1],
  ['tests/api/a.test.ts', "import uWS from 'uWebSockets.js';", 1],
  ['gateway/http/uws-server.ts', "import uWS from 'uWebSockets.js';"],
  ['workers/webhooks/a.ts', "import postgres from 'postgres';\nimport { Redis } from 'ioredis';", 1, 2],
  ['workers/job-runner.ts', "import { Worker } from 'bullmq';"],
  ['workers/webhooks/a.ts', "import { Worker } from 'bullmq';", 1],
  ['engine/domain/a.ts', "import { readFileSync } from 'node:fs';", 1],
  ['engine/org/a.ts', "import { createHash } from 'node:crypto';"],
  ['engine/store/a.ts', "import fc from 'fast-check';", 1],
]);

prove('banned calls', bannedCallRule, [
  ['engine/org/a.ts', 'const a = 1;\nconst b = Date.now();', 2],
  ['gateway/a.ts', 'new Date();\nnew Date(0);\nDate();', 1, 3],
  ['workers/a.ts', 'setTimeout(f, 1);\nsetInterval(f, 1);\nsetImmediate(f);\nglobalThis.setTimeout(f);', 1, 2, 3, 4],
  ['engine/org/a.ts', "import { randomUUID as id } from 'node:crypto';", 1],
  ['engine/org/a.ts', 'crypto.randomUUID();\nMath.random();', 1, 2],
  ['gateway/a.ts', "process.env['PORT'];\nprocess.hrtime();\nperformance.now();", 1, 2, 3],
  ['gateway/a.ts', "const { env } = process;\nimport { setTimeout as delay } from 'node:timers/promises';", 1, 2, 2],
  ['gateway/a.ts', 'server.setTimeout(1);\nconst options = { setTimeout: 1 };'],
  ['gateway/a.ts', '// Date.now()\nconst text = "Math.random()";'],
  ['engine/runtime/clock.ts', 'Date.now();'],
  ['engine/launcher/a.ts', 'process.env;'],
]);

prove('console', consoleRule, [
  ['engine/runtime/a.ts', 'console.log(1);', 1],
  ['workers/a.ts', 'const say = console.error;', 1],
  ['bench/a.ts', 'console.log(1);'],
]);

prove('file size', fileSizeRule, [
  ['engine/org/a.ts', '//\n'.repeat(401), 401],
  ['engine/org/a.ts', '//\n'.repeat(400)],
  ['LICENSE', '\n'.repeat(500)],
]);

const lines = (count: number) => '1;\n'.repeat(count);
prove('function size', functionSizeRule, [
  ['engine/org/a.ts', `\nfunction long() {\n${lines(69)}}`, 2],
  ['engine/org/a.ts', `function fits() {\n${lines(68)}}`],
  ['engine/org/a.ts', `const long = () => {\n${lines(69)}};`, 1],
  ['engine/org/a.ts', `class A {\n  long() {\n${lines(69)}}\n}`, 2],
  ['tests/unit/a.test.ts', `describe('a', () => {\n${lines(100)}});`],
]);

prove('file names', fileNameRule, [
  ['engine/org/utils.ts', '', 1],
  ['engine/common/a.ts', '', 1],
  ['gateway/index.ts', '', 1],
  ['gateway/taskRoutes.ts', '', 1],
  ['schema/migrations/0001_first.sql', '', 1],
  ['schema/migrations/0001-first.sql', ''],
  ['tests/unit/task-machine.test.ts', ''],
  ['README.md', ''],
]);

prove('re-exports', reExportRule, [
  ['schema/all.ts', "export { a } from './a.ts';\nexport * from './b.ts';", 2],
  ['schema/all.ts', "export * as b from './b.ts';", 1],
]);

prove('machine texts', machineTextRule, [
  ['README.md', `a\nsee /${'home'}/ann/dispatch`, 2],
  ['bench/a.ts', `const a = '/${'work'}/main';`, 1],
  ['README.md', `C:\\${'Users'}\\ann`, 1],
  ['package-lock.json', `{\n"a": 1,\n"${'resolved'}": "https://example.org/a.tgz"}`, 3],
  ['Dockerfile', `RUN npm install --registry https://${'registry'}.example.org`, 1],
  ['.npmrc', `fund=false\n${'registry'}=http://127.0.0.1:1`, 2],
  ['README.md', 'https://example.org/home/a and ./work/b and /usr/bin/env and /api/v1/work'],
]);

describe('folder size', () => {
  const folderOf = (folder: string, count: number) =>
    Array.from({ length: count }, (_, index) => parseSource(`${folder}/a${index}.ts`, ''));
  const findingsOf = (count: number, exceptions: Record<string, string>) =>
    folderSizeRule(folderOf('engine/a', count), exceptions).map(({ path }) => path);

  test('15 files fit into a folder, 16 do not', () => {
    assert.deepEqual(findingsOf(15, {}), []);
    assert.deepEqual(findingsOf(16, {}), ['engine/a']);
  });
  test('a folder with a reason may hold more, and the reason must go when the files are gone', () => {
    assert.deepEqual(findingsOf(16, { 'engine/a': 'a reason' }), []);
    assert.deepEqual(findingsOf(15, { 'engine/a': 'a reason' }), ['engine/a']);
    assert.deepEqual(findingsOf(1, { 'engine/b': 'a reason' }), ['engine/b']);
  });
});

prove('request casts', requestCastRule, [
  ['gateway/routes/a.ts', 'const input = body as Input;\nconst { id } = request.params as Ids;', 1, 2],
  ['gateway/routes/a.ts', 'const list = f((request.query as unknown) as ListQuery);', 1],
  ['gateway/routes/a.ts', "const input = body;\nconst kind = 'body' as const;\nconst json = parsed.json as Json;"],
  ['engine/org/a.ts', 'const input = body as Input;'],
]);

describe('plain words', () => {
  const linesOf = (path: string, text: string) => phrasesIn(parseSource(path, text)).map(({ line }) => line);
  const refused = [
    'Whoever asks gets nothing.',
    'It is read anew.',
    'Commands are told the reason.',
    'The log tells of it.',
    'Retries go by the key.',
    'All but for one.',
    'nothing of it remains',
    'Two meet. Of these the second is left out.',
  ];
  for (const text of refused) {
    test(`the rule of plain words refuses ${text}`, () =>
      assert.deepEqual(linesOf('docs/a.md', `A line.\n${text}`), [2]));
  }
  test('the rule of plain words refuses a docstring whose subject is a question word, and a test name without a subject', () => {
    assert.deepEqual(
      linesOf('engine/a.ts', '/** What commands need. */\nconst a = 1;\n// Who asks first wins.'),
      [1, 3],
    );
    assert.deepEqual(linesOf('engine/a.ts', '/** Of one agent, in metres. */\n// Of two, the later.'), [1, 2]);
    assert.deepEqual(linesOf('tests/a.test.ts', "test('what is left out is absent', f);"), [1]);
  });
  test('allows plain sentences and questions', () => {
    assert.deepEqual(linesOf('docs/a.md', 'Answer again. What can go wrong? The caller retries.'), []);
    assert.deepEqual(linesOf('docs/a.md', 'Of course the end of it counts.'), []);
    assert.deepEqual(linesOf('engine/a.ts', '/** Metres of one agent. Of course in a straight line. */'), []);
  });
});

prove('test dodges', testDodgeRule, [
  ['tests/a.test.ts', "test.skip('a', () => {});\nit.only('b', f);\ndescribe.todo('c');", 1, 2, 3],
  ['tests/a.test.ts', "test('a', { todo: true }, f);\ntest('b', (t) => t.skip());", 1, 2],
  ['tests/a.test.ts', "test('a', { timeout: 1 }, f);\nlist.skip(1);"],
  ['tests/support/a.ts', "test.skip('a', f);"],
]);

prove('test assertions', testAssertionRule, [
  ['tests/a.test.ts', "test('a', () => {});", 1],
  ['tests/a.test.ts', "test('a', () => assert.ok(1));"],
  ['tests/a.test.ts', "test('a', () => fc.assert(p));"],
]);

prove('test draws', testDrawRule, [
  ['tests/a.test.ts', 'fc.assert(p);\nfc.assert(p, { numRuns: 9 });\nfc.sample(a, 9);', 1, 2, 3],
  ['tests/support/a.ts', 'await fc.check(p);', 1],
  ['tests/a.test.ts', 'fc.assert(p, { numRuns: 9, seed: SEED });\nfc.check(p, { seed });\nassert(p);'],
  ['tests/slow/a.test.ts', 'fc.assert(p);'],
]);

function findingsOf(rule: Rule, files: Readonly<Record<string, string>>): string[] {
  const sources = Object.entries(files).map(([path, text]) => parseSource(path, text));
  return rule(sources).map(({ path, line, message }) => `${path}:${line} ${message}`);
}

/** Asserts that each finding, in order, contains its part. */
function assertFindings(found: readonly string[], parts: readonly string[]): void {
  assert.equal(found.length, parts.length, found.join('\n'));
  for (const [i, part] of parts.entries()) assert.ok(found[i]!.includes(part), `${found[i]} has no "${part}"`);
}

test('files that import each other in a ring are told once, with the way round', () => {
  const ring = {
    'engine/org/a.ts': "\nimport './b.ts';",
    'engine/org/b.ts': "import type { C } from './c.ts';",
    'engine/org/c.ts': "export { a } from './a.ts';",
    'engine/org/d.ts': "import './a.ts';",
  };
  assertFindings(findingsOf(fileCycleRule, ring), [
    'engine/org/c.ts:1 engine/org/a.ts → engine/org/b.ts → engine/org/c.ts → engine/org/a.ts',
  ]);
});

test('folders that import each other are told, a parent and its children are not', () => {
  const files = {
    'engine/bus/a.ts': "import '../store/a.ts';",
    'engine/store/b.ts': "import '../bus/b.ts';",
    'gateway/main.ts': "import './routes/a.ts';",
    'gateway/routes/a.ts': "import '../route.ts';",
  };
  assertFindings(findingsOf(folderCycleRule, files), ['engine/store/b.ts:1 engine/bus → engine/store → engine/bus']);
});

test('a missing file is told by its name', () => {
  assertFindings(findingsOf(requiredFileRule, { 'README.md': '', 'ARCHITECTURE.md': '', 'CONTRIBUTING.md': '' }), [
    'LICENSE',
    'CHANGELOG.md',
  ]);
});

const MIGRATION = `CREATE TABLE tasks (
  organization_id bigint,
  id bigint,
  PRIMARY KEY (organization_id, id)
);
CREATE TABLE users (
  organization_id bigint,
  email text,
  PRIMARY KEY (organization_id, email)
);
CREATE TABLE shards (
  shard int PRIMARY KEY
);
INSERT INTO shards SELECT 1; -- INSERT INTO tasks
CREATE FUNCTION commit_group(a int) RETURNS void AS $$
BEGIN
  PERFORM write_tasks(a);
END $$;
CREATE FUNCTION write_tasks(a int) RETURNS void AS $$
  INSERT INTO tasks VALUES (1, a) ON CONFLICT (id) DO UPDATE SET id = a;
$$;
`;
const REVIEWED: Reviewed = {
  tableWriters: { tasks: 'commit_group', users: 'plain', shards: 'platform' },
  storeWriters: {},
  foreignWrites: [],
  platformTables: { shards: 'shared by all' },
  globalKeys: {},
  globalStatements: [],
};
/** An interpolation in a planted statement. */
const hole = `$${'{x}'}`;
const schema = { 'schema/migrations/0001-first.sql': MIGRATION };

describe('table writers', () => {
  const writes = (path: string, code: string, reviewed: Partial<Reviewed> = {}) =>
    findingsOf(tableWriterRule({ ...REVIEWED, ...reviewed }), { ...schema, [path]: code });

  test('a table may be written by its writer, also through functions that commit_group calls', () => {
    assertFindings(
      writes('engine/store/users.ts', 'sql`INSERT INTO users VALUES (1)`; sql`SELECT 1 FROM tasks FOR UPDATE OF t`'),
      [],
    );
  });

  test('a write by another is refused, whatever the verb', () => {
    const code =
      'sql`INSERT INTO tasks`;\nsql`update tasks set a = 1`;\nsql`DELETE FROM tasks`;\nsql`COPY tasks FROM STDIN`;';
    assertFindings(
      writes('engine/store/a.ts', `${code}\nsql\`WITH a AS (TRUNCATE tasks)\`;\nsql.unsafe('MERGE INTO tasks');`),
      [
        'engine/store/a.ts:1 tasks is written by commit_group, not by plain',
        'engine/store/a.ts:2',
        'engine/store/a.ts:3',
        'engine/store/a.ts:4',
        'engine/store/a.ts:5',
        'engine/store/a.ts:6',
      ],
    );
    assertFindings(writes('workers/a.ts', 'sql`DELETE FROM users`'), ['users is written by plain, not by worker']);
  });

  test('a function of a migration that commit_group does not call may not write its tables', () => {
    const sql = `${MIGRATION}CREATE FUNCTION sneak() RETURNS void AS $$\n  DELETE FROM tasks;\n$$;`;
    assertFindings(findingsOf(tableWriterRule(REVIEWED), { 'schema/migrations/0001-first.sql': sql }), [
      'schema/migrations/0001-first.sql:23 tasks is written by commit_group, not by platform',
    ]);
  });

  test('unknown tables and tables named at run time are refused', () => {
    const code = `sql\`INSERT INTO ghosts\`; sql\`INSERT INTO ${hole} VALUES (1)\`;`;
    assertFindings(writes('engine/store/a.ts', code), ['ghosts is in no migration', 'named at run time']);
  });

  test('a table without a writer and a row without a table are refused', () => {
    const { tasks: _, ...others } = REVIEWED.tableWriters;
    const found = writes('engine/store/a.ts', '', { tableWriters: { ...others, ghosts: 'plain' } });
    assertFindings(found, ['tasks has no writer', 'tableWriters ghosts', 'tasks is in no migration and no row']);
  });

  test('a reviewed write passes, and its entry goes when the write goes', () => {
    const foreignWrites = [{ path: 'workers/purge.ts', table: '*', reason: 'deletes an organization' }];
    assertFindings(writes('workers/purge.ts', 'sql`DELETE FROM tasks`', { foreignWrites }), []);
    assertFindings(writes('workers/purge.ts', '', { foreignWrites }), ['foreignWrites workers/purge.ts *']);
  });
});

describe('the tenant in every statement', () => {
  const reads = (code: string, reviewed: Partial<Reviewed> = {}) =>
    findingsOf(tenantRule({ ...REVIEWED, ...reviewed }), { ...schema, 'engine/store/a.ts': code });

  test('a statement over tenants without organization_id is refused', () => {
    assertFindings(reads("sql`\n SELECT 1 FROM users u JOIN tasks t USING (id)`;\nconst text = 'DELETE FROM tasks';"), [
      'engine/store/a.ts:1',
      'engine/store/a.ts:3',
    ]);
    assertFindings(reads('sql`SELECT 1 FROM tasks -- organization_id`'), ['engine/store/a.ts:1']);
    assertFindings(reads(`sql\`SELECT 1 FROM ${hole}\``), ['engine/store/a.ts:1']);
  });

  test('statements that name it, touch platform tables or no table at all pass', () => {
    assertFindings(
      reads(
        `sql\`SELECT 1 FROM tasks WHERE organization_id = ${hole}\`; sql\`SELECT now()\`; sql\`SELECT 1 FROM shards\`;`,
      ),
      [],
    );
    assertFindings(reads(`const text = 'update of tasks failed'; sql\`AND id = ${hole}\`;`), []);
  });

  test('a reviewed statement passes, and its entry goes when the statement goes', () => {
    const globalStatements = [{ path: 'engine/store/a.ts', contains: 'count(*)', reason: 'a metric' }];
    assertFindings(reads('sql`SELECT count(*) FROM tasks`', { globalStatements }), []);
    assertFindings(reads('', { globalStatements }), ['globalStatements engine/store/a.ts']);
  });
});

test('a unique key that does not start with the organization is refused, unless reviewed', () => {
  const sql = `${MIGRATION}CREATE TABLE keys (
  id bigint PRIMARY KEY,
  organization_id bigint,
  hash bytea UNIQUE,
  UNIQUE (id, organization_id)
);
CREATE UNIQUE INDEX users_email ON users (lower(email));
CREATE UNIQUE INDEX tasks_code ON tasks (organization_id, code);
`;
  const found = findingsOf(tenantKeyRule(REVIEWED), { 'schema/migrations/0001-first.sql': sql });
  assertFindings(found, [
    ':26 keys (id, organization_id)',
    ':23 keys (id)',
    ':25 keys (hash)',
    ':28 users (lower(email))',
  ]);

  const globalKeys = {
    'users (lower(email))': 'sign-in',
    'keys (id, organization_id)': 'a',
    'keys (id)': 'b',
    'keys (hash)': 'c',
  };
  const reviewed = { ...REVIEWED, globalKeys: { ...globalKeys, 'tasks (id)': 'gone' } };
  assertFindings(findingsOf(tenantKeyRule(reviewed), { 'schema/migrations/0001-first.sql': sql }), [
    'globalKeys tasks (id)',
  ]);
});

test('source that does not parse fails loudly instead of passing every rule', () => {
  assert.throws(() => parseSource('engine/org/a.ts', 'const = ;'), /engine\/org\/a\.ts does not parse/);
});
