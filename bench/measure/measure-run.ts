import type { LoadOutcome } from '../load/load-messages.ts';
import { runLoad } from '../load/run-load.ts';
import type { ContestantName, Load } from '../scenarios/scenario.ts';
import type { Contestant } from '../stand/contestants.ts';
import type { DatabaseProbe } from './database-probe.ts';
import { type CpuReading, cpuBetween, readCpu, residentMiB } from './process-cpu.ts';

/** One server under one load, once. */
export interface RunResult extends LoadOutcome {
  readonly contestant: ContestantName;
  readonly connections: number;
  readonly round: number;
  readonly requestsPerSecond: number;
  readonly tasksPerRequest: number;
  /** Made and acknowledged inside the window. */
  readonly tasks: number;
  readonly tasksPerSecond: number;
  /** Acknowledged over the whole run, warm-up included. */
  readonly acknowledgedTasks: number;
  /** CPU seconds inside the window. */
  readonly cpu: CpuReading;
  readonly commits: number;
  readonly serverMiB: number;
  /** The part of the machine that other processes took from all three: the reason for an unfair run. */
  readonly othersShare: number;
  /** The reason why the run does not count; empty when it does. */
  readonly voidReasons: readonly string[];
}

export interface RunPlan {
  readonly load: Load;
  readonly contestant: Contestant;
  readonly connections: number;
  readonly round: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
  readonly seed: number;
}

interface Bench {
  readonly probe: DatabaseProbe;
  readonly postmasterPid: number;
  readonly apiKey: string;
  readonly signal: AbortSignal;
}

/** A window shorter than this says nothing. */
const LEAST_SECONDS = 10;

/** Puts one server under load while the others idle, and reads everything at both ends of the window. */
export async function measureRun(plan: RunPlan, bench: Bench): Promise<RunResult> {
  const { load, contestant, connections, round, warmUpSeconds, seconds, seed } = plan;
  const { probe, postmasterPid, apiKey, signal } = bench;
  await probe.checkpoint();
  const readings: { readonly cpu: CpuReading; readonly commits: Promise<number> }[] = [];
  const { name, tasksPerRequest, expectedStatus } = load;
  const { baseUrl } = contestant;
  const outcome = await runLoad(
    { load: name, tasksPerRequest, baseUrl, apiKey, connections, warmUpSeconds, seconds, seed },
    {
      signal,
      onWindow(_edge, generatorPid) {
        const cpu = readCpu({ serverPid: contestant.pid, postmasterPid, generatorPid });
        const commits = probe.commits(contestant.database, contestant.commitsBy);
        // Awaited once the load has ended: an earlier failure must not end the process.
        commits.catch(() => {});
        readings.push({ cpu, commits });
      },
    },
  );
  const [before, after] = readings;
  if (!before || !after) throw new Error('the load generator did not tell when its window began and ended');
  const commits = (await after.commits) - (await before.commits);
  await probe.vacuum(contestant.database);
  const requestsPerSecond = (outcome.operations * 1_000) / outcome.windowMs;
  const cpu = cpuBetween(before.cpu, after.cpu);
  return {
    ...outcome,
    contestant: contestant.name,
    connections,
    round,
    requestsPerSecond,
    tasksPerRequest,
    tasks: outcome.operations * tasksPerRequest,
    tasksPerSecond: requestsPerSecond * tasksPerRequest,
    acknowledgedTasks: (outcome.statuses[expectedStatus] ?? 0) * tasksPerRequest,
    cpu,
    commits,
    serverMiB: residentMiB(contestant.pid),
    othersShare: Math.max(0, 1 - (cpu.server + cpu.postgres + cpu.generator + cpu.idle) / cpu.total),
    voidReasons: voidReasonsOf(outcome, load),
  };
}

function voidReasonsOf(outcome: LoadOutcome, { expectedStatus }: Load): string[] {
  const { statuses, errors, wrongBodies, firstWrongBody, operations, windowMs } = outcome;
  const reasons: string[] = [];
  if (operations === 0) reasons.push('nothing was answered inside the window');
  if (windowMs < LEAST_SECONDS * 1_000) {
    reasons.push(`measured for ${(windowMs / 1_000).toFixed(1)} s, at least ${LEAST_SECONDS} s are needed`);
  }
  for (const [status, count] of Object.entries(statuses)) {
    if (status === '429') reasons.push(`${count} answers were rate-limited (429)`);
    else if (status !== String(expectedStatus)) reasons.push(`${count} answers had the status ${status}`);
  }
  if (errors > 0) reasons.push(`${errors} requests failed or were not answered in time`);
  if (wrongBodies > 0) reasons.push(`${wrongBodies} answers lack what was asked for, the first: ${firstWrongBody}`);
  return reasons;
}
