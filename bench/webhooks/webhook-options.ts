import { WEBHOOK_LIMITS } from '../../schema/limits/webhook-limits.ts';
import { optionalText, readOptions, usageError, wholeNumber } from '../command-line.ts';

export interface WebhookOptions {
  readonly organizations: number;
  /** In all. */
  readonly webhooks: number;
  /** First attempts of one webhook under way at a time. */
  readonly concurrency: number;
  /** In all, of one round. */
  readonly deliveries: number;
  readonly rounds: number;
  /** Deliveries a second in the second part. */
  readonly steadyRate: number;
  /** At a steady rate, in the second part. */
  readonly seconds: number;
  readonly warmUpSeconds: number;
  /** The file for every single run as JSON, beside the printed report. */
  readonly jsonFile: string | undefined;
}

const USAGE = `Usage: npm run bench -- webhooks [options]

Deliveries of one workers process to a sink on this machine: a log that is full when it starts, in turn with bare BullMQ,
whose jobs do nothing; then the delay from commit to arrival at a steady rate, half of the one that is our goal.

  --organizations 8     each with as many events in its log
  --webhooks 32         in all; every one gets each event of its organization
  --concurrency 1       deliveries of one webhook under way at a time; with 1 they keep the order of the log
  --deliveries 64000    of one round, in all
  --rounds 3            how often it is measured, in turn; fewer than 3 are void
  --steady-rate 1250    deliveries a second in the second part, of tasks that are made meanwhile
  --seconds 15          length of its measured window; less than 10 is void
  --warm-up 3           seconds of the same before it
  --json <file>         also write every single run there`;

/** Throws UsageError, which shows the usage, for anything that it does not understand. */
export function parseWebhookOptions(args: readonly string[]): WebhookOptions {
  const { values } = readOptions(args, USAGE, {
    organizations: wholeNumber(8, 1_000),
    webhooks: wholeNumber(32, WEBHOOK_LIMITS.webhooksPerOrganization),
    concurrency: wholeNumber(1, WEBHOOK_LIMITS.webhookConcurrency),
    deliveries: wholeNumber(64_000, 10_000_000),
    rounds: wholeNumber(3, 100),
    'steady-rate': wholeNumber(1_250, 100_000),
    seconds: wholeNumber(15, 3_600),
    'warm-up': wholeNumber(3, 600),
    json: optionalText(),
  });
  const { 'steady-rate': steadyRate, 'warm-up': warmUpSeconds, json: jsonFile, ...named } = values;
  const { organizations, webhooks, deliveries } = named;
  if (webhooks % organizations !== 0)
    throw usageError(`${webhooks} webhooks are not the same number in each organization.`, USAGE);
  if (deliveries % webhooks !== 0)
    throw usageError(`${deliveries} deliveries are not the same number for each webhook.`, USAGE);
  return { ...named, steadyRate, warmUpSeconds, jsonFile };
}
