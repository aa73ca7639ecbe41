import type { Clock, Scheduler } from '../../../engine/runtime/clock.ts';
import type { Config } from '../../../engine/runtime/config.ts';
import type { Log } from '../../../engine/runtime/log.ts';
import { createOutage } from '../../../engine/runtime/outage.ts';
import { readServiceAccount } from '../../../engine/runtime/outbound/service-account.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { Push, SendOutcome } from '../notice.ts';
import { type Answer, createPoster, NoAnswerError, type Poster } from './bounded-post.ts';
import type { DeviceSender } from './device-sender.ts';
import { readFcmError } from './fcm-error.ts';
import { AccessError, createGoogleAccess } from './google-access.ts';
import { later, reasonOf } from './outcome.ts';

export interface FcmOptions extends NonNullable<Config['fcm']> {
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly log: Log;
}

/** Sends through Firebase Cloud Messaging, HTTP v1. Throws ConfigError for a service account that cannot be used. */
export function createFcmSender({ serviceAccount, url, clock, scheduler, log }: FcmOptions): DeviceSender {
  const account = readServiceAccount(serviceAccount);
  const poster = createPoster({ clock, scheduler });
  const access = createGoogleAccess(account, poster, clock);
  const target = new URL(`${url}/v1/projects/${account.projectId}/messages:send`);
  const sending = createOutage(log, 'sending through FCM');

  /** A token that is refused may have been taken back: once more with another one. */
  async function post(body: string, signal: AbortSignal): Promise<Answer> {
    const token = await access.token();
    const answer = await postWith(token, poster, target, body, signal);
    if (answer.status !== 401 || readFcmError(answer.text).code === THIRD_PARTY) return answer;
    access.forget(token);
    return postWith(await access.token(), poster, target, body, signal);
  }

  return {
    async send(token, push, signal) {
      try {
        const answer = await post(JSON.stringify({ message: messageOf(token, push, clock.now()) }), signal);
        const outcome = outcomeOf(answer);
        if (outcome.kind === 'sent') sending.worked();
        else if (outcome.kind === 'later' && isOfAccount(answer)) sending.failed(new Error(outcome.reason));
        return outcome;
      } catch (error) {
        if (error instanceof NoAnswerError) return later(error.message);
        if (!(error instanceof AccessError)) throw error;
        sending.failed(error);
        return later(error.message, error.retryAfterMs);
      }
    },
    stop: () => poster.stop(),
  };
}

/** FCM's own access to Apple is in disorder; another token of ours would change nothing. */
const THIRD_PARTY = 'THIRD_PARTY_AUTH_ERROR';

function postWith(token: string, poster: Poster, url: URL, body: string, signal: AbortSignal): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return poster.post({ url, headers, body }, signal);
}

function messageOf(token: string, { title, body, data, ttlSeconds, urgency, collapseKey }: Push, nowMs: number) {
  const isUrgent = urgency === 'high';
  return {
    token,
    notification: { title, body },
    data,
    android: {
      priority: isUrgent ? 'HIGH' : 'NORMAL',
      ttl: `${ttlSeconds}s`,
      collapse_key: collapseKey,
      notification: { tag: collapseKey },
    },
    apns: {
      headers: {
        'apns-priority': isUrgent ? '10' : '5',
        'apns-expiration': String(Math.floor(nowMs / 1_000) + ttlSeconds),
        'apns-collapse-id': collapseKey,
      },
      payload: { aps: { sound: 'default' } },
    },
  };
}

/** Only FCM's word about the device itself ends its token: a wrong project or account must not cost every token. */
function outcomeOf(answer: Answer): SendOutcome {
  const { status, text, retryAfterMs } = answer;
  if (status >= 200 && status < 300) return { kind: 'sent' };
  const { code, message, isOfToken } = readFcmError(text);
  const reason = reasonOf(`FCM answered ${status} ${code} ${message}`);
  if (isOfToken) return { kind: 'gone', reason };
  if (status === 429) return later(reason, retryAfterMs ?? LIMITS.fcmQuotaPauseMs);
  if (status === 408 || status >= 500 || isOfAccount(answer)) return later(reason, retryAfterMs);
  return { kind: 'refused', reason };
}

/** Faults that the operator must mend, and may mend in time. */
function isOfAccount({ status }: Answer): boolean {
  return status === 401 || status === 403 || status === 404;
}
