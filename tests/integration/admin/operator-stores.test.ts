import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { Queue } from 'bullmq';
import { writeDemoFacts } from '../../../engine/launcher/demo-facts.ts';
import { writeStoreFacts } from '../../../engine/launcher/store-facts.ts';
import { createLog } from '../../../engine/runtime/log.ts';
import { createRandomSource } from '../../../engine/runtime/random.ts';
import { currentHistory } from '../../../engine/store/cluster/platform-store.ts';
import { connectRedis } from '../../../engine/store/redis.ts';
import { redisKeys } from '../../../engine/store/redis-keys.ts';
import { openStores } from '../../../gateway/admin-cli/operator-stores.ts';
import { withSql } from '../../support/seeds/seed.ts';
import { createMigratedDatabase, testRedis } from '../../support/stores.ts';
import { temporaryDirectory } from '../launcher/launcher-run.ts';

/** Where `npm run admin` looks, without any other process. */

test('empty settings leave what `npm start` has noted', async (t) => {
  const database = await createMigratedDatabase();
  t.after(() => database.drop());
  const { url: redisUrl, prefix: redisPrefix } = testRedis();
  const dataDir = temporaryDirectory(t);
  writeStoreFacts(join(dataDir, 'stores.json'), { databaseUrl: database.url, redisUrl, redisPrefix });
  const person = { email: 'a@test.example', password: 'secret99' };
  const people = { superAdmin: person, orgAdmin: person, dispatcher: person, agents: [] };
  const baseUrl = 'http://127.0.0.1:8099';
  writeDemoFacts(join(dataDir, 'demo.json'), { baseUrl, organizationId: 1, channelId: 1, apiKey: 'key', ...people });

  const unset = { DATABASE_URL: '', REDIS_URL: '', REDIS_PREFIX: '', ADMIN_URL: '' };
  const stores = openStores({ ...unset, DATA_DIR: dataDir });
  t.after(() => stores.close());
  assert.equal(stores.gatewayUrl, baseUrl);
  await assert.rejects(stores.listQueues(), /^Error: no gateway or workers have started on this database yet$/);
  const history = await withSql(database.url, (sql) => currentHistory(sql, createRandomSource()));
  const redis = connectRedis(redisUrl, createLog('admin', 'silent'), 'patient');
  t.after(() => redis.disconnect());
  const queue = new Queue('{activity}', { connection: redis, prefix: redisKeys(redisPrefix, history).jobs });
  await queue.add('activity', { organizationId: 1 });
  await queue.close();

  const waiting = async () => (await stores.listQueues()).find((each) => each.queue === 'activity')?.waiting;
  assert.equal(await waiting(), 1);
  await withSql(database.url, (sql) => sql`UPDATE log_history SET timeline = 99`);
  assert.equal(await waiting(), 1, 'a look after a promotion renews no history under running programs');
});
