import { parentPort } from 'node:worker_threads';
import { computeRound, type RoundInput } from './compute-round.ts';

/** In the thread of a RoundPlanner: computes one round after the other. What goes wrong ends the thread. */
export function servePlanning(): void {
  const port = parentPort!;
  port.on('message', (input: RoundInput) => port.postMessage(computeRound(input)));
}
