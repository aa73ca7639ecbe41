import { readConfig } from '../../engine/runtime/config.ts';
import { SecretBox } from '../../engine/runtime/secret-box.ts';

/** The setting of every process of a test: its key encrypts nothing that anybody keeps. */
export const SECRETS = { SECRETS_KEY: Buffer.alloc(32, 'test').toString('base64') } as const;

export const { secretsKeys } = readConfig(SECRETS);
export const secretBox = new SecretBox(secretsKeys);
