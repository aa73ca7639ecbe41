import type { TaskRecord } from '../../../schema/tasks/task.ts';
import type { TrackingToken } from '../../../schema/tasks/tracking.ts';

/** The length of either id: 2^48 are more than there will ever be. */
const ID_BYTES = 6;
const HEAD_BYTES = 2 * ID_BYTES;
const TOKEN = /^([\w-]{16})([\w-]{16,64})$/;

/**
 * The end of a tracking link: the task that it is about, and the secret that opens it. Because it names the task, no
 * index has to know the secrets. Because the random secret masks the ids, no two links have anything in common, and
 * none reveals the number of organizations and tasks. Masked is not encrypted: only the secret protects.
 */
export function trackingTokenOf({
  organizationId,
  id,
  trackingToken: secret,
}: Pick<TaskRecord, 'organizationId' | 'id' | 'trackingToken'>): string {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUIntBE(organizationId, 0, ID_BYTES);
  head.writeUIntBE(id, ID_BYTES, ID_BYTES);
  return `${masked(head, secret).toString('base64url')}${secret}`;
}

/** Undefined for what is no token. One that somebody has made up names a task that has another secret, or none. */
export function findTrackingToken(text: string | undefined): TrackingToken | undefined {
  const [, shown, secret] = TOKEN.exec(text ?? '') ?? [];
  if (shown === undefined || secret === undefined) return undefined;
  const head = masked(Buffer.from(shown, 'base64url'), secret);
  return {
    organizationId: head.readUIntBE(0, ID_BYTES),
    taskId: head.readUIntBE(ID_BYTES, ID_BYTES),
    secret,
  };
}

function masked(head: Buffer, secret: string): Buffer {
  // Backwards from its end: the token would otherwise begin like the secret in it.
  const mask = Buffer.from(secret.slice(-16), 'base64url');
  for (let index = 0; index < HEAD_BYTES; index++) head[index]! ^= mask[HEAD_BYTES - 1 - index]!;
  return head;
}
