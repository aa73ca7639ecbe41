import { create, keyedCreate } from './create.ts';
import { createBatch } from './create-batch.ts';
import { payWallet } from './pay-wallet.ts';
import { READS } from './read-task.ts';
import type { Load } from './scenario.ts';

/** The load that a generator must send. */
export function findLoad(name: string, tasksPerRequest: number): Load | undefined {
  return [create, keyedCreate, createBatch(tasksPerRequest), payWallet, ...READS].find((load) => load.name === name);
}
