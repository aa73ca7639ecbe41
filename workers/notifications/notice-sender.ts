import {
  isMail,
  maskedAddress,
  type NoticeReason,
  noticePause,
  reasonToDrop,
} from '../../engine/domain/outbound/notices.ts';
import { type Clock, isoTime, type Scheduler, sleep } from '../../engine/runtime/clock.ts';
import { withDeadline } from '../../engine/runtime/deadline.ts';
import type { FaultPoints } from '../../engine/runtime/fault-points.ts';
import type { Log } from '../../engine/runtime/log.ts';
import { createOutage, type Outage } from '../../engine/runtime/outage.ts';
import type {
  LeasedNotice,
  NoticeEnd,
  NoticeRoom,
  NoticeStore,
} from '../../engine/store/notifications/notice-store.ts';
import { trackingUrlOf } from '../../engine/views/parts/tracking-url.ts';
import { letterheadOf } from '../../schema/accounts/letterhead.ts';
import { LIMITS } from '../../schema/limits.ts';
import { type NoticeStatus, noticeIdOf } from '../../schema/notices/notification.ts';
import { customerMailOf } from './customer-mail.ts';
import { isRefusedForGood, NoAnswerError, type SendMail } from './mail-transport.ts';
import { faultOf } from './mailer.ts';
import type { NoticeFacts, PushSender, SendOutcome } from './notice.ts';
import { pushOf } from './notice-words.ts';

export interface NoticeSenderOptions {
  readonly store: NoticeStore;
  readonly pushes: Pick<PushSender, 'send'>;
  readonly sendMail: SendMail;
  /** See publicUrlOf. */
  readonly publicUrl: string;
  readonly fault: FaultPoints;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  /** Evenly from 0 up to 1. */
  readonly draw: () => number;
  readonly log: Log;
}

/** The results of this process since its start. */
export type NoticeCounts = Record<Exclude<NoticeStatus, 'pending'> | 'postponed' | 'gone', number>;

/**
 * Sends notices. The rows are the truth: a sender leases a row, sends it, and writes the outcome. A process that dies
 * between the last two leaves it to be sent once more, under the same id. Nothing here needs Redis.
 * States of a notice: due → leased → sent | failed | dropped, because its reason has passed; leased → due later, with
 * growing pauses, until it is of no use.
 */
export class NoticeSender {
  readonly counts: NoticeCounts = { sent: 0, failed: 0, dropped: 0, postponed: 0, gone: 0 };
  readonly #options: NoticeSenderOptions;
  readonly #looking: Outage;
  /** Those under way, and their ends. */
  readonly #working = new Map<LeasedNotice, Promise<void>>();
  readonly #stopLooking: () => void;
  #search: Promise<void> | undefined;
  #isWanted = false;
  #isStopped = false;

  constructor(options: NoticeSenderOptions) {
    const { log, scheduler } = options;
    this.#options = options;
    this.#looking = createOutage(log, 'looking for notices to send');
    this.#stopLooking = scheduler.every(LIMITS.noticeSweepMs, () => this.look());
    this.look();
  }

