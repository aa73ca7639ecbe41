import webPush from 'web-push';
import type { Clock, Scheduler } from '../../../engine/runtime/clock.ts';
import { createCheckedConnector, ForbiddenAddressError } from '../../../engine/runtime/outbound/checked-connector.ts';
import { createHostResolver } from '../../../engine/runtime/outbound/resolve-host.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { findSubscription } from '../../../schema/notices/push-subscription.ts';
import type { Push, SendOutcome } from '../notice.ts';
import { type Answer, createPoster, NoAnswerError } from './bounded-post.ts';
import type { DeviceSender } from './device-sender.ts';
import { later, reasonOf } from './outcome.ts';

/** Our identity at push services (RFC 8292): an address to write to, and a key pair of P-256 in base64url. */
export interface VapidKeys {
  readonly subject: string;
  readonly publicKey: string;
  readonly privateKey: string;
}

export interface WebPushOptions {
  readonly vapid: VapidKeys;
  /** Whether push services may be on this machine or its network. */
  readonly allowPrivate: boolean;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  /** A certificate to trust instead of the usual authorities. */
  readonly ca?: string | undefined;
}

/**
 * Sends through the push services that browsers have chosen: encrypted for the browser alone (RFC 8291), signed by us
 * (RFC 8292). A token is the text of a PushSubscription, so its endpoint is an address of a stranger's choice.
 */
export function createWebPushSender(options: WebPushOptions): DeviceSender {
  const { vapid, allowPrivate, clock, scheduler, ca } = options;
  const resolve = createHostResolver(allowPrivate);
  const connect = createCheckedConnector({ allowPrivate, resolve, timeoutMs: LIMITS.pushTimeoutMs, ca });
  const poster = createPoster({ clock, scheduler, connect });

  return {
    async send(token, push, signal) {
      const subscription = findSubscription(token);
      if (!subscription) return { kind: 'gone', reason: 'the subscription cannot be read' };
      const payload = payloadOf(push);
      if (Buffer.byteLength(payload) > LIMITS.webPushBytes) return { kind: 'refused', reason: 'the push is too long' };
      const { p256dh, auth } = subscription.keys;
      const url = new URL(subscription.endpoint);
      try {
        const { cipherText } = webPush.encrypt(p256dh, auth, payload, ENCODING);
        return outcomeOf(await poster.post({ url, headers: headersOf(url, push, vapid), body: cipherText }, signal));
      } catch (error) {
        if (!(error instanceof NoAnswerError)) throw error;
        const isForbidden = error.cause instanceof ForbiddenAddressError;
        return isForbidden ? { kind: 'refused', reason: error.message } : later(error.message);
      }
    },
    stop: () => poster.stop(),
  };
}

const ENCODING = 'aes128gcm';
/** A private key of P-256 has so many. */
const KEY_BYTES = 32;

/** The message that a service worker gets. */
function payloadOf({ title, body, collapseKey, data }: Push): string {
  return JSON.stringify({ title, body, tag: collapseKey, data });
}

/** The signature is valid for this origin alone: its receiver can send nothing elsewhere in our name. */
function headersOf({ origin }: URL, { ttlSeconds, urgency, collapseKey }: Push, vapid: VapidKeys) {
  const { subject, publicKey } = vapid;
  return {
    authorization: webPush.getVapidHeaders(origin, subject, publicKey, wholeKey(vapid), ENCODING).Authorization,
    'content-encoding': ENCODING,
    'content-type': 'application/octet-stream',
    ttl: String(ttlSeconds),
    urgency,
    topic: collapseKey,
  };
}

/** With the zeros at its beginning, which Node leaves out of one key in 256 that it makes: the signer refuses those. */
function wholeKey({ privateKey }: VapidKeys): string {
  const key = Buffer.from(privateKey, 'base64url');
  return Buffer.concat([Buffer.alloc(Math.max(0, KEY_BYTES - key.length)), key]).toString('base64url');
}

function outcomeOf({ status, retryAfterMs, text }: Answer): SendOutcome {
  if (status >= 200 && status < 300) return { kind: 'sent' };
  // RFC 8030 §7.3 has 404 for a subscription that has ended; services answer 410 as well.
  if (status === 404 || status === 410) return { kind: 'gone', reason: `the push service answered ${status}` };
  const reason = reasonOf(`the push service answered ${status} ${text}`);
  const isForNow = status === 408 || status === 429 || status >= 500;
  return isForNow ? later(reason, retryAfterMs) : { kind: 'refused', reason };
}
