import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Releaser } from '../../engine/runtime/lifecycle.ts';
import { openStand } from '../compare/open-stand.ts';
import { conditionLines, verdictLines } from '../report/print-report.ts';
import { say } from '../report/say.ts';
import { type FanoutOptions, parseFanoutOptions } from './fanout-options.ts';
import {
  caveatLines,
  judgeFanout,
  type Limit,
  stepLine,
  summaryTable,
  trialOf,
  unfoundReasons,
} from './judge-fanout.ts';
import { type FanoutBench, type FanoutStep, measureStep, type Side } from './measure-step.ts';
import { requireNchan, startNchan } from './nchan-server.ts';
import { RateSearch } from './rate-search.ts';
import { type Match, openHubMatch, openPostMatch } from './sides.ts';

/** In the first round little is known of the limit; later ones look around the one before. */
const FIRST = { rate: 40, stride: 2 };
const LATER_STRIDE = 1.15;
const LEAST_ROUNDS = 3;
const LEAST_SECONDS = 8;
/** The number of bytes by which the JSON of two events may differ: digits of ids. */
const VARYING_BYTES = 200;

/** `npm run bench -- fanout`. Resolves to the exit code: 1 when a run is void, 0 otherwise, targets met or not. */
export async function runFanout(args: readonly string[], releaser: Releaser, signal: AbortSignal): Promise<number> {
  const options = parseFanoutOptions(args);
  requireNchan();
  say('starting Postgres, Redis, nginx, gateways and an ordinary service');
  const stand = await openStand(releaser, signal);
  const nchan = await startNchan(join(stand.stores.directory, 'nginx'), releaser, signal);
  const hub = await openHubMatch(stand, nchan, releaser, signal);
  const matches: Match[] = [];
  if (options.parts.includes('hub')) matches.push(hub);
  if (options.parts.includes('post')) matches.push(await openPostMatch(stand, nchan, releaser, signal));
  say(
    ...conditionLines(stand.conditions),
    `${options.subscribers} streams of one organization, all in one process that reads; events of ${hub.eventBytes} bytes`,
    'hub: a finished event by POST, from 16 publishers; ours: the gateway, its hub and no commit; nchan: nginx, one process',
    'post: POST /tasks by 64 clients; nchan: behind Fastify + postgres.js, which commits a transaction a request and publishes then',
    '',
  );

  const common = { options, leap: hub.eventBytes - VARYING_BYTES, postmasterPid: stand.stores.postgres.pid, signal };
  const steps: FanoutStep[] = [];
  const limits: Limit[] = [];
  for (const { part, publishers, sides } of matches) {
    const bench = { ...common, part, publishers };
    for (let round = 1; round <= options.rounds; round++) {
      const earlier = limits.filter((limit) => limit.part === part && limit.round === round - 1);
      const found = await findLimits(sides, round, earlier, bench);
      steps.push(...found.steps);
      limits.push(...found.limits);
    }
  }

  const verdicts = judgeFanout(limits, options.parts);
  const voidReasons = [...tooLittle(options), ...unfoundReasons(limits)];
  say('', 'Medians over the rounds (lowest–highest), of the fastest steps that passed', summaryTable(limits));
  say('', ...verdictLines(verdicts), ...caveatLines(limits, steps));
  if (voidReasons.length > 0)
    say('', 'VOID, these numbers prove nothing:', ...voidReasons.map((reason) => `  ${reason}`));
  if (options.jsonFile !== undefined) {
    const told = { scenario: 'fanout', conditions: stand.conditions, options, steps, limits, verdicts, voidReasons };
    writeFileSync(options.jsonFile, `${JSON.stringify(told, undefined, 2)}\n`);
    say('', `every step: ${options.jsonFile}`);
  }
  return voidReasons.length === 0 ? 0 : 1;
}

/** Searches both limits at once, a step here and a step there, so that both meet the same weather. */
async function findLimits(
  sides: readonly Side[],
  round: number,
  earlier: readonly Limit[],
  bench: FanoutBench,
): Promise<{ readonly steps: FanoutStep[]; readonly limits: Limit[] }> {
  const steps: FanoutStep[] = [];
  const searches = sides.map((side) => {
    const before = earlier.find((limit) => limit.side === side.name)?.best?.eventsPerSecond;
    const search = before ? new RateSearch(before, LATER_STRIDE) : new RateSearch(FIRST.rate, FIRST.stride);
    return { side, search };
  });
  while (searches.some(({ search }) => search.next !== undefined)) {
    for (const { side, search } of searches) {
      const eventsPerSecond = search.next;
      if (eventsPerSecond === undefined) continue;
      const step = await measureStep(side, { round, eventsPerSecond }, bench);
      say(stepLine(step));
      const lastLine = side.lastLines().split('\n').at(-1)!;
      if (step.shortcomings.length > 0 && lastLine !== '') say(`${side.name} printed last: ${lastLine}`);
      search.take(trialOf(step));
      steps.push(step);
    }
  }
  const limits = searches.map(({ side, search }) => ({
    part: bench.part,
    side: side.name,
    round,
    best: steps.findLast(
      (step) => step.side === side.name && step.eventsPerSecond === search.found && step.shortcomings.length === 0,
    ),
  }));
  return { steps, limits };
}

function tooLittle({ rounds, seconds }: FanoutOptions): string[] {
  const reasons: string[] = [];
  if (rounds < LEAST_ROUNDS) reasons.push(`${rounds} rounds, at least ${LEAST_ROUNDS} are needed`);
  if (seconds < LEAST_SECONDS) reasons.push(`steps of ${seconds} s, at least ${LEAST_SECONDS} s are needed`);
  return reasons;
}
