import type { Client } from '../../../gateway/client/create-client.ts';
import type { Models } from '../../../gateway/client/document-types.ts';
import type { City } from '../city.ts';
import type { Fate } from '../orders/draw-orders.ts';
import { SCENARIOS, type ScenarioName } from '../orders/scenarios.ts';
import type { SimulatorApi } from '../simulator-api.ts';
import type { Tally } from '../tally.ts';
import type { Pace } from './pace.ts';

export type Task = Models['Task'];

/** The parts that everybody in a simulation shares. */
export interface Simulation {
  readonly api: SimulatorApi;
  /** With the channel's key: it makes tasks, calls them off, and starts searches. */
  readonly shop: Client;
  readonly scenario: ScenarioName;
  readonly city: City;
  readonly pace: Pace;
  readonly tally: Tally;
  readonly signal: AbortSignal;
  /** The tasks of simulations that have no end yet. */
  readonly open: Map<number, Task['status']>;
  readonly fates: Map<number, Fate>;
}

/** Whether a simulation made it, this one or one that was cut off. */
export function isSimulated({ integrationData }: Task): boolean {
  const name = integrationData?.['simulation'];
  return typeof name === 'string' && name in SCENARIOS;
}

export function hasEnded({ status }: Task): boolean {
  return status === 'completed' || status === 'cancelled';
}

/** Whether its agent has the goods. */
export function isAboard({ status, pickedUpAt }: Task): boolean {
  return status === 'in_transit' || pickedUpAt !== null;
}

/** Every task that has no end. */
export async function* openTasks({ shop }: Pick<Simulation, 'shop'>): AsyncGenerator<Task> {
  const status = ['new', 'awaiting_assignment', 'assigned', 'accepted', 'in_transit'] as const;
  yield* shop.items('/tasks', { query: { status: [...status], limit: 100 } });
}
