import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandomSource } from '../../../engine/runtime/random.ts';
import { currentHistory } from '../../../engine/store/cluster/platform-store.ts';
import { compiledProgram } from '../../support/runner/run-environment.ts';
import { SECRETS } from '../../support/secrets.ts';
import { withSql } from '../../support/seeds/seed.ts';
import { createMigratedDatabase, testRedis } from '../../support/stores.ts';
import { startLauncher, temporaryDirectory } from './launcher-run.ts';

/** The programs on databases that are copies of before. */

test('a start with --renew-history gives the logs another history, once', async (t) => {
  const database = await createMigratedDatabase();
  t.after(() => database.drop());
  const { url, prefix } = testRedis();
  const settings = { DATABASE_URL: database.url, REDIS_URL: url, REDIS_PREFIX: prefix, ...SECRETS };
  const dataDir = temporaryDirectory(t);
  const history = () => withSql(database.url, (sql) => currentHistory(sql, createRandomSource()));
  const known = await history();
  const start = async (...options: string[]) => {
    const { args, env } = compiledProgram('launcher');
    const launcher = startLauncher(dataDir, settings, [], { args: [...args, ...options], env });
    await launcher.ready();
    const current = await history();
    assert.equal(launcher.output().includes(`history of the event logs is ${current} from now on`), options.length > 0);
    assert.equal(await launcher.exit('SIGTERM'), 0);
    return current;
  };
  const renewed = await start('--renew-history');
  assert.notEqual(renewed, known);
  assert.equal(await start(), renewed);
});

test('an option of `npm start` that there is not, or twice, is answered by those that there are', async (t) => {
  const { args, env } = compiledProgram('launcher');
  for (const options of [['--fresh'], ['--demo', '--demo']]) {
    const launcher = startLauncher(temporaryDirectory(t), {}, [], { args: [...args, ...options], env });
    assert.equal(await launcher.exit(), 1);
    assert.match(launcher.output(), /^Usage: npm start .*--demo.*--renew-history/);
  }
});
