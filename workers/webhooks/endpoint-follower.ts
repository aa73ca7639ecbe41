import {
  afterFailure,
  afterSuccess,
  isGivenUp,
  isOnTrial,
  isPaused,
} from '../../engine/domain/outbound/endpoint-circuit.ts';
import { nextAttemptAt } from '../../engine/domain/outbound/retry-schedule.ts';
import { compileWebhookFilter, wantedTypes } from '../../engine/domain/outbound/webhook-filter.ts';
import { type Clock, isoTime } from '../../engine/runtime/clock.ts';
import type { Log } from '../../engine/runtime/log.ts';
import type { LogStore } from '../../engine/store/log/event-log-store.ts';
import type {
  DeliveryStore,
  FirstOutcome,
  FurtherOutcome,
  PendingDelivery,
  ReplayedEvent,
  Settled,
} from '../../engine/store/webhooks/delivery-store.ts';
import type { EndpointKey, LeasedEndpoint } from '../../engine/store/webhooks/follower-store.ts';
import { idOfBody, type LoggedEvent } from '../../schema/events.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { AttemptCounts } from './attempt-counts.ts';
import { healthOf, type KnownEndpoint, knownEndpoint } from './known-endpoint.ts';
import type { OutcomeWriter } from './outcome-writer.ts';
import type { DeliverySender, SendOutcome } from './send-delivery.ts';

export interface FollowerOptions {
  readonly deliveries: DeliveryStore;
  readonly events: Pick<LogStore, 'readAfter'>;
  readonly writer: OutcomeWriter;
  readonly sender: DeliverySender;
  readonly counts: AttemptCounts;
  /** Names this process in what it holds. */
  readonly lease: string;
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly draw: () => number;
  readonly log: Log;
}

/** An event of the log on its way: `first` once its attempt has an outcome, or `isUnwanted`. */
interface OnItsWay {
  readonly sequence: number;
  readonly isUnwanted: boolean;
  first?: FirstOutcome;
}

/**
 * Tells one endpoint what is due: events of the log in their order, and what is to be sent once more. The log is the
 * queue; all that this process remembers may be lost.
 *
 * Invariant: the place in the log that is written never passes an event without an outcome, and at most
 * LIMITS.webhookUnrecorded attempts have been begun whose outcome is not written: so many are sent twice after a crash.
 */
export class EndpointFollower {
  readonly #options: FollowerOptions;
  readonly #key: EndpointKey;
  #known: KnownEndpoint;
  readonly #onTheirWay: OnItsWay[] = [];
  #inFlight = 0;
  #unrecorded = 0;
  /** Writes whose end is not known yet. */
  #writes = 0;
  #failure: { readonly error: unknown } | undefined;
  #isDraining = false;
  #isOver = false;
  #waiting: (() => void)[] = [];

  /** `askedAt`: when the lease was asked for, on the monotonic clock. */
  constructor(endpoint: LeasedEndpoint, askedAt: number, options: FollowerOptions) {
    this.#options = options;
    this.#key = { organizationId: endpoint.webhook.organizationId, webhookId: endpoint.webhook.id };
    this.#known = knownEndpoint(endpoint, askedAt);
  }

  /** The lease was renewed: every fact of the old one is written, and counts no more. Call it between rounds. */
  refresh(endpoint: LeasedEndpoint, askedAt: number): void {
    this.#known = knownEndpoint(endpoint, askedAt);
  }

