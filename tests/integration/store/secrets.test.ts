import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { ConfigError } from '../../../engine/runtime/config.ts';
import { SecretBox } from '../../../engine/runtime/secret-box.ts';
import { readInternalSecret, readOwners } from '../../../engine/store/cluster/owner-store.ts';
import { openVapidKeys } from '../../../engine/store/notifications/vapid-store.ts';
import { replaceLostSecrets } from '../../../engine/store/secrets/lost-secrets.ts';
import { sealSecrets } from '../../../engine/store/secrets/seal-secrets.ts';
import {
  findMissingKeys,
  forgetUnusedKeys,
  listKeyUses,
  openSecretBox,
} from '../../../engine/store/secrets/secret-key-store.ts';
import { webhookPlace } from '../../../engine/store/secrets/stored-secret.ts';
import { createFollowerStore } from '../../../engine/store/webhooks/follower-store.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { seedOrganization } from '../../support/seeds/seed.ts';
import { useDatabase } from '../../support/system/use-database.ts';
import { until } from '../../support/until.ts';

/** Stored secrets, with rows in clear as the release before has written them. */
const LEASE = '8f14e45f-ceea-467f-a8a4-1f0c1d4b9a51';
const OLD = [Buffer.alloc(32, 'old')];
const NEW = [Buffer.alloc(32, 'new'), ...OLD];

let organizationId: number;
let clear: { readonly publicKey: string; readonly privateKey: string; readonly internal: string };

const { url, sql } = useDatabase({ connections: 4 }, async () => {
  ({ organizationId } = await seedOrganization(url));
});

/** A database of the release before, with two webhooks; one of them has a previous secret. */
beforeEach(async () => {
  await sql`DELETE FROM webhooks`;
  await sql`DELETE FROM vapid_keys`;
  clear = { publicKey: 'its public key', privateKey: 'its private key', internal: 'the internal secret' };
  await sql`INSERT INTO vapid_keys (public_key, private_key) VALUES (${clear.publicKey}, ${clear.privateKey})`;
  await sql`UPDATE internal_secret SET secret = ${clear.internal}, sealed_secret = NULL`;
  await sql`DELETE FROM secret_keys`;
  await addWebhooks(2);
  await sql`
    UPDATE webhooks SET previous_secret = 'whsec_previous', previous_secret_until = now() + interval '1 hour' WHERE id = 1`;
});

async function addWebhooks(count: number): Promise<void> {
  await sql`
    INSERT INTO webhooks (organization_id, id, version, url, events, concurrency, secret, is_active, active_since,
      start_sequence, created_at, updated_at)
    SELECT ${organizationId}, id, 1, 'http://127.0.0.1:1/', '{*}', 1, 'whsec_' || id, true, now(), 0, now(), now()
    FROM generate_series(1, ${count}) AS id`;
}

async function secretsOf(box: SecretBox, webhookId: number): Promise<readonly string[]> {
  await sql`DELETE FROM webhook_followers`;
  const leased = await createFollowerStore(sql, box).lease({ organizationId, webhookId }, LEASE);
  return leased!.secrets;
}

/** Reads every secret as a process with this box does. */
async function readAll(box: SecretBox) {
  const keys = await openVapidKeys(sql, box, { vapidKeys: undefined });
  assert.equal((await readOwners(sql, box)).secret, await readInternalSecret(sql, box));
  return {
    first: await secretsOf(box, 1),
    second: await secretsOf(box, 2),
    keys,
    internal: await readInternalSecret(sql, box),
  };
}

const EVERYTHING = () => ({
  first: ['whsec_1', 'whsec_previous'],
  second: ['whsec_2'],
  keys: { publicKey: clear.publicKey, privateKey: clear.privateKey },
  internal: clear.internal,
});

