import { isWaiting } from '../../engine/domain/money/provider-steps.ts';
import type { PaymentProvider } from '../../engine/providers/payment-provider.ts';
import { warnOfReport } from '../../engine/providers/warn-of-report.ts';
import type { Scheduler } from '../../engine/runtime/clock.ts';
import { withDeadline } from '../../engine/runtime/deadline.ts';
import type { FaultPoints } from '../../engine/runtime/fault-points.ts';
import type { Log } from '../../engine/runtime/log.ts';
import type { PaymentStep, PaymentStepStore, StepKey } from '../../engine/store/payments/payment-step-store.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { ProviderName } from '../../schema/money/payment.ts';
import { carryOutStep } from './carry-out-step.ts';
import { type AskOwner, reportToOwner } from './report-to-owner.ts';

export interface PaymentStepRunnerOptions {
  readonly store: Pick<PaymentStepStore, 'lease' | 'renew' | 'settle' | 'postpone'>;
  readonly providers: Readonly<Partial<Record<ProviderName, PaymentProvider>>>;
  readonly ask: AskOwner;
  /** See publicUrlOf. */
  readonly publicUrl: string;
  readonly fault: FaultPoints;
  readonly scheduler: Scheduler;
  /** Evenly from 0 up to 1. */
  readonly draw: () => number;
  /** There is a lane again for a step that may be waiting for one. */
  readonly onFreed: () => void;
  readonly log: Log;
}

/** The results of this process since its start; `waiting`: there was no news, or it needs another look. */
export type StepCounts = Record<'done' | 'waiting' | 'failed', number>;

/**
 * Carries out the steps of payments at providers, and reports the results to their owners. It remembers nothing: the
 * payments name the steps, `payment_attempts` their times. Each step may be done twice, also by a process that has died
 * halfway; the lease of its row makes this rare.
 * States of a step: due → leased (renewed again and again) → carried out → reported → done; carried out → failed, or
 * without news: due later, never given up.
 */
export class PaymentStepRunner {
  readonly counts: StepCounts = { done: 0, waiting: 0, failed: 0 };
  readonly #options: PaymentStepRunnerOptions;
  readonly #held = new Set<PaymentStep>();
  readonly #working = new Set<Promise<void>>();
  /** Steps under way by their organizations; those without any are not here. */
  readonly #lanes = new Map<number, number>();
  readonly #cancelRenewal: () => void;
  #stopping: Promise<void> | undefined;

  constructor(options: PaymentStepRunnerOptions) {
    this.#options = options;
    this.#cancelRenewal = options.scheduler.every(LIMITS.paymentLeaseMs / 3, () => this.#renew());
  }

  /**
   * Carries a step out if it is due, nobody is at it, and there is a lane for it here; else it stays as it is, for the
   * next look. Resolves when it has ended, or when `signal` has stopped the runner. Rejects while Postgres is away.
   */
  async serve(key: StepKey, signal?: AbortSignal): Promise<void> {
    if (this.#stopping || signal?.aborted || this.#isFull || this.#isFullFor(key.organizationId)) return;
    const work = this.#leaseAndServe(key).finally(() => {
      this.#working.delete(work);
      this.#options.onFreed();
    });
    this.#working.add(work);
    if (!signal) return work;
    let onAbort = () => {};
    const stopped = new Promise<void>((resolve, reject) => {
      onAbort = () => this.stop().then(resolve, reject);
    });
    signal.addEventListener('abort', onAbort, { once: true });
    await Promise.race([work, stopped]).finally(() => signal.removeEventListener('abort', onAbort));
  }

  /** The organizations that have as many steps under way here as they may. */
  fullOrganizations(): number[] {
    return [...this.#lanes.keys()].filter((organizationId) => this.#isFullFor(organizationId));
  }

  /** Begins no more steps; resolves when those under way have ended, or after LIMITS.paymentDrainMs. */
  stop(): Promise<void> {
    this.#stopping ??= this.#drain();
    return this.#stopping;
  }

  async #drain(): Promise<void> {
    const { log } = this.#options;
    const ended = withDeadline(Promise.allSettled(this.#working), LIMITS.paymentDrainMs, 'finishing steps of payments');
    await ended.catch((error) => log.warn({ err: error }, 'steps of payments are left to the next process'));
    this.#cancelRenewal();
  }

  get #isFull(): boolean {
    return this.#working.size >= LIMITS.paymentStepsAtOnce;
  }

  #isFullFor(organizationId: number): boolean {
    return (this.#lanes.get(organizationId) ?? 0) >= LIMITS.paymentStepsPerOrganization;
  }

  async #leaseAndServe(key: StepKey): Promise<void> {
    const { organizationId } = key;
    this.#lanes.set(organizationId, (this.#lanes.get(organizationId) ?? 0) + 1);
    try {
      const step = await this.#options.store.lease(key);
      if (step) await this.#hold(step);
    } finally {
      const others = this.#lanes.get(organizationId)! - 1;
      if (others > 0) this.#lanes.set(organizationId, others);
      else this.#lanes.delete(organizationId);
    }
  }

  async #hold(step: PaymentStep): Promise<void> {
    this.#held.add(step);
    this.counts[await serveStep(step, this.#options)] += 1;
    this.#held.delete(step);
  }

  #renew(): void {
    const { store, log } = this.#options;
    if (this.#held.size === 0) return;
    const renewed = store.renew([...this.#held]);
    renewed.catch((error) => log.debug({ err: error }, 'steps of payments may be taken on twice'));
  }
}

/** Never rejects: a step that nobody puts off is due again when its lease runs out. */
async function serveStep(step: PaymentStep, options: PaymentStepRunnerOptions): Promise<keyof StepCounts> {
  const { store, draw, log } = options;
  const { organizationId, paymentId, attempts } = step;
  const context = { organizationId, paymentId, step: step.step, attempts };
  const pauseMs = pauseAfter(step, draw());
  try {
    const isReported = await report(step, options);
    if (isReported && (await store.settle(step))) {
      log.debug(context, 'a step of a payment is done');
      return 'done';
    }
    await store.postpone(step, pauseMs, null);
    return 'waiting';
  } catch (error) {
    log.warn({ err: error, ...context, pauseMs }, 'a step of a payment failed; trying again later');
    await store
      .postpone(step, pauseMs, String((error as Error).message))
      .catch((failure) => log.warn({ err: failure, ...context }, 'a step of a payment has to run out'));
    return 'failed';
  }
}

/** Resolves to whether there was anything to tell the owner, who has taken it then. */
async function report(
  step: PaymentStep,
  { providers, ask, publicUrl, fault, log }: PaymentStepRunnerOptions,
): Promise<boolean> {
  const { organizationId, paymentId } = step;
  const provider = providers[step.provider];
  if (!provider) throw new Error(`there are no settings for the payment provider ${step.provider}`);
  fault('before-provider-call');
  const told = await carryOutStep(provider, step, publicUrl);
  fault('after-provider-call');
  if (!told) return false;
  const news = { organizationId, paymentId, report: told };
  warnOfReport(log, news, await reportToOwner(ask, news));
  fault('after-provider-report');
  return true;
}

/** Milliseconds before the next try: doubling from the first pause to the longest, and spread by a quarter either way. */
export function pauseAfter({ step, attempts }: Pick<PaymentStep, 'step' | 'attempts'>, drawn: number): number {
  const first = isWaiting(step) ? LIMITS.paymentLookMs : LIMITS.paymentFirstPauseMs;
  return Math.min(first * 2 ** (attempts - 1), LIMITS.paymentLongestPauseMs) * (0.75 + drawn / 2);
}
