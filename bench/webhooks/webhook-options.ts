import { parseArgs } from 'node:util';
import { WEBHOOK_LIMITS } from '../../schema/webhook-limits.ts';
import { UsageError } from '../stand/run-to-end.ts';

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
  /** Where every single run goes as JSON, beside the printed report. */
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

/** Throws UsageError, which shows what would do, for anything it does not understand. */
export function parseWebhookOptions(args: readonly string[]): WebhookOptions {
  const values = parseOrExplain(args);
  const whole = (option: Exclude<keyof typeof values, 'json'>, most: number) => {
    const value = Number(values[option]);
    if (!(Number.isInteger(value) && value >= 1 && value <= most))
      throw usage(`--${option}: "${values[option]}" is no whole number from 1 to ${most}.`);
    return value;
  };
  const options = {
    organizations: whole('organizations', 1_000),
    webhooks: whole('webhooks', WEBHOOK_LIMITS.webhooksPerOrganization),
    concurrency: whole('concurrency', WEBHOOK_LIMITS.webhookConcurrency),
    deliveries: whole('deliveries', 10_000_000),
    rounds: whole('rounds', 100),
    steadyRate: whole('steady-rate', 100_000),
    seconds: whole('seconds', 3_600),
    warmUpSeconds: whole('warm-up', 600),
    jsonFile: values.json,
  };
  const { organizations, webhooks, deliveries } = options;
  if (webhooks % organizations !== 0) throw usage(`${webhooks} webhooks are not the same number in each organization.`);
  if (deliveries % webhooks !== 0) throw usage(`${deliveries} deliveries are not the same number for each webhook.`);
  return options;
}

function parseOrExplain(args: readonly string[]) {
  const number = (fallback: string) => ({ type: 'string', default: fallback }) as const;
  try {
    return parseArgs({
      args: [...args],
      options: {
        organizations: number('8'),
        webhooks: number('32'),
        concurrency: number('1'),
        deliveries: number('64000'),
        rounds: number('3'),
        'steady-rate': number('1250'),
        seconds: number('15'),
        'warm-up': number('3'),
        json: { type: 'string' },
      },
    }).values;
  } catch (error) {
    throw usage((error as Error).message);
  }
}

function usage(problem: string): UsageError {
  return new UsageError(`${problem}\n\n${USAGE}`);
}
