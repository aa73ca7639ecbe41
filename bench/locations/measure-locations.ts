import { runGenerator } from '../load/run-generator.ts';
import { type CpuReading, cpuBetween, readCpu, residentMiB } from '../measure/process-cpu.ts';
import type { ServerProcess } from '../stand/server-process.ts';
import type { LocationOptions } from './location-options.ts';
import type { LocationOutcome, ReadOutcome } from './location-order.ts';
import { pointTroubles } from './point-troubles.ts';

export type ServerName = 'ours' | 'parse-only';

export interface LocationServer extends ServerProcess {
  readonly name: ServerName;
}

export interface LocationBench {
  readonly options: LocationOptions;
  readonly apiKey: string;
  readonly agentIds: readonly number[];
  readonly postmasterPid: number;
  readonly signal: AbortSignal;
}

/** One server under positions, once. */
export interface LocationRun extends LocationOutcome {
  readonly server: ServerName;
  readonly round: number;
  readonly pointsPerSecond: number;
  /** CPU seconds inside the window. */
  readonly cpu: CpuReading;
  /** Memory of the server in each second of the window. */
  readonly mebibytes: readonly number[];
  /** Part of the machine that went to none of ours. */
  readonly othersShare: number;
  /** The reads beside it, where there were any. */
  readonly reads: ReadOutcome | undefined;
}

interface RunPlan {
  readonly server: LocationServer;
  readonly round: number;
  /** Null: as many as the server takes, and no reads. */
  readonly pointsPerSecond: number | null;
  readonly taskIds: readonly number[];
}

const PROGRAM = new URL('./location-generator.ts', import.meta.url);
const READ_PROGRAM = new URL('./read-generator.ts', import.meta.url);
const READ_CONNECTIONS = 16;
const SAMPLE_MS = 1_000;

/** Puts one server under load while the other idles. */
export async function measureLocations(
  { server, round, pointsPerSecond, taskIds }: RunPlan,
  { options, apiKey, agentIds, postmasterPid, signal }: LocationBench,
): Promise<LocationRun> {
  const { batchPoints, connections, warmUpSeconds, seconds, readsPerSecond } = options;
  const { baseUrl, pid } = server;
  const common = { baseUrl, apiKey, warmUpSeconds, seconds };
  const readings: CpuReading[] = [];
  const mebibytes: number[] = [];
  let sampling: NodeJS.Timeout | undefined;
  const onWindow = (edge: 'start' | 'end', generatorPid: number) => {
    readings.push(readCpu({ serverPid: pid, postmasterPid, generatorPid }));
    if (edge === 'start') sampling = setInterval(() => mebibytes.push(residentMiB(pid)), SAMPLE_MS);
    else clearInterval(sampling);
  };
  const reading =
    pointsPerSecond === null
      ? undefined
      : runGenerator<ReadOutcome>(
          READ_PROGRAM,
          { ...common, ...{ taskIds, readsPerSecond, connections: READ_CONNECTIONS } },
          { signal, onWindow: () => {} },
        );
  try {
    const order = { ...common, agentIds, batchPoints, connections, pointsPerSecond };
    const outcome = await runGenerator<LocationOutcome>(PROGRAM, order, { signal, onWindow });
    const reads = await reading;
    const cpu = cpuBetween(readings[0]!, readings[1]!);
    return {
      ...outcome,
      server: server.name,
      round,
      pointsPerSecond: (outcome.points * 1_000) / outcome.windowMs,
      cpu,
      mebibytes,
      othersShare: Math.max(0, 1 - (cpu.server + cpu.postgres + cpu.generator + cpu.idle) / cpu.total),
      reads,
    };
  } finally {
    clearInterval(sampling);
    await reading?.catch(() => {});
  }
}

/** The reasons why the run does not count; empty when it does. */
export function voidReasonsOf(run: LocationRun): string[] {
  const { server, round, reads } = run;
  const at = `${server}, round ${round}`;
  const reasons = pointTroubles(run).map((trouble) => `${at}: ${trouble}`);
  for (const [kind, count] of Object.entries(reads?.failures ?? {}))
    reasons.push(`${at}: reads, ${count} × ${kind}; first ${reads?.firstFailure}`);
  if (reads?.reads === 0) reasons.push(`${at}: no read was answered inside the window`);
  return reasons;
}
