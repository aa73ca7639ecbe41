import { parentPort } from 'node:worker_threads';
import { LIMITS } from '../../schema/limits.ts';
import { yieldCpu } from '../runtime/priority.ts';
import { computeRound, type RoundInput } from './compute-round.ts';

/** In the thread of a RoundPlanner: computes one round after the other. What goes wrong ends the thread. */
export function servePlanning(): void {
  const port = parentPort!;
  if (process.platform === 'linux') yieldCpu(LIMITS.planningNiceness);
  port.on('message', (input: RoundInput) => port.postMessage(computeRound(input)));
}
