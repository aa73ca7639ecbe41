import { writeFileSync } from 'node:fs';
import type { Releaser } from '../../engine/runtime/lifecycle.ts';
import { openStand, type Stand } from '../compare/open-stand.ts';
import { RECONNECT_AFTER } from '../load/load-messages.ts';
import { measureRun, type RunResult } from '../measure/measure-run.ts';
import {
  conditionLines,
  disturbanceLines,
  runLine,
  shareLines,
  summaryTable,
  verdictLines,
} from '../report/print-report.ts';
import { say } from '../report/say.ts';
import { microsOf, summarize, type Verdict } from '../report/summarize.ts';
import { payWallet } from '../scenarios/pay-wallet.ts';
import { type Contestant, PAYERS, startContestants } from '../stand/contestants.ts';
import {
  checkPayments,
  firstTaskOf,
  type PaymentGround,
  seedPayments,
  WALLETS,
  type Wallets,
} from './payment-ground.ts';
import { type PaymentOptions, parsePaymentOptions } from './payment-options.ts';

/** The target where payments come from many wallets. Source: the project's performance goals. */
const LEAST_RATIO = 4;
const LEAST_ROUNDS = 3;

type Results = Readonly<Record<Wallets, RunResult[]>>;

/**
 * `npm run bench -- payments`: wallet payments over HTTP, ours against a service that locks the wallet's row and makes
 * one transaction a request, in turn. Prints its measurements; resolves to 1 when none of them count.
 */
export async function runPayments(args: readonly string[], releaser: Releaser, signal: AbortSignal): Promise<number> {
  const options = parsePaymentOptions(args);
  say(`starting Postgres, Redis and ${PAYERS.length} servers`);
  const stand = await openStand(releaser, signal);
  const { demo, templateUrl } = stand.stores;
  await seedPayments(templateUrl, demo, options);
  say(...conditionLines(stand.conditions), ...PAYERS.map(({ name, description }) => `${name}: ${description}`), '');
  const contestants = await startContestants(PAYERS, stand.stores, releaser, signal);
  const results = await measure(contestants, options, stand);
  const voidReasons = await findVoidReasons(contestants, results, options, stand);
  const verdicts = WALLETS.flatMap((wallets) => tell(wallets, results[wallets]));
  say('', ...verdictLines(verdicts), ...disturbanceLines(WALLETS.flatMap((wallets) => results[wallets])));
  if (voidReasons.length > 0)
    say('', 'VOID, these numbers prove nothing:', ...voidReasons.map((reason) => `  ${reason}`));
  if (options.jsonFile !== undefined) {
    const charts = WALLETS.map((wallets) => ({
      title: `payments, ${wallets}`,
      summaries: summarize(results[wallets]),
    }));
    const told = { conditions: stand.conditions, options, verdicts, voidReasons, results, charts };
    writeFileSync(options.jsonFile, `${JSON.stringify(told, undefined, 2)}\n`);
  }
  return voidReasons.length > 0 ? 1 : 0;
}

/**
 * Round by round; both pay the same tasks, each in a database of its own, and the first of the two changes every time.
 */
async function measure(
  contestants: readonly Contestant[],
  options: PaymentOptions,
  { stores, probe, signal }: Stand,
): Promise<Results> {
  const bench = { probe, postmasterPid: stores.postgres.pid, apiKey: stores.demo.apiKey, signal };
  const { connections, warmUpSeconds, seconds } = options;
  const results: Results = { spread: [], hot: [] };
  for (let round = 1; round <= options.rounds; round++) {
    for (const [index, wallets] of WALLETS.entries()) {
      const seed = firstTaskOf(options, wallets, round);
      for (const turn of contestants.keys()) {
        const contestant = contestants[(turn + round + index) % contestants.length]!;
        const plan = { load: payWallet, contestant, connections, round, warmUpSeconds, seconds, seed };
        const result = await measureRun(plan, bench);
        say(`${wallets.padEnd(6)}  ${runLine(result)}`);
        if (result.voidReasons.length > 0) say(`${contestant.name} printed last:`, contestant.lastLines());
        results[wallets].push(result);
      }
    }
  }
  return results;
}

async function findVoidReasons(
  contestants: readonly Contestant[],
  results: Results,
  options: PaymentOptions,
  { stores }: Stand,
): Promise<string[]> {
  const all = WALLETS.flatMap((wallets) => results[wallets].map((result) => ({ wallets, ...result })));
  const reasons = all.flatMap(({ wallets, contestant, round, voidReasons }) =>
    voidReasons.map((reason) => `${contestant}, ${wallets}, round ${round}: ${reason}`),
  );
  if (options.rounds < LEAST_ROUNDS) reasons.push(`${options.rounds} rounds, at least ${LEAST_ROUNDS} are needed`);
  for (const { name, database } of contestants) {
    const own = all.filter(({ contestant }) => contestant === name);
    const acknowledged = own.reduce((sum, { acknowledgedTasks }) => sum + acknowledgedTasks, 0);
    const untold = own.reduce((sum, run) => sum + untoldPayments(run), 0);
    const url = new URL(stores.postgres.url);
    url.pathname = `/${database}`;
    const ground: PaymentGround = options;
    const problems = await checkPayments(url.href, ground, acknowledged, untold);
    reasons.push(...problems.map((problem) => `${name}: ${problem}`));
  }
  return reasons;
}

/** Requests in flight when the generator left, or answered as it reconnected. */
function untoldPayments({ connections, acknowledgedTasks }: RunResult): number {
  return connections + Math.ceil(acknowledgedTasks / RECONNECT_AFTER);
}

/** Prints one figure and returns its verdict, if it has a target. */
function tell(wallets: Wallets, results: readonly RunResult[]): Verdict[] {
  const summaries = summarize(results);
  const of = (name: string) => summaries.find(({ contestant }) => contestant === name)!;
  const [ours, peer] = [of('ours'), of('peer')];
  const ratio = ours.tasksPerSecond.median / peer.tasksPerSecond.median;
  const cpu = microsOf(peer) / microsOf(ours);
  const whose = wallets === 'hot' ? 'one wallet' : 'a thousand wallets';
  say('', `Payments from ${whose}: medians over the rounds (lowest–highest); a task is one that was paid`);
  say(summaryTable(summaries), ...shareLines(summaries));
  say(`ours / peer ${ratio.toFixed(2)}   CPU per payment, peer / ours ${cpu.toFixed(2)}`);
  if (wallets === 'hot') return [];
  const claim = `payments from ${whose}, at least ${LEAST_RATIO} times the throughput of the peer`;
  return [{ claim, measured: `${ratio.toFixed(2)} times`, met: ratio >= LEAST_RATIO }];
}
