import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { ConfigError } from '../config.ts';

/** Our identity at Google, as its console writes it into a file. */
export interface ServiceAccount {
  readonly projectId: string;
  readonly clientEmail: string;
  readonly keyId: string;
  readonly key: KeyObject;
  /** Where access tokens are had. */
  readonly tokenUri: string;
}

const text = v.pipe(v.string(), v.nonEmpty());
const accountFields = v.object({
  type: v.literal('service_account'),
  project_id: v.pipe(v.string(), v.regex(/^[a-z0-9.:-]+$/)),
  private_key_id: text,
  private_key: text,
  client_email: text,
  token_uri: v.pipe(v.string(), v.url()),
});

/** `setting`: the JSON text, or the path of a file with it. Throws ConfigError, which reveals none of its content. */
export function readServiceAccount(setting: string): ServiceAccount {
  const isJson = setting.trimStart().startsWith('{');
  const fields = parseAccount(isJson ? setting : readAccountFile(setting));
  return {
    projectId: fields.project_id,
    clientEmail: fields.client_email,
    keyId: fields.private_key_id,
    key: parseKey(fields.private_key),
    tokenUri: fields.token_uri,
  };
}

function readAccountFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(`FCM_SERVICE_ACCOUNT names a file that cannot be read (${code}).`);
  }
}

function parseAccount(json: string): v.InferOutput<typeof accountFields> {
  let account: unknown;
  try {
    account = JSON.parse(json);
  } catch {
    throw new ConfigError('FCM_SERVICE_ACCOUNT is neither JSON nor the path of a file with it.');
  }
  const parsed = v.safeParse(accountFields, account);
  if (parsed.success) return parsed.output;
  const wrong = new Set(parsed.issues.map((issue) => v.getDotPath(issue) ?? 'the whole'));
  throw new ConfigError(`FCM_SERVICE_ACCOUNT is not the key of a service account: look at ${[...wrong].join(', ')}.`);
}

function parseKey(pem: string): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === 'rsa') return key;
  } catch {
    // It is as little a key as one of another kind.
  }
  throw new ConfigError('FCM_SERVICE_ACCOUNT has no RSA key in private_key.');
}