async function countClear(): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    SELECT (SELECT sum(num_nonnulls(secret, previous_secret)) FROM webhooks)
      + (SELECT count(private_key) FROM vapid_keys) + (SELECT count(secret) FROM internal_secret) AS count`;
  return Number(row!.count);
}

test('rows in clear are read, then sealed, and read as before; once more seals nothing', async () => {
  const box = await openSecretBox(sql, { secretsKeys: OLD });
  assert.deepEqual(await readAll(box), EVERYTHING());
  assert.equal(await countClear(), 5);
  assert.deepEqual(await sealSecrets(sql, box, 'clear'), { webhooks: 2, webPushKeys: 1, internalSecrets: 1 });
  assert.equal(await countClear(), 0);
  assert.deepEqual(await readAll(box), EVERYTHING());
  assert.deepEqual(await sealSecrets(sql, box, 'clear'), { webhooks: 0, webPushKeys: 0, internalSecrets: 0 });
});

test('sealing that was interrupted goes on with a mixed table, and more rows than one statement takes', async () => {
  const box = await openSecretBox(sql, { secretsKeys: OLD });
  await sealSecrets(sql, box, 'clear');
  await sql`DELETE FROM webhooks WHERE id = 2`;
  const many = LIMITS.secretsPerStatement + 2;
  await sql`UPDATE webhooks SET id = 0`;
  await addWebhooks(many);
  assert.equal((await sealSecrets(sql, box, 'clear')).webhooks, many);
  assert.equal(await countClear(), 0);
  for (const id of [1, many]) assert.deepEqual(await secretsOf(box, id), [`whsec_${id}`]);
});

test('two processes that seal at the same time leave everything readable', async () => {
  const box = await openSecretBox(sql, { secretsKeys: OLD });
  await Promise.all([1, 2, 3].map(() => sealSecrets(sql, box, 'clear')));
  assert.equal(await countClear(), 0);
  assert.deepEqual(await readAll(box), EVERYTHING());
});

test('a secret that is renewed while it is sealed stays the new one', async () => {
  const box = await openSecretBox(sql, { secretsKeys: OLD });
  let sealing: ReturnType<typeof sealSecrets> | undefined;
  await sql.begin(async (renewal) => {
    await renewal`UPDATE webhooks SET secret = 'whsec_renewed', version = version + 1 WHERE id = 2`;
    sealing = sealSecrets(sql, box, 'clear');
    // It has read the old secret, and cannot write before the renewal ends.
    await until('the sealing waits for the renewal', async () => {
      const waiting = await renewal`
        SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      return waiting.length > 0;
    });
  });
  await sealing;
  assert.equal(await countClear(), 0);
  assert.deepEqual(await secretsOf(box, 2), ['whsec_renewed']);
});

test('rotation encrypts everything under the first key and forgets the other one', async () => {
  const old = await openSecretBox(sql, { secretsKeys: OLD });
  await sealSecrets(sql, old, 'clear');
  const box = await openSecretBox(sql, { secretsKeys: NEW });
  assert.deepEqual(await readAll(box), EVERYTHING(), 'before the rotation');
  // A secret that was renewed meanwhile: its predecessor alone needs the old key.
  const renewed = box.seal('whsec_1', webhookPlace(organizationId, 1));
  await sql`UPDATE webhooks SET sealed_secret = ${renewed} WHERE organization_id = ${organizationId} AND id = 1`;
  assert.deepEqual(await forgetUnusedKeys(sql, box), [], 'it is needed');
  assert.deepEqual(await sealSecrets(sql, box, 'all'), { webhooks: 2, webPushKeys: 1, internalSecrets: 1 });
  const uses = await listKeyUses(sql);
  assert.deepEqual(
    uses.map(({ key, webhooks, previousSecrets, internalSecrets }) => [
      key,
      webhooks,
      previousSecrets,
      internalSecrets,
    ]),
    [
      [old.keyId, 0, 0, 0],
      [box.keyId, 2, 1, 1],
      [null, 0, 0, 0],
    ],
  );
  assert.deepEqual(await forgetUnusedKeys(sql, box), [old.keyId]);
  const alone = await openSecretBox(sql, { secretsKeys: [NEW[0]!] });
  assert.deepEqual(await readAll(alone), EVERYTHING());
  await assert.rejects(secretsOf(old, 1), /needs the key/);
});

