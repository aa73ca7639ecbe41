import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';

export const SECRET_KEY_BYTES = 32;
const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const ID_BYTES = 8;
const FORM = /^v1\.([0-9a-f]{16})\.([A-Za-z0-9_-]{38,})$/;

/** The text of a stored secret cannot be had: it was encrypted under a key that is not given, or for another record. */
export class UnreadableSecretError extends Error {}

/**
 * Encrypts secrets before they are stored: AES-256-GCM with a random vector of 96 bits. The first key encrypts, each of
 * them decrypts. The text of a sealed secret is `v1.<id of the key>.<vector, tag and ciphertext in base64url>`.
 *
 * `place` names the record that a secret belongs to. It is authenticated: a text that is copied to another record, or
 * changed, cannot be opened.
 */
export class SecretBox {
  /** The id of the key that encrypts. */
  readonly keyId: string;
  readonly #keys: ReadonlyMap<string, KeyObject>;

  /** `keys`: at least one, of SECRET_KEY_BYTES each. */
  constructor(keys: readonly Buffer[]) {
    this.keyId = idOf(keys[0]!);
    this.#keys = new Map(keys.map((key) => [idOf(key), createSecretKey(key)]));
  }

  /** The ids of every key. An id follows from its key and tells nothing about it. */
  get keyIds(): readonly string[] {
    return [...this.#keys.keys()];
  }

  seal(secret: string, place: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, this.#keys.get(this.keyId)!, iv, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(place));
    const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return `v1.${this.keyId}.${Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64url')}`;
  }

  /** Throws UnreadableSecretError, which names the place and no secret. */
  open(sealed: string, place: string): string {
    const [, id, data] = FORM.exec(sealed) ?? [];
    if (id === undefined) throw new UnreadableSecretError(`the stored secret of ${place} has no form that is known`);
    const key = this.#keys.get(id);
    if (!key) throw new UnreadableSecretError(`the secret of ${place} needs the key ${id}, which SECRETS_KEY lacks`);
    const bytes = Buffer.from(data!, 'base64url');
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(place));
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    try {
      const opened = [decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()];
      return Buffer.concat(opened).toString('utf8');
    } catch {
      throw new UnreadableSecretError(`the stored secret of ${place} was changed, or belongs to another record`);
    }
  }
}

function idOf(key: Buffer): string {
  return Buffer.from(hkdfSync('sha256', key, '', 'id of a secrets key', ID_BYTES)).toString('hex');
}