  /**
   * One round: orders, due retries, and a page of new events. Resolves to whether there was any work, when everything
   * is written; rejects when that is unknown, or when the lease is lost.
   */
  async round(): Promise<boolean> {
    const { clock } = this.#options;
    const ordered = await this.#takeOrders();
    for (const delivery of ordered) await this.#again(delivery);
    // Unwritten deliveries would look due.
    if (ordered.length > 0) await this.#until(() => this.#unrecorded === 0);
    let hasWorked = ordered.length > 0;
    if (this.#isOpen() && this.#known.nextDueMs <= clock.now()) hasWorked = (await this.#sendDue()) || hasWorked;
    if (this.#isOpen()) hasWorked = (await this.#sendNews()) || hasWorked;
    if (this.#isOpen() && !hasWorked && this.#known.hasOrders) hasWorked = await this.#queueReplay();
    await this.#until(() => this.#unrecorded === 0);
    if (this.#failure) throw this.#failure.error;
    return hasWorked;
  }

  /** Keeps the lease while attempts take their time. */
  renew(): void {
    this.#write([], []);
  }

  /** Starts and writes nothing more, and forgets attempts in flight: the next holder sends them again. */
  giveUp(): void {
    this.#isOver = true;
    this.#notify();
  }

  /** It has given up, and nothing more of it will be written. */
  async ended(): Promise<void> {
    this.giveUp();
    while (this.#writes > 0) await this.#notified();
  }

  /** Begins nothing more; resolves when what is under way is written. */
  async finish(): Promise<void> {
    this.#isDraining = true;
    await this.#until(() => this.#unrecorded === 0);
  }

  /** Whether news and retries may go out now. */
  #isOpen(): boolean {
    const isWanted = this.#known.endpoint.isServed && !this.#known.disabled;
    return this.#mayBegin() && isWanted && !isPaused(this.#known.circuit, this.#options.clock.now());
  }

  /** Whether anything may. A process that was stopped meanwhile may have been taken for dead. */
  #mayBegin(): boolean {
    if (this.#options.clock.monotonic() >= this.#known.heldUntil) this.#fail(new LeaseLostError());
    return !this.#isOver && !this.#isDraining;
  }

  /** Whether the lease must be renewed before the next attempt, because the endpoint may have changed. */
  #isOfOld(): boolean {
    return this.#options.clock.monotonic() >= this.#known.askedAt + LIMITS.webhookRefreshMs;
  }

  /** One attempt at a time then, and no more if it fails. */
  #isOnTrial(): boolean {
    return isOnTrial(this.#known.circuit, this.#options.clock.now());
  }

  async #takeOrders(): Promise<readonly PendingDelivery[]> {
    if (!this.#known.hasOrders) return [];
    return this.#options.deliveries.takeOrders(this.#key, this.#options.lease);
  }

  async #sendDue(): Promise<boolean> {
    const most = this.#isOnTrial() ? 1 : LIMITS.webhookDuePage;
    const due = await this.#options.deliveries.readDue(this.#key, most);
    // Later due times are known when the lease is renewed.
    if (due.length < most) this.#known.nextDueMs = Number.POSITIVE_INFINITY;
    for (const delivery of due) {
      if (!this.#isOpen() || this.#isOfOld()) break;
      await this.#again(delivery);
    }
    await this.#until(() => this.#inFlight === 0);
    return due.length > 0;
  }

  async #sendNews(): Promise<boolean> {
    const isWanted = compileWebhookFilter(this.#known.endpoint.webhook);
    const after = this.#known.position;
    const page = await this.#readLog(after);
    if (page.keptAfter > after) {
      const { log } = this.#options;
      log.warn({ ...this.#key, after }, 'retention dropped events before a webhook received them');
    }
    let begun = 0;
    for (const event of page.events) {
      const isUnwanted = !isWanted(event);
      if (!isUnwanted) await this.#room();
      if (!this.#isOpen() || (begun > 0 && this.#isOfOld())) break;
      this.#begin(event, isUnwanted);
      begun += 1;
    }
    await this.#until(() => this.#inFlight === 0);
    // Events may be under way yet, whose place is not to be passed.
    if (this.#isOver) return true;
    if (begun === page.events.length) this.#known.position = Math.max(this.#known.position, page.upTo);
    if (this.#known.position > this.#known.written) this.#write([], []);
    return this.#known.position > after;
  }

  /** Events of types that it wants, and up to where there are no others; bounded in what it looks through. */
  async #readLog(after: number) {
    const { organizationId, events } = this.#known.endpoint.webhook;
    const { webhookPageEvents: limit, webhookWindowEvents: window } = LIMITS;
    const types = wantedTypes(events);
    const page = await this.#options.events.readAfter(organizationId, after, limit, types, window);
    const isWhole = !page.isCut && page.events.length < limit;
    const upTo = isWhole ? Math.min(page.lastSequence, after + window) : page.events.at(-1)!.sequence;
    return { ...page, upTo };
  }

  /** Makes a page of a replay due. */
  async #queueReplay(): Promise<boolean> {
    const { deliveries, lease } = this.#options;
    const order = await deliveries.findReplay(this.#key);
    this.#known.hasOrders = order !== undefined;
    if (!order) return false;
    const isWanted = compileWebhookFilter(this.#known.endpoint.webhook);
    const page = await this.#readLog(order.afterSequence);
    const events = page.events.filter((event) => event.sequence <= order.lastSequence && isWanted(event));
    const replayed = events.map(({ sequence, type, body }): ReplayedEvent => {
      return { eventId: idOfBody(body), type, sequence };
    });
    const upTo = Math.min(page.upTo, order.lastSequence);
    const isQueued = await deliveries.queueReplay(this.#key, lease, order, replayed, upTo);
    if (isQueued) this.#known.nextDueMs = 0;
    // Switched off meanwhile: the order waits.
    else this.#known.hasOrders = false;
    return isQueued;
  }

  #begin(event: LoggedEvent, isUnwanted: boolean): void {
    const onItsWay: OnItsWay = { sequence: event.sequence, isUnwanted };
    this.#onTheirWay.push(onItsWay);
    if (isUnwanted) return this.#advance();
    const { sequence, type, body } = event;
    const id = idOfBody(body);
    this.#attempt(id, body, 1, (settled) => {
      onItsWay.first = { ...settled, eventId: id, type, sequence };
      this.#advance();
    });
  }

  /** A repeat, when there is room. An event outside the log is of the moment, and attempted once. */
  async #again({ id, createdAt, eventId, sequence, attempt, body, orderIds }: PendingDelivery): Promise<void> {
    await this.#room();
    if (!this.#mayBegin()) return;
    const done = (settled: Settled) => {
      const isLast = sequence === null && settled.state === 'pending';
      const end = isLast ? ({ ...settled, state: 'failed', nextAttemptAt: null } as const) : settled;
      this.#write([], [{ ...end, id, createdAt, orderIds }]);
    };
    if (body !== undefined) return this.#attempt(eventId, body, attempt + 1, done);
    const at = isoTime(this.#options.clock.now());
    this.#unrecorded += 1;
    done({
      state: 'failed',
      attempt: { at, status: null, error: 'the event is no longer kept', excerpt: null, durationMs: 0 },
      nextAttemptAt: null,
    });
  }

  #attempt(id: string, body: string, attempt: number, done: (settled: Settled) => void): void {
    const { sender } = this.#options;
    const { webhook, secrets } = this.#known.endpoint;
    this.#inFlight += 1;
    this.#unrecorded += 1;
    sender.send({ url: webhook.url, id, body, secrets }).then(
      (outcome) => {
        this.#inFlight -= 1;
        this.#options.counts.ended(outcome);
        if (!this.#isOver) done(this.#settle(outcome, attempt));
        this.#notify();
      },
      // The outcome is unknown, so the attempt counts as not started.
      (error) => this.#fail(error),
    );
  }

  /** The consequences of an attempt for the delivery, and for the endpoint. */
  #settle(outcome: SendOutcome, attempt: number): Settled {
    const { clock, draw } = this.#options;
    const { atMs, status, error, excerpt, durationMs, retryAfterMs, isSuccess, isGone } = outcome;
    const told = { at: isoTime(atMs), status, error, excerpt, durationMs };
    const nowMs = clock.now();
    if (isSuccess) {
      this.#known.circuit = afterSuccess();
      return { state: 'succeeded', attempt: told, nextAttemptAt: null };
    }
    this.#known.circuit = afterFailure(this.#known.circuit, nowMs, retryAfterMs);
    if (isGone) this.#known.disabled ??= 'gone';
    else if (isGivenUp(this.#known.circuit, nowMs)) this.#known.disabled ??= 'failing';
    const next = nextAttemptAt(attempt, nowMs, retryAfterMs, draw());
    this.#known.nextDueMs = Math.min(this.#known.nextDueMs, next ?? Number.POSITIVE_INFINITY);
    if (next === undefined) return { state: 'failed', attempt: told, nextAttemptAt: null };
    return { state: 'pending', attempt: told, nextAttemptAt: isoTime(next) };
  }

  /** Writes what has an outcome up to the first event that has none. */
  #advance(): void {
    const first: FirstOutcome[] = [];
    for (let next = this.#onTheirWay[0]; next?.isUnwanted || next?.first; next = this.#onTheirWay[0]) {
      this.#onTheirWay.shift();
      this.#known.position = next.sequence;
      if (next.first) first.push(next.first);
    }
    if (first.length > 0) this.#write(first, []);
  }

  #write(first: readonly FirstOutcome[], further: readonly FurtherOutcome[]): void {
    // The next holder starts where this process was, as far as that is written.
    if (this.#isOver) return;
    const { writer, clock } = this.#options;
    this.#writes += 1;
    const askedAt = clock.monotonic();
    this.#known.written = this.#known.position;
    const health = healthOf(this.#known.circuit);
    const outcomes = {
      ...this.#key,
      lastSequence: this.#known.position,
      first,
      further,
      health,
      disabled: this.#known.disabled,
    };
    writer
      .add(outcomes)
      .then(
        (isHeld) => {
          this.#unrecorded -= first.length + further.length;
          if (isHeld) this.#known.heldUntil = Math.max(this.#known.heldUntil, askedAt + LIMITS.webhookLeaseMs);
          else this.#fail(new LeaseLostError());
        },
        (error) => this.#fail(error),
      )
      .finally(() => {
        this.#writes -= 1;
        this.#notify();
      });
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.giveUp();
  }

  /** Waits until one more attempt may begin. */
  #room(): Promise<void> {
    const most = this.#isOnTrial() ? 1 : this.#known.endpoint.webhook.concurrency;
    return this.#until(() => this.#inFlight < most && this.#unrecorded < LIMITS.webhookUnrecorded);
  }

  async #until(isMet: () => boolean): Promise<void> {
    while (!this.#isOver && !isMet()) await this.#notified();
  }

  #notified(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #notify(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

/**
 * Another process has taken the endpoint over, or it has another address or was switched on: what was under way here may
 * be sent twice, and is written once.
 */
export class LeaseLostError extends Error {}