test('a previous secret that signs no more is removed', async () => {
  const box = await openSecretBox(sql, { secretsKeys: OLD });
  await sealSecrets(sql, box, 'clear');
  await sql`UPDATE webhooks SET previous_secret_until = now() WHERE id = 1`;
  assert.deepEqual(await secretsOf(box, 1), ['whsec_1']);
  assert.equal((await sealSecrets(sql, box, 'clear')).webhooks, 1);
  const [row] = await sql`SELECT sealed_previous_secret FROM webhooks WHERE id = 1`;
  assert.equal(row!['sealedPreviousSecret'], null);
});

test('a process with another key is refused before it reads or writes anything', async () => {
  const right = await openSecretBox(sql, { secretsKeys: OLD });
  const wrong = openSecretBox(sql, { secretsKeys: [NEW[0]!] });
  await assert.rejects(wrong, (error) => {
    assert.ok(error instanceof ConfigError);
    assert.match(error.message, new RegExp(`lacks ${right.keyId}, and has [0-9a-f]{16}`));
    return true;
  });
  assert.deepEqual(await findMissingKeys(sql, right), [], 'the wrong key is not noted');
  await assert.rejects(openSecretBox(sql, { secretsKeys: [] }), /SECRETS_KEY is not set/);
});

test('a sealed secret that is copied to another webhook signs nothing there', async () => {
  const box = await openSecretBox(sql, { secretsKeys: OLD });
  await sealSecrets(sql, box, 'clear');
  await sql`UPDATE webhooks SET sealed_secret = (SELECT sealed_secret FROM webhooks WHERE id = 1) WHERE id = 2`;
  await assert.rejects(secretsOf(box, 2), /webhook 2 of organization \d+ was changed, or belongs to another record/);
});

test('no row can be sealed under a key that is not noted, and no noted key that a row needs can be removed', async () => {
  const box = await openSecretBox(sql, { secretsKeys: OLD });
  await sealSecrets(sql, box, 'clear');
  await assert.rejects(sql`DELETE FROM secret_keys`, /violates foreign key/);
  const stranger = new SecretBox([Buffer.alloc(32, 'stranger')]).seal('whsec_2', 'anywhere');
  await assert.rejects(sql`UPDATE webhooks SET sealed_secret = ${stranger}`, /violates foreign key/);
});

test('secrets under a lost key are given up: webhooks are switched off with a new one, and the others are made again', async () => {
  const lost = await openSecretBox(sql, { secretsKeys: OLD });
  await sealSecrets(sql, lost, 'clear');
  const box = new SecretBox([NEW[0]!]);
  const missing = await findMissingKeys(sql, box);
  assert.deepEqual(missing, [lost.keyId]);
  const webhooks = await replaceLostSecrets(sql, box, missing);
  assert.deepEqual(
    webhooks.map(({ webhookId }) => webhookId),
    [1, 2],
  );
  assert.deepEqual(await forgetUnusedKeys(sql, box), missing);
  await openSecretBox(sql, { secretsKeys: [NEW[0]!] });
  for (const id of [1, 2]) assert.match((await secretsOf(box, id)).join(), /^whsec_[A-Za-z0-9+/]{43}=$/);
  const rows = await sql`SELECT is_active, version FROM webhooks ORDER BY id`;
  assert.deepEqual(
    rows.map((row) => [row['isActive'], row['version']]),
    [
      [false, 2],
      [false, 2],
    ],
  );
  const notes = await sql`SELECT record_id FROM audit_access WHERE action = 'webhook.secret_lost' ORDER BY record_id`;
  assert.equal(notes.length, 2);
  assert.notEqual((await openVapidKeys(sql, box, { vapidKeys: undefined })).publicKey, clear.publicKey);
  assert.match(await readInternalSecret(sql, box), /^[A-Za-z0-9]{64}$/);
});
