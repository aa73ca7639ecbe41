import { createDecipheriv, createECDH, createHmac, type ECDH, hkdfSync } from 'node:crypto';

/** The secrets of a subscription that a browser keeps. */
export interface BrowserKeys {
  readonly key: ECDH;
  readonly auth: Buffer;
}

const SALT_BYTES = 16;
const HEAD_BYTES = SALT_BYTES + 5;
const POINT_BYTES = 65;
const TAG_BYTES = 16;

/**
 * Decrypts a push as a browser does. Written from RFC 8188 and RFC 8291, not from the encrypting code of the product.
 */
export function decryptPush(body: Buffer, { key, auth }: BrowserKeys): Buffer {
  const salt = body.subarray(0, SALT_BYTES);
  const recordBytes = body.readUInt32BE(SALT_BYTES);
  const keyIdBytes = body.readUInt8(HEAD_BYTES - 1);
  if (keyIdBytes !== POINT_BYTES) throw new Error(`the key of the sender has ${keyIdBytes} bytes`);
  const senderKey = body.subarray(HEAD_BYTES, HEAD_BYTES + POINT_BYTES);
  const record = body.subarray(HEAD_BYTES + POINT_BYTES);
  if (record.length > recordBytes) throw new Error('a push is one record');

  const pseudoRandom = createHmac('sha256', auth).update(key.computeSecret(senderKey)).digest();
  const about = Buffer.concat([Buffer.from('WebPush: info\0'), key.getPublicKey(), senderKey, Buffer.of(1)]);
  const material = createHmac('sha256', pseudoRandom).update(about).digest();
  const derive = (name: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', material, salt, `Content-Encoding: ${name}\0`, bytes));

  const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12));
  decipher.setAuthTag(record.subarray(-TAG_BYTES));
  const padded = Buffer.concat([decipher.update(record.subarray(0, -TAG_BYTES)), decipher.final()]);
  const end = padded.findLastIndex((byte) => byte !== 0);
  if (padded[end] !== 2) throw new Error('the last record of a push ends with 2 and its padding');
  return padded.subarray(0, end);
}

export function createBrowserKeys(privateKey?: Buffer, auth?: Buffer): BrowserKeys {
  const key = createECDH('prime256v1');
  if (privateKey) key.setPrivateKey(privateKey);
  else key.generateKeys();
  return { key, auth: auth ?? key.getPrivateKey().subarray(0, 16) };
}
