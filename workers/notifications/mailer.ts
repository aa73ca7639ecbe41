import { maskedAddress } from '../../engine/domain/outbound/notices.ts';
import type { Clock, Scheduler } from '../../engine/runtime/clock.ts';
import type { Log } from '../../engine/runtime/log.ts';
import { createOutage } from '../../engine/runtime/outage.ts';
import type { MailRequest, MailStore } from '../../engine/store/accounts/mail-store.ts';
import { LIMITS } from '../../schema/limits.ts';
import { accountMailOf } from './account-mail.ts';
import { isRefusedForGood, NoAnswerError, type SendMail } from './mail-transport.ts';

export interface MailerOptions {
  readonly store: MailStore;
  readonly send: SendMail;
  /** See publicUrlOf. */
  readonly publicUrl: string;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly log: Log;
}

/** The results of this process since its start. */
export type MailCounts = Record<'sent' | 'postponed' | 'held_back' | 'given_up', number>;

export interface Mailer {
  readonly counts: Readonly<MailCounts>;
  /** Resolves when what was being sent is sent, or has failed. */
  stop(): Promise<void>;
}

/**
 * Sends the mails that were asked for. The rows are the truth: a worker leases one, makes the token, sends it and deletes
 * the row. One that dies on the way leaves the row to be due again, and the next mail carries a token of its own. Nothing
 * of it needs Redis.
 *
 * States of a request: due → leased → sent, or addressed to nobody (deleted) | failed, or the organization has had its
 * mails of the hour (due again, later) | without an answer (due again, once) | given up.
 */
export function startMailer(options: MailerOptions): Mailer {
  const { store, scheduler, log } = options;
  const looking = createOutage(log, 'looking for mails to send');
  const sending = new Set<Promise<void>>();
  let search: Promise<void> | undefined;
  let isStopped = false;
  const counts: MailCounts = { sent: 0, postponed: 0, held_back: 0, given_up: 0 };

  function begin(request: MailRequest): void {
    const work = deliver(request, options, counts)
      .catch((error) => log.warn({ err: error, purpose: request.purpose }, 'a mail waits for its lease to end'))
      .finally(() => {
        sending.delete(work);
        look();
      });
    sending.add(work);
  }

  async function takeOn(): Promise<void> {
    try {
      for (let room = freeLanes(); room > 0; room = freeLanes()) {
        const requests = await store.lease(room);
        looking.worked();
        for (const request of requests) begin(request);
        if (requests.length < room) return;
      }
    } catch (error) {
      if (!isStopped) looking.failed(error);
    }
  }

  function freeLanes(): number {
    return isStopped ? 0 : LIMITS.mailsAtOnce - sending.size;
  }

  function look(): void {
    search ??= takeOn().finally(() => {
      search = undefined;
    });
  }

  look();
  const stopLooking = scheduler.every(LIMITS.mailSweepMs, look);
  return {
    counts,
    async stop() {
      isStopped = true;
      stopLooking();
      await search;
      await Promise.all(sending);
    },
  };
}

/** An error with the fields that nodemailer adds. */
interface MailFault extends Error {
  readonly code?: string | undefined;
  readonly responseCode?: number | undefined;
  readonly command?: string | undefined;
}

async function deliver(
  request: MailRequest,
  { store, send, publicUrl, clock, log }: MailerOptions,
  counts: MailCounts,
): Promise<void> {
  const { purpose, attempts } = request;
  const issued = await store.issueToken(request, clock.now());
  if (!issued) return store.settle(request);
  const { organizationId, email, token } = issued;
  const isLost = clock.now() - Date.parse(request.requestedAt) >= LIMITS.mailPatienceMs;
  if (token === undefined) {
    if (isLost) return giveUp({ why: 'the organization has too many' });
    log.warn({ organizationId, purpose }, 'an organization has had its mails of this hour; the others wait');
    counts.held_back += 1;
    return store.holdBack(request, organizationId);
  }
  try {
    await send({ organizationId, purpose, to: email, ...accountMailOf(purpose, { ...issued, token, publicUrl }) });
  } catch (error) {
    if (error instanceof NoAnswerError) return afterNoAnswer(error, token);
    // Tries of one mail do not use up what the user may be sent.
    await store.withdrawToken(token);
    if (isLost || isRefusedForGood(error)) return giveUp({ fault: faultOf(error) });
    log.warn({ fault: faultOf(error), purpose, attempts }, 'a mail could not be sent; trying again later');
    counts.postponed += 1;
    return store.postpone(request, pauseAfter(attempts));
  }
  counts.sent += 1;
  await store.settle(request);

  /** The link stays good, since it may have arrived. One more mail makes sure of it, and no third one follows. */
  async function afterNoAnswer(error: unknown, link: string): Promise<void> {
    const isLast = await store.mayHaveSent(request, link);
    counts[isLast ? 'sent' : 'postponed'] += 1;
    log.warn(
      { fault: faultOf(error), purpose, attempts, isLast },
      'a mail may have arrived: its server gave no answer',
    );
    await (isLast ? store.settle(request) : store.postpone(request, pauseAfter(attempts)));
  }

  async function giveUp(reason: object): Promise<void> {
    counts.given_up += 1;
    log.error({ ...reason, organizationId, purpose, attempts }, 'a mail is given up');
    await store.settle(request);
  }
}

/** An error of the mail server as the log may show it. Its text and its fields repeat the addresses of users. */
export function faultOf(error: unknown): Pick<MailFault, 'message' | 'code' | 'responseCode' | 'command'> {
  const { message, code, responseCode, command } = (error instanceof NoAnswerError ? error.cause : error) as MailFault;
  return { message: message.replaceAll(/[^\s<>"']+@[^\s<>"']+/g, maskedAddress), code, responseCode, command };
}

/** Milliseconds before the next try: doubling from the first pause to the longest. */
export function pauseAfter(attempts: number): number {
  return Math.min(LIMITS.mailFirstPauseMs * 2 ** (attempts - 1), LIMITS.mailLongestPauseMs);
}
