import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problemOfPostgresUrl } from '../../../engine/runtime/setting-checks.ts';
import { forActors } from '../../../engine/store/actor/actor-store.ts';
import { connectPostgres } from '../../../engine/store/postgres.ts';
import { forPages } from '../../../engine/store/task-lists/task-list-store.ts';

/** The client of Postgres reads a DATABASE_URL at once; it connects at the first statement. */

const LIST = 'postgres://dispatch:p%40ss@a.example:5432,b.example:5433/dispatch?sslmode=require#here';

function optionsOf(url: string) {
  return connectPostgres(url, { name: 'test', connections: 1, statementTimeoutMs: 1_000 }).options;
}

for (const [kind, addressOf, setting] of [
  ['pages', forPages, 'random_page_cost'],
  ['actors', forActors, 'enable_sort'],
] as const) {
  test(`the connections for ${kind} try each of several hosts, as the others do, and have their settings`, () => {
    const { host, port, pass, database, ssl, connection } = optionsOf(addressOf(LIST));
    assert.deepEqual(
      [host, port],
      [
        ['a.example', 'b.example'],
        [5432, 5433],
      ],
    );
    assert.deepEqual([pass, database, ssl], ['p@ss', 'dispatch', 'require']);
    assert.ok(setting in connection, Object.keys(connection).join());
  });
}

test('the connections for pages take one statement at a time', () => {
  for (const url of ['postgres://127.0.0.1', 'postgres://127.0.0.1/?max_pipeline=7'])
    assert.equal((optionsOf(forPages(url)) as { max_pipeline?: number }).max_pipeline, 0);
});

test('no address sets what each connection sets for itself', () => {
  const own = Object.keys(optionsOf('postgres://127.0.0.1').connection);
  assert.ok(own.includes('application_name') && own.length > 3);
  for (const name of [...own, ...own.map((each) => each.toUpperCase()), 'client_encoding']) {
    const said = `must not have the parameter ${name.toLowerCase()}, which each connection sets for itself`;
    assert.equal(problemOfPostgresUrl(`postgres://u:hush@a:1,b:2/d?sslmode=require&${name}=hush`), said);
  }
});

test('an address may have settings of the server that the connections leave alone', () => {
  for (const query of ['', '?', '?search_path=dispatch', '?work_mem=64MB#jit=1', '?options=-c%20work_mem%3D64MB'])
    assert.equal(problemOfPostgresUrl(`postgres://u:p@a/d${query}`), undefined, query);
});

test('an address with a mode of TLS that there is not is refused', () => {
  for (const mode of ['verify', 'DISABLE', 'true', ''])
    assert.match(
      problemOfPostgresUrl(`postgres://u:hush@a/d?sslmode=${mode}`) ?? '',
      /^must have as sslmode one of .*verify-full$/,
    );
});

for (const [url, at] of [
  ['postgres://u:p@[::1]:5433/d', [['::1'], [5433]]],
  ['postgres://u:p@[2001:db8::1]/d?sslmode=verify-full', [['2001:db8::1'], [5432]]],
  ['postgres://[::1]', [['::1'], [5432]]],
  ['postgres://u:[x]@a/d', [['a'], [5432]]],
] as const) {
  test(`${url} leads where it says`, () => {
    assert.equal(problemOfPostgresUrl(url), undefined);
    const { host, port } = optionsOf(url);
    assert.deepEqual([host, port], at);
  });
}

for (const hosts of ['[::1]:5432,b:5432', 'a:5432,b:port', 'a,']) {
  test(`the list of hosts ${hosts} is refused`, () => {
    assert.match(problemOfPostgresUrl(`postgres://u:p@${hosts}/d`) ?? '', /^must be a URL like/);
  });
}

test('a password of any characters comes from PGPASSWORD, where the address has none', () => {
  process.env['PGPASSWORD'] = 'a/b?c#d%41@$';
  try {
    for (const addressOf of [forPages, forActors, String])
      assert.equal(optionsOf(addressOf('postgres://dispatch@postgres:5432/dispatch')).pass, 'a/b?c#d%41@$');
  } finally {
    delete process.env['PGPASSWORD'];
  }
});
