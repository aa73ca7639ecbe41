import type { PaymentProvider } from '../../engine/providers/payment-provider.ts';
import type { Scheduler } from '../../engine/runtime/clock.ts';
import { withDeadline } from '../../engine/runtime/deadline.ts';
import type { FaultPoints } from '../../engine/runtime/fault-points.ts';
import type { Log } from '../../engine/runtime/log.ts';
import { isWaiting, type PaymentStep, type PaymentStepStore } from '../../engine/store/payment-step-store.ts';
import type { Answer } from '../../schema/commands.ts';
import type { ErrorCode } from '../../schema/errors.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { OwnerCommand } from '../../schema/owner-command.ts';
import type { ProviderName } from '../../schema/payment.ts';
import { createOutage, type Outage } from '../outage.ts';
import { carryOutStep } from './carry-out-step.ts';

export interface PaymentDeskOptions {
  readonly store: PaymentStepStore;
  readonly providers: Readonly<Partial<Record<ProviderName, PaymentProvider>>>;
  readonly ask: (organizationId: number, command: OwnerCommand) => Promise<Answer>;
  /** See publicUrlOf. */
  readonly publicUrl: string;
  readonly fault: FaultPoints;
  readonly scheduler: Scheduler;
  /** Evenly from 0 up to 1. */
  readonly draw: () => number;
  readonly log: Log;
}

/** What the owner says of a payment that is not there any more: nothing is left to be done. */
const GONE: ReadonlySet<ErrorCode> = new Set(['NOT_FOUND', 'ORGANIZATION_DELETED']);

/**
 * Carries out at the providers what payments need done there, and tells their owners what came of it. Nothing of it is
 * remembered here: what is to be done stands in the payments, when in `payment_attempts`. Each step may be done twice,
 * and by a process that has died halfway. Needs Postgres alone: Redis makes it quicker.
 *
 * States of a step: noted → due → taken on (put off again and again) → carried out → reported → done
 *                                      ↑                          └── failed, or nothing new: due later, never given up
 */
export class PaymentDesk {
  readonly #options: PaymentDeskOptions;
  readonly #looking: Outage;
  readonly #held = new Set<PaymentStep>();
  readonly #working = new Set<Promise<void>>();
  readonly #cancelTimers: readonly (() => void)[];
  #search: Promise<void> | undefined;
  /** A look has just begun; who wants the next one meanwhile shares it with all others who do. */
  #isPausing = false;
  #isWanted = false;
  #isStopped = false;

  constructor(options: PaymentDeskOptions) {
    const { log, scheduler } = options;
    this.#options = options;
    this.#looking = createOutage(log, 'looking for steps of payments');
    this.#cancelTimers = [
      scheduler.every(LIMITS.paymentSweepMs, () => this.#look()),
      scheduler.every(LIMITS.paymentRecountMs, () => this.#enlistAll()),
      scheduler.every(LIMITS.paymentLeaseMs / 3, () => this.#renew()),
    ];
    this.#enlistAll();
    this.#look();
  }

  /** Something has been committed; it may have been a payment. */
  hint(): void {
    this.#look();
  }

  /** Begins no more steps; resolves when those under way have ended, or after LIMITS.paymentDrainMs. */
  async stop(): Promise<void> {
    const { log } = this.#options;
    this.#isStopped = true;
    await this.#search;
    const ended = withDeadline(Promise.all(this.#working), LIMITS.paymentDrainMs, 'finishing steps of payments');
    await ended.catch((error) => log.warn({ err: error }, 'steps of payments are left to the next process'));
    for (const cancel of this.#cancelTimers) cancel();
  }

  #look(): void {
    if (this.#isStopped) return;
    this.#isWanted = this.#isPausing || this.#search !== undefined;
    if (this.#isWanted) return;
    this.#isPausing = true;
    this.#options.scheduler.after(LIMITS.paymentPauseMs, () => {
      this.#isPausing = false;
      if (this.#isWanted) this.#look();
    });
    this.#search = this.#takeOn().finally(() => {
      this.#search = undefined;
      if (this.#isWanted) this.#look();
    });
  }

  async #takeOn(): Promise<void> {
    const { store } = this.#options;
    try {
      await store.enlist('urgent');
      for (let room = this.#freeLanes; room > 0; room = this.#freeLanes) {
        const steps = await store.lease(room);
        for (const step of steps) this.#begin(step);
        if (steps.length < room) break;
      }
      this.#looking.worked();
    } catch (error) {
      if (!this.#isStopped) this.#looking.failed(error);
    }
  }

  get #freeLanes(): number {
    return this.#isStopped ? 0 : LIMITS.paymentStepsAtOnce - this.#working.size;
  }

  #begin(step: PaymentStep): void {
    this.#held.add(step);
    const work = serve(step, this.#options).finally(() => {
      this.#held.delete(step);
      this.#working.delete(work);
      this.#look();
    });
    this.#working.add(work);
  }

  #enlistAll(): void {
    const { store, log } = this.#options;
    store.enlist('all').catch((error) => log.debug({ err: error }, 'payments that wait are noted later'));
  }

  #renew(): void {
    const { store, log } = this.#options;
    if (this.#held.size === 0) return;
    const renewed = store.renew([...this.#held]);
    renewed.catch((error) => log.debug({ err: error }, 'steps of payments may be taken on twice'));
  }
}

/** Never rejects: a step that nobody puts off is due again when its lease runs out. */
async function serve(step: PaymentStep, { store, draw, log, ...options }: PaymentDeskOptions): Promise<void> {
  const { organizationId, paymentId, attempts } = step;
  const context = { organizationId, paymentId, step: step.step, attempts };
  const pauseMs = pauseAfter(step, draw());
  try {
    const isReported = await report(step, options);
    if (!isReported || !(await store.settle(step))) await store.postpone(step, pauseMs, null);
    else log.debug(context, 'a step of a payment is done');
  } catch (error) {
    log.warn({ err: error, ...context, pauseMs }, 'a step of a payment failed; trying again later');
    await store
      .postpone(step, pauseMs, String((error as Error).message))
      .catch((failure) => log.warn({ err: failure, ...context }, 'a step of a payment has to run out'));
  }
}

/** Resolves to whether there was anything to tell the owner, who has taken it then. */
async function report(
  step: PaymentStep,
  { providers, ask, publicUrl, fault }: Pick<PaymentDeskOptions, 'providers' | 'ask' | 'publicUrl' | 'fault'>,
): Promise<boolean> {
  const { organizationId, paymentId } = step;
  const provider = providers[step.provider];
  if (!provider) throw new Error(`there are no settings for the payment provider ${step.provider}`);
  fault('before-provider-call');
  const told = await carryOutStep(provider, step, publicUrl);
  fault('after-provider-call');
  if (!told) return false;
  const answer = await ask(organizationId, { kind: 'settle-payment', paymentId, report: told });
  if (!answer.ok && !GONE.has(answer.refusal.code))
    throw new Error(`the owner of ${organizationId} has not taken a report: ${answer.refusal.code}`);
  fault('after-provider-report');
  return true;
}

/** Milliseconds before the next try: doubling from the first pause to the longest, and spread by a quarter either way. */
export function pauseAfter({ step, attempts }: Pick<PaymentStep, 'step' | 'attempts'>, drawn: number): number {
  const first = isWaiting(step) ? LIMITS.paymentLookMs : LIMITS.paymentFirstPauseMs;
  return Math.min(first * 2 ** (attempts - 1), LIMITS.paymentLongestPauseMs) * (0.75 + drawn / 2);
}
