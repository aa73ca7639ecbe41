import { buildPrograms, compiledFile, isBuilt } from '../../engine/launcher/build/build-programs.mjs';
import { type Child, startChild, waitUntilReady } from '../../engine/launcher/processes/child-process.ts';
import { runAs } from '../../engine/launcher/processes/run-as.ts';
import type { Releaser } from '../../engine/runtime/lifecycle.ts';
import { LIMITS } from '../../schema/limits.ts';

const STOP_STEPS = [
  { signal: 'SIGTERM', patienceMs: LIMITS.processStopMs },
  { signal: 'SIGKILL', patienceMs: 5_000 },
] as const;
const RELEASE_DEADLINE_MS = 20_000;

/** Starts the workers as production would, NODE_ENV unset, and resolves when they are ready. */
export async function startWorkers(
  environment: Readonly<Record<string, string>>,
  releaser: Releaser,
  signal: AbortSignal,
): Promise<Child> {
  const env = { PATH: process.env['PATH'], LOG_LEVEL: 'info', ...environment };
  if (!isBuilt()) await buildPrograms();
  const command = { file: process.execPath, args: [compiledFile('workers')] };
  let isReady = false;
  const child = await startChild('workers', runAs(command, { deathSignal: 'KILL' }), {
    env,
    ipc: true,
    onLine: (line) => {
      isReady ||= line.includes('workers ready');
    },
    stopSteps: STOP_STEPS,
  });
  releaser.push('workers', () => child.stop(), RELEASE_DEADLINE_MS);
  await waitUntilReady(child, async () => isReady, LIMITS.gatewayStartMs, signal);
  return child;
}
