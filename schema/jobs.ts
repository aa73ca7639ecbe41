import * as v from 'valibot';
import { LIMITS } from './limits.ts';
import { PROVIDER_STEPS } from './money/payment.ts';

interface JobDeclaration {
  /** The payload of a job; any other fails for good before it reaches the processor. */
  readonly payload: v.GenericSchema;
  /** Jobs of this name that one process runs at a time. */
  readonly concurrency: number;
  /** The attempts before a job counts as failed; its producer adds it again while there is work. */
  readonly attempts: number;
  /** The pause before the second run; it doubles with each further one. */
  readonly firstPauseMs: number;
}

const id = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const organizationJob = v.object({ organizationId: id });

/**
 * Every job of the workers. A job is a wake-up: what there is to do stands in Postgres, and doing it twice, or not at
 * all until the next wake-up, changes no result.
 */
export const JOBS = {
  /** Counts an organization's new events into its days (workers/activity.ts). */
  activity: { payload: organizationJob, concurrency: 4, attempts: 5, firstPauseMs: 500 },
  /** Tells an endpoint what is due (workers/webhooks/endpoint-runner.ts). */
  webhooks: {
    payload: v.object({ organizationId: id, webhookId: id }),
    concurrency: LIMITS.webhooksAtOnce,
    attempts: 1,
    firstPauseMs: 1_000,
  },
  /** Mails administrators about disabled webhooks (workers/webhooks/disabled-notices.ts). */
  'webhook-notices': { payload: v.strictObject({}), concurrency: 1, attempts: 1, firstPauseMs: 1_000 },
  /** Gives webhooks that asked for it where agents are (workers/webhooks/position-news.ts). */
  'webhook-positions': { payload: v.strictObject({}), concurrency: 1, attempts: 1, firstPauseMs: 1_000 },
  /** Has a payment's provider do a step that is due (workers/payments/payment-step-runner.ts). */
  'payment-steps': {
    payload: v.object({ organizationId: id, paymentId: id, step: v.picklist(PROVIDER_STEPS) }),
    concurrency: LIMITS.paymentStepsAtOnce,
    attempts: 1,
    firstPauseMs: 1_000,
  },
  /** Finds what a crash has left half done of payments (workers/payments/payment-watch.ts). */
  'payment-reconciliation': { payload: v.strictObject({}), concurrency: 1, attempts: 1, firstPauseMs: 1_000 },
  /** Makes and drops the daily partitions (workers/maintenance/upkeep-processors.ts). */
  partitions: { payload: v.strictObject({}), concurrency: 1, attempts: 10, firstPauseMs: 1_000 },
  /** Merges new customers into the search index (workers/maintenance/upkeep-processors.ts). */
  'search-index': { payload: v.strictObject({}), concurrency: 1, attempts: 1, firstPauseMs: 1_000 },
  /** Empties the stores of deleted organizations (workers/maintenance/organization-deletion.ts). */
  'organization-deletion': { payload: v.strictObject({}), concurrency: 1, attempts: 1, firstPauseMs: 1_000 },
  /** Removes what access has outlived (workers/maintenance/upkeep-processors.ts). */
  'access-upkeep': { payload: v.strictObject({}), concurrency: 1, attempts: 5, firstPauseMs: 1_000 },
} as const satisfies Record<string, JobDeclaration>;

export type JobName = keyof typeof JOBS;
export type JobPayload<N extends JobName> = v.InferOutput<(typeof JOBS)[N]['payload']>;
