import { writeFileSync } from 'node:fs';
import type { Releaser } from '../../engine/runtime/lifecycle.ts';
import { connectPostgres } from '../../engine/store/postgres.ts';
import { seedOrganization } from '../../tests/support/seeds/seed.ts';
import { openStand } from '../compare/open-stand.ts';
import { makeTaskEvent } from '../replay/task-event.ts';
import { conditionLines, verdictLines } from '../report/print-report.ts';
import { say } from '../report/say.ts';
import { GATEWAY, SECRETS_KEY, startServer } from '../stand/server-process.ts';
import { startWorkers } from '../stand/workers-process.ts';
import {
  disturbanceLines,
  drainLine,
  jobsLine,
  judgeWebhooks,
  ratioLine,
  steadyLine,
  summaryTable,
  voidReasonsOf,
} from './judge-webhooks.ts';
import {
  type DrainRun,
  type JobsRun,
  measureDrain,
  measureJobs,
  measureSteady,
  type WebhookBench,
} from './measure-webhooks.ts';
import { parseWebhookOptions, type WebhookOptions } from './webhook-options.ts';

const NAME = 'webhooks';
const SEED_MS = 120_000;
const LEAST_ROUNDS = 3;
const LEAST_SECONDS = 10;

/** `npm run bench -- webhooks`. Resolves to the exit code: 1 when a run is void, 0 otherwise, targets met or not. */
export async function runWebhooks(args: readonly string[], releaser: Releaser, signal: AbortSignal): Promise<number> {
  const options = parseWebhookOptions(args);
  say('starting Postgres, Redis, a gateway and workers');
  const stand = await openStand(releaser, signal);
  const bench = await openBench(options, stand.stores, releaser, signal);
  say(
    ...conditionLines(stand.conditions),
    `${options.webhooks} webhooks of ${options.organizations} organizations, ${options.concurrency} at a time to each; events of ${bench.eventBody.length} bytes`,
    '',
  );
  const drains: DrainRun[] = [];
  const jobs: JobsRun[] = [];
  for (let round = 1; round <= options.rounds; round++) {
    const drain = await measureDrain(round, bench);
    say(drainLine(drain));
    drains.push(drain);
    const bare = await measureJobs(round, bench);
    say(jobsLine(bare));
    jobs.push(bare);
  }
  say('', `tasks made at a steady rate, told to ${options.webhooks} webhooks of one organization`);
  const organization = await seedOrganization(urlOf(stand.stores.postgres.url, bench.gateway.database));
  const steady = await measureSteady(organization, bench);
  say(steadyLine(steady));

  const verdicts = judgeWebhooks(drains);
  const voidReasons = [...tooLittle(options), ...voidReasonsOf(drains, steady, options.concurrency === 1)];
  say('', 'Medians over the rounds (lowest–highest)', summaryTable(drains, jobs), ratioLine(drains, jobs));
  say('', ...verdictLines(verdicts), ...disturbanceLines(drains));
  if (voidReasons.length > 0)
    say('', 'VOID, these numbers prove nothing:', ...voidReasons.map((reason) => `  ${reason}`));
  if (options.jsonFile !== undefined) {
    const told = { scenario: NAME, conditions: stand.conditions, options, drains, jobs, steady, verdicts, voidReasons };
    writeFileSync(options.jsonFile, `${JSON.stringify(told, undefined, 2)}\n`);
    say('', `every run: ${options.jsonFile}`);
  }
  return voidReasons.length === 0 ? 0 : 1;
}

type Stores = Awaited<ReturnType<typeof openStand>>['stores'];

async function openBench(
  options: WebhookOptions,
  stores: Stores,
  releaser: Releaser,
  signal: AbortSignal,
): Promise<WebhookBench> {
  const allow = { WEBHOOK_ALLOW_PRIVATE: '1', SECRETS_KEY };
  const plan = { name: NAME, program: GATEWAY, readyPath: '/readyz', environment: allow };
  const gateway = await startServer(plan, stores, releaser, signal);
  const databaseUrl = urlOf(stores.postgres.url, gateway.database);
  const places = { DATABASE_URL: databaseUrl, REDIS_URL: stores.redis.url, REDIS_PREFIX: NAME };
  const workers = await startWorkers({ ...places, ...allow }, releaser, signal);
  const sql = connectPostgres(databaseUrl, { name: 'seed', connections: 1, statementTimeoutMs: SEED_MS });
  releaser.push('seed connection', () => sql.end({ timeout: 5 }));
  const target = { baseUrl: gateway.baseUrl, apiKey: stores.demo.apiKey };
  return {
    options,
    sql,
    gateway,
    workersPid: workers.pid,
    postmasterPid: stores.postgres.pid,
    redis: stores.redis,
    eventBody: await makeTaskEvent(target, 'Two boxes of books', signal),
    signal,
  };
}

function tooLittle({ rounds, seconds }: WebhookOptions): string[] {
  const reasons: string[] = [];
  if (rounds < LEAST_ROUNDS) reasons.push(`${rounds} rounds, at least ${LEAST_ROUNDS} are needed`);
  if (seconds < LEAST_SECONDS) reasons.push(`a steady window of ${seconds} s, at least ${LEAST_SECONDS} s are needed`);
  return reasons;
}

function urlOf(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}
