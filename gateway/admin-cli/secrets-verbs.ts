import type { Sql } from '../../engine/store/postgres.ts';
import { replaceLostSecrets } from '../../engine/store/secrets/lost-secrets.ts';
import { sealSecrets } from '../../engine/store/secrets/seal-secrets.ts';
import {
  findMissingKeys,
  findPrograms,
  findProgramsWithout,
  forgetUnusedKeys,
  listKeyUses,
  openSecretBox,
} from '../../engine/store/secrets/secret-key-store.ts';
import { RefusedError } from './admin-errors.ts';
import type { OperatorStores } from './operator-stores.ts';
import type { StoreVerb } from './verb.ts';

/** Commands on the secrets that are stored encrypted, and on the keys of SECRETS_KEY. */
export const SECRETS_VERBS: readonly StoreVerb[] = [
  {
    noun: 'secrets',
    verb: 'list',
    summary: 'how many secrets each key encrypts, and how many are in clear',
    parameters: [],
    columns: ['key', 'isGiven', 'firstUsedAt', 'webhooks', 'previousSecrets', 'webPushKeys', 'internalSecrets'],
    async run(stores) {
      const { keyIds } = stores.secretBox();
      const uses = await listKeyUses(stores.sql);
      return uses.map((use) =>
        use.key === null ? { ...use, key: 'in clear' } : { ...use, isGiven: keyIds.includes(use.key) },
      );
    },
  },
  {
    noun: 'secrets',
    verb: 'rotate',
    summary: 'encrypt every secret under the first key of SECRETS_KEY, and forget keys that nothing needs',
    parameters: [],
    async run(stores) {
      const { sql, secretsKeys } = stores;
      await checkKnown(stores);
      const box = await openSecretBox(sql, { secretsKeys });
      const counts = await sealSecrets(sql, box, 'all');
      return { key: box.keyId, ...counts, forgottenKeys: await forgetUnusedKeys(sql, box) };
    },
  },
  {
    noun: 'secrets',
    verb: 'replace-lost',
    summary:
      'give up what is encrypted under keys that SECRETS_KEY lacks; switches the webhooks off; no program may run',
    parameters: [],
    columns: ['organizationId', 'webhookId', 'url'],
    async run(stores) {
      const { sql } = stores;
      const box = stores.secretBox();
      const lost = await findMissingKeys(sql, box);
      if (lost.length === 0) throw new RefusedError('SECRETS_KEY lacks no key of this database');
      await checkLost(sql, lost);
      const webhooks = await replaceLostSecrets(sql, box, lost);
      await forgetUnusedKeys(sql, box);
      return webhooks;
    },
  },
];

/** Running programs that lack the first key could not read what is encrypted under it. Throws RefusedError. */
async function checkKnown(stores: OperatorStores): Promise<void> {
  const { keyId } = stores.secretBox();
  const programs = await findProgramsWithout(stores.sql, keyId);
  if (programs.length === 0) return;
  throw new RefusedError(
    `No gateway and no worker has started with ${keyId} as the first key of SECRETS_KEY yet, and programs run ` +
      `(${programs.join(', ')}). They could not read what is encrypted under it. Start every gateway and worker again ` +
      'with this key first and the others behind it, then repeat this.',
  );
}

/** No program starts without every noted key, so a key is not lost while one runs. Throws RefusedError. */
async function checkLost(sql: Sql, keys: readonly string[]): Promise<void> {
  const programs = await findPrograms(sql);
  if (programs.length === 0) return;
  throw new RefusedError(
    `Programs run on this database (${programs.join(', ')}), and none starts without ${keys.join(', ')}: what they have ` +
      'is not lost. Put their keys into SECRETS_KEY. Should nobody have them any more, stop every gateway and the ' +
      'workers first. The lease of one that was killed ends within seconds.',
  );
}
