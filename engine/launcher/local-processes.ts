import { LIMITS } from '../../schema/limits.ts';
import { type Child, ChildEndedError, type Command, startChild, waitUntilReady } from './processes/child-process.ts';
import { assertPortFree } from './processes/free-port.ts';
import { findStatus } from './processes/http-probe.ts';
import type { MergedLog } from './processes/merged-log.ts';
import { runAs } from './processes/run-as.ts';

export interface ProcessPlan {
  readonly command: Command;
  /** The child's whole environment. */
  readonly env: Record<string, string | undefined>;
  readonly log: MergedLog;
}

export interface GatewayPlan extends ProcessPlan {
  readonly baseUrl: string;
  readonly host: string;
  readonly port: number;
}

const STOP_STEPS = [
  { signal: 'SIGTERM', patienceMs: LIMITS.processStopMs },
  { signal: 'SIGKILL', patienceMs: 5_000 },
] as const;

/** Resolves when the gateway is ready for requests. Throws LaunchError, naming the port when that was lost to another. */
export async function startGateway(plan: GatewayPlan, signal: AbortSignal): Promise<Child> {
  const child = await spawnProcess('gateway', plan);
  const isReady = async () => (await findStatus(`${plan.baseUrl}/readyz`)) === 200;
  try {
    await waitUntilReady(child, isReady, LIMITS.gatewayStartMs, signal);
  } catch (error) {
    if (error instanceof ChildEndedError) await assertPortFree(plan.port, plan.host);
    throw error;
  }
  return child;
}

export function startWorkers(plan: ProcessPlan): Promise<Child> {
  return spawnProcess('workers', plan);
}

export function startFleet(plan: ProcessPlan): Promise<Child> {
  return spawnProcess('fleet', plan);
}

function spawnProcess(name: string, { command, env, log }: ProcessPlan): Promise<Child> {
  return startChild(name, runAs(command, { deathSignal: 'KILL' }), {
    env,
    ipc: true,
    onLine: log.from(name),
    stopSteps: STOP_STEPS,
  });
}
