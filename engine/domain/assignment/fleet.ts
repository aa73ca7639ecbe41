import type { FleetVehicle } from '../../../schema/assignment/courier.ts';
import { exceedsCapacity } from './eligibility.ts';
import { sumOf } from './load.ts';
import type { Capacity, Load } from './round-view.ts';

/** The load that a vehicle carries, or is on its way to fetch. */
export interface FleetJob {
  readonly taskId: number;
  /** Its `externalId`. */
  readonly vehicle: string;
  readonly load: Load;
}

/**
 * Distributes loads over a fleet, in their order: each goes to the smallest vehicle that carries it beside its present
 * load, so that large vehicles stay free for large loads; a vehicle that has the task already keeps it. Tasks without a
 * vehicle are left out. The result is the same for the same fleet and jobs.
 */
export function takeJobs(
  fleet: readonly FleetVehicle[],
  open: readonly FleetJob[],
  wanted: readonly { readonly taskId: number; readonly load: Load }[],
): FleetJob[] {
  const bySize = [...fleet].sort(bySizeThenId);
  const taken: FleetJob[] = [];
  for (const { taskId, load } of wanted) {
    const jobs = [...open, ...taken].filter((job) => job.taskId !== taskId);
    const before = open.find((job) => job.taskId === taskId)?.vehicle;
    const fitting = bySize.filter((one) => carries(one, jobs, load));
    const vehicle = fitting.find(({ externalId }) => externalId === before) ?? fitting[0];
    if (vehicle) taken.push({ taskId, vehicle: vehicle.externalId, load });
  }
  return taken;
}

/** Whether an empty vehicle of the fleet carries it. */
export function mayCarry(fleet: readonly FleetVehicle[], load: Load): boolean {
  return fleet.some((vehicle) => carries(vehicle, [], load));
}

export function capacityOfVehicle({ maxWeightKg, maxVolumeM3, maxPackages }: Partial<FleetVehicle>): Capacity {
  return { maxWeightKg: maxWeightKg ?? null, maxVolumeM3: maxVolumeM3 ?? null, maxPackages: maxPackages ?? null };
}

function carries(vehicle: FleetVehicle, jobs: readonly FleetJob[], load: Load): boolean {
  const own = jobs.filter((job) => job.vehicle === vehicle.externalId);
  return !exceedsCapacity(capacityOfVehicle(vehicle), sumOf(own.map((job) => job.load)), load);
}

function bySizeThenId(a: FleetVehicle, b: FleetVehicle): number {
  return (
    compared(a.maxWeightKg, b.maxWeightKg) ||
    compared(a.maxVolumeM3, b.maxVolumeM3) ||
    compared(a.maxPackages, b.maxPackages) ||
    (a.externalId < b.externalId ? -1 : 1)
  );
}

/** No limit is the largest. */
function compared(a: number | null | undefined, b: number | null | undefined): number {
  const [one, other] = [a ?? Number.POSITIVE_INFINITY, b ?? Number.POSITIVE_INFINITY];
  return one === other ? 0 : one - other;
}
