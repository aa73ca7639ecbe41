import type { OwnerClient } from '../../engine/bus/owner-client.ts';
import type { FreeAgent, OpenOrder, RoundView } from '../../engine/domain/assignment/round-view.ts';
import type { RoundPlanner } from '../../engine/planning/round-planner.ts';
import type { Log } from '../../engine/runtime/log.ts';
import type { RoundStore } from '../../engine/store/planning/round-store.ts';

export interface WarmUpOptions {
  readonly store: Pick<RoundStore, 'readRound'>;
  readonly owners: Pick<OwnerClient, 'prepare'>;
  readonly planner: Pick<RoundPlanner, 'warmUp'>;
  readonly log: Log;
}

/** No organization has it: reading its round opens the connections and finds nothing. */
const NOBODY = 0;
const ORDERS = 40;
const AGENTS = 120;
/** So often, the compiler has seen what a round runs through. */
const TIMES = 3;

/**
 * Opens the connections, has the planner compiled and its thread started, so that the first task of a process is not
 * offered later than all the others. Never rejects: what fails here is tried again by the first round.
 */
export async function warmUp({ store, owners, planner, log }: WarmUpOptions): Promise<void> {
  const input = { view: madeUpView(), trips: null, mode: 'sequential' } as const;
  const steps = [owners.prepare(), planner.warmUp(input, TIMES)];
  for (let times = 0; times < TIMES; times += 1) steps.push(store.readRound(NOBODY, { after: 0 }).then(() => {}));
  for (const step of await Promise.allSettled(steps))
    if (step.status === 'rejected') log.debug({ err: step.reason }, 'the first round may take longer');
}

function madeUpView(): RoundView {
  const place = (index: number) => ({ latitude: (index % 7) / 100, longitude: (index % 11) / 100 });
  const nothing = { weightKg: 0, volumeM3: 0, packages: 0 };
  const orders = Array.from(
    { length: ORDERS },
    (_, index): OpenOrder => ({
      taskId: index,
      pickup: place(index),
      dropoff: place(index * 3),
      pickupKey: String(index % 7),
      placedAt: 0,
      searchingSince: 0,
      readyAt: null,
      windowStart: null,
      dueAt: null,
      serviceMs: null,
      load: nothing,
      requiredSkills: [],
      slot: null,
      preferredAgentId: null,
      declinedBy: [],
    }),
  );
  const agents = Array.from(
    { length: AGENTS },
    (_, index): FreeAgent => ({
      agentId: index,
      vehicleType: null,
      place: place(index * 5),
      freeAt: (index % 3) * 60_000,
      offDutyAt: null,
      capacity: { maxWeightKg: null, maxVolumeM3: null, maxPackages: null },
      load: nothing,
      openTasks: index % 3,
      skills: [],
      slots: [],
      isStale: false,
      laterStops: [],
      shift: null,
    }),
  );
  const settings = {
    maxDistanceM: null,
    maxTasksPerAgent: 5,
    maxBundle: 3,
    pickupServiceMs: 60_000,
    dropoffServiceMs: 60_000,
    nextRoundAt: 1_000,
    maxHoldMs: 60_000,
  };
  return { now: 0, orders, agents, settings };
}
