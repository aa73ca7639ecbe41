import { parentPort } from 'node:worker_threads';
import { LIMITS } from '../../schema/limits.ts';
import { yieldCpu } from '../runtime/priority.ts';
import { computeRound } from './compute-round.ts';
import { type PackedRound, unpackRound } from './packed-round.ts';

/** In the thread of a RoundPlanner: computes one round after the other. A failure ends the thread. */
export function servePlanning(): void {
  const port = parentPort!;
  if (process.platform === 'linux') yieldCpu(LIMITS.planningNiceness);
  port.on('message', (round: PackedRound) => port.postMessage(computeRound(unpackRound(round))));
}
