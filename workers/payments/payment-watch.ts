import type { Scheduler } from '../../engine/runtime/clock.ts';
import { withDeadline } from '../../engine/runtime/deadline.ts';
import type { Log } from '../../engine/runtime/log.ts';
import { createOutage, type Outage, RedisAwayError } from '../../engine/runtime/outage.ts';
import type { DueStep, PaymentStepStore } from '../../engine/store/payments/payment-step-store.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { JobRunner } from '../job-runner.ts';
import type { PaymentStepRunner } from './payment-step-runner.ts';

export interface PaymentWatchOptions {
  readonly store: Pick<PaymentStepStore, 'enlist' | 'findDue'>;
  readonly runner: Pick<PaymentStepRunner, 'serve' | 'fullOrganizations'>;
  readonly scheduler: Scheduler;
  readonly log: Log;
}

/**
 * Sees to it that every step that is due is taken on. Hints make it quick, a sweep by each process finds what they
 * missed; what is found becomes jobs, one for each try of a step, for whichever process has a place. A job that Redis
 * has lost is added again by the next sweep, and one too many finds nothing due.
 *
 * While Redis is away, or there is no runner yet, this process carries out what it finds; so do all others, and the
 * leases keep them apart.
 *
 * States: idle → looking → pausing → idle; asked for meanwhile, it looks once more.
 */
export class PaymentWatch {
  readonly #options: PaymentWatchOptions;
  readonly #looking: Outage;
  readonly #adding: Outage;
  readonly #cancelTimers: readonly (() => void)[];
  #runner: Pick<JobRunner, 'add'> | undefined;
  #search: Promise<void> | undefined;
  /** A look has just begun; who wants the next one meanwhile shares it with all others who do. */
  #isPausing = false;
  #isWanted = false;
  #isStopped = false;
  /** The last steps were carried out here, because Redis was away. */
  #isAlone = true;

  constructor(options: PaymentWatchOptions) {
    const { scheduler, log } = options;
    this.#options = options;
    this.#looking = createOutage(log, 'looking for steps of payments');
    this.#adding = createOutage(log, 'adding jobs for steps of payments');
    this.#cancelTimers = [
      scheduler.every(LIMITS.paymentSweepMs, () => this.look()),
      scheduler.every(LIMITS.paymentReconciliationMs, () => {
        if (this.#isAlone) this.reconcile().catch((error) => this.#looking.failed(error));
      }),
    ];
    this.reconcile().catch((error) => this.#looking.failed(error));
  }

  /** From now on steps become jobs of this runner. */
  follow(runner: Pick<JobRunner, 'add'>): void {
    this.#runner = runner;
  }

  /** Something may be due. */
  look(): void {
    if (this.#isStopped) return;
    this.#isWanted = this.#isPausing || this.#search !== undefined;
    if (this.#isWanted) return;
    this.#isPausing = true;
    this.#options.scheduler.after(LIMITS.paymentPauseMs, () => {
      this.#isPausing = false;
      if (this.#isWanted) this.look();
    });
    this.#search = this.#beginDue().finally(() => {
      this.#search = undefined;
      if (this.#isWanted) this.look();
    });
  }

  /**
   * Compares all payments that have a step with what is noted of them, and notes what a crash has left out; then looks.
   * A job does it for all processes (`payment-reconciliation`), and each for itself while Redis is away.
   */
  async reconcile(): Promise<void> {
    await this.#options.store.enlist('all');
    this.look();
  }

  /** Announces nothing more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const cancel of this.#cancelTimers) cancel();
    await this.#search;
  }

  /** A few of each organization at a time, so that none waits behind another's. */
  async #beginDue(): Promise<void> {
    const { store, runner } = this.#options;
    try {
      await store.enlist('urgent');
      const passed = new Set(runner.fullOrganizations());
      let isRedisAway = false;
      for (let page = 0; page < LIMITS.paymentPagesPerLook && !this.#isStopped; page += 1) {
        const due = await store.findDue([...passed]);
        if (due.length === 0) break;
        isRedisAway ||= !(await this.#addJobs(due));
        for (const step of due) {
          passed.add(step.organizationId);
          if (isRedisAway) runner.serve(step).catch((error) => this.#looking.failed(error));
        }
      }
      this.#looking.worked();
    } catch (error) {
      if (!this.#isStopped) this.#looking.failed(error);
    }
  }

  /** False when Redis takes no jobs. */
  async #addJobs(due: readonly DueStep[]): Promise<boolean> {
    try {
      if (!this.#runner) throw new RedisAwayError('no jobs yet');
      // A Redis that hangs is away, too.
      await withDeadline(this.#runner.add('payment-steps', due.map(jobOf)), LIMITS.paymentAnnounceMs, 'adding jobs');
      this.#isAlone = false;
      this.#adding.worked();
    } catch (error) {
      this.#isAlone = true;
      this.#adding.failed(error);
    }
    return !this.#isAlone;
  }
}

/** One for each try: the job of a worker that has died keeps its id for a while, and must not stand in the way. */
function jobOf({ organizationId, paymentId, step, attempts }: DueStep) {
  return { id: `${organizationId}-${paymentId}-${step}-${attempts}`, payload: { organizationId, paymentId, step } };
}