  /** There may be something to send. */
  look(): void {
    this.#isWanted = this.#search !== undefined;
    if (this.#isStopped || this.#isWanted) return;
    // Endings and arrivals in the meantime share the next look.
    const pause = () => sleep(LIMITS.noticeLookPauseMs);
    this.#search = this.#takeOn()
      .then(pause)
      .finally(() => {
        this.#search = undefined;
        if (this.#isWanted) this.look();
      });
  }

  /** Notices that are being sent. */
  get size(): number {
    return this.#working.size;
  }

  /** Takes on nothing more; resolves when what is under way is settled, or after LIMITS.noticeDrainMs. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopLooking();
    await this.#search;
    const ended = withDeadline(Promise.all(this.#working.values()), LIMITS.noticeDrainMs, 'finishing notices');
    await ended.catch((error) => this.#options.log.warn({ err: error }, 'notices are left to the next process'));
  }

  async #takeOn(): Promise<void> {
    const { store } = this.#options;
    try {
      for (let room = this.#room; room.push + room.mail > 0; room = this.#room) {
        const notices = await store.lease(room, this.#working.keys());
        this.#looking.worked();
        for (const notice of notices) this.#begin(notice);
        if (notices.length < room.push + room.mail) return;
      }
    } catch (error) {
      if (!this.#isStopped) this.#looking.failed(error);
    }
  }

  get #room(): NoticeRoom {
    if (this.#isStopped) return { push: 0, mail: 0 };
    const held = { push: 0, mail: 0 };
    for (const { channel } of this.#working.keys()) held[channel] += 1;
    return { push: LIMITS.noticePushesAtOnce - held.push, mail: LIMITS.noticeMailsAtOnce - held.mail };
  }

  #begin(notice: LeasedNotice): void {
    const work = this.#serve(notice).finally(() => {
      this.#working.delete(notice);
      this.look();
    });
    this.#working.set(notice, work);
  }

  /** Never rejects: a notice of which nothing could be written is due again when its lease runs out. */
  async #serve(notice: LeasedNotice): Promise<void> {
    const { clock, fault, log } = this.#options;
    const { organizationId, id, kind, attempts } = notice;
    try {
      const dropped = reasonToDrop(reasonOf(notice), isoTime(clock.now()));
      if (dropped !== undefined) return await this.#settle(notice, { status: 'dropped', reason: dropped });
      fault('before-notice-sent');
      const outcome = await this.#send(notice);
      fault('after-notice-sent');
      await this.#conclude(notice, outcome);
    } catch (error) {
      log.warn({ err: error, organizationId, id, kind, attempts }, 'a notice waits for its lease to end');
    }
  }

  async #send(notice: LeasedNotice): Promise<SendOutcome> {
    const signal = AbortSignal.timeout(LIMITS.noticeSendMs);
    try {
      return await (isMail(notice.kind) ? this.#mail(notice) : this.#push(notice, signal));
    } catch (error) {
      if (signal.aborted) return { kind: 'later', reason: `no answer within ${LIMITS.noticeSendMs / 1_000} s` };
      throw error;
    }
  }

  #push(notice: LeasedNotice, signal: AbortSignal): Promise<SendOutcome> {
    const facts = this.#factsOf(notice);
    const { kind } = facts;
    if (isMail(kind)) throw new Error(`${kind} is no push`);
    const ttlSeconds = Math.max(1, Math.ceil((Date.parse(notice.expiresAt) - this.#options.clock.now()) / 1_000));
    const device = { platform: notice.platform!, token: notice.token! };
    return this.#options.pushes.send(device, pushOf({ ...facts, kind }, noticeIdOf(notice), ttlSeconds), signal);
  }

  async #mail(notice: LeasedNotice): Promise<SendOutcome> {
    const { organizationId, templates, email } = notice;
    const facts = this.#factsOf(notice);
    const { kind } = facts;
    if (!isMail(kind)) throw new Error(`${kind} is no mail`);
    const mail = customerMailOf({ ...facts, kind }, templates);
    try {
      await this.#options.sendMail({
        organizationId,
        purpose: 'tracking',
        to: email!,
        ...mail,
        id: noticeIdOf(notice),
      });
    } catch (error) {
      // Rather none than a second one: it says nothing that the customer cannot do without.
      if (error instanceof NoAnswerError) return { kind: 'sent' };
      return { kind: isRefusedForGood(error) ? 'refused' : 'later', reason: faultOf(error).message };
    }
    return { kind: 'sent' };
  }

  #factsOf(notice: LeasedNotice): NoticeFacts {
    const { organizationId, kind, customerName, taskId: id, address, trackingToken } = notice;
    return {
      kind,
      letterhead: letterheadOf({ name: notice.organizationName, settings: notice.organizationSettings }),
      customerName,
      now: isoTime(this.#options.clock.now()),
      task: {
        ...{ id, code: notice.taskCode ?? '', name: notice.taskName ?? '', status: notice.taskStatus ?? '', address },
        trackingUrl:
          trackingToken === null
            ? null
            : `${this.#options.publicUrl}${trackingUrlOf({ organizationId, id, trackingToken })}`,
        etaAt: notice.etaAt,
        timeWindowStart: notice.windowStart,
        timeWindowEnd: notice.windowEnd,
      },
    };
  }

  async #conclude(notice: LeasedNotice, outcome: SendOutcome): Promise<void> {
    const { store, clock, draw, log } = this.#options;
    const { organizationId, id, kind, attempts, email } = notice;
    const address = email === null ? {} : { address: maskedAddress(email) };
    if (outcome.kind === 'sent') return this.#settle(notice, { status: 'sent', ...address });
    const { reason } = outcome;
    if (outcome.kind === 'later') {
      const pauseMs = Math.max(noticePause(attempts, draw()), outcome.afterMs ?? 0);
      if (clock.now() + pauseMs < Date.parse(notice.expiresAt)) {
        await store.postpone(notice, pauseMs, reason);
        this.counts.postponed += 1;
        log.debug({ organizationId, id, kind, attempts, pauseMs, reason }, 'a notice is tried again later');
        return;
      }
    }
    const isTokenGone = outcome.kind === 'gone';
    if (isTokenGone) this.counts.gone += 1;
    else log.warn({ organizationId, id, kind, attempts, reason }, 'a notice could not be sent');
    await this.#settle(notice, { status: 'failed', reason, isTokenGone, ...address });
  }

  async #settle(notice: LeasedNotice, end: NoticeEnd): Promise<void> {
    await this.#options.store.settle(notice, end);
    this.counts[end.status] += 1;
  }
}

function reasonOf(notice: LeasedNotice): NoticeReason {
  return { ...notice, hasDevice: notice.token !== null, hasAddress: notice.email !== null };
}
