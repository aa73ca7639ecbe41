import type { Capacity, FreeAgent, Load, PassedOver, RoundSettings, Shift, Slot } from './round-view.ts';

/** Sums of decimals: 0.1 and 0.2 do not exceed 0.3. */
const ROUNDING = 1e-9;

/** Whether an agent that carries `load` already cannot take `extra` along. */
export function exceedsCapacity(capacity: Capacity, load: Load, extra: Load): boolean {
  return (
    exceeds(capacity.maxWeightKg, load.weightKg + extra.weightKg) ||
    exceeds(capacity.maxVolumeM3, load.volumeM3 + extra.volumeM3) ||
    exceeds(capacity.maxPackages, load.packages + extra.packages)
  );
}

/** Whether one of these spans has a moment in common with `slot`; what ends when the other begins has none. */
export function overlaps(slots: readonly Slot[], slot: Slot): boolean {
  for (const { from, until } of slots) if (from < slot.until && slot.from < until) return true;
  return false;
}

export function lacksSkills(skills: readonly string[], required: readonly string[]): boolean {
  // Without a closure: a round asks tens of thousands of times, mostly for no skill at all.
  for (const skill of required) if (!skills.includes(skill)) return true;
  return false;
}

/** The offer to an agent: one order, or some that travel together. */
export interface Demand {
  readonly tasks: number;
  readonly load: Load;
  readonly requiredSkills: readonly string[];
  readonly slot: Slot | null;
  readonly declinedBy: readonly number[];
}

/** Why this agent cannot take it, wherever it is: the first reason that holds. */
export function refusalOf(
  demand: Demand,
  agent: FreeAgent,
  { maxTasksPerAgent }: RoundSettings,
  now: number,
): PassedOver | undefined {
  const absence = absenceOf(agent, now);
  if (absence) return absence;
  if (agent.isStale) return 'stale_position';
  if (demand.declinedBy.includes(agent.agentId)) return 'declined';
  if (lacksSkills(agent.skills, demand.requiredSkills)) return 'skills';
  if (exceedsCapacity(agent.capacity, agent.load, demand.load)) return 'capacity';
  if (demand.slot && overlaps(agent.slots, demand.slot)) return 'slot';
  return agent.openTasks + demand.tasks > maxTasksPerAgent ? 'max_tasks' : undefined;
}

/** Why an agent does not work now. */
export function absenceOf(
  { offDutyAt, shift }: Pick<FreeAgent, 'offDutyAt' | 'shift'>,
  now: number,
): 'off_duty' | 'off_shift' | undefined {
  if (shift && shift.endsAt <= now) return 'off_shift';
  return offDutyAt !== null && offDutyAt < now ? 'off_duty' : undefined;
}

/** The first break that takes something of this time. */
export function breakWithin(shift: Shift | null, from: number, until: number): Slot | undefined {
  return shift?.breaks.find((pause) => pause.from < until && from < pause.until);
}

/** Whether an agent has a break now: it is asked for nothing until that is over. */
export function isOnBreak({ shift }: Pick<FreeAgent, 'shift'>, now: number): boolean {
  return shift?.breaks.some(({ from, until }) => from <= now && now < until) === true;
}

/** Why the way to where it is fetched, at `fetchAt`, rules the agent out; asked after `refusalOf`. */
export function refusalOfWay(
  { offDutyAt }: Pick<FreeAgent, 'offDutyAt'>,
  { maxDistanceM }: RoundSettings,
  distanceM: number,
  fetchAt: number,
): PassedOver | undefined {
  if (maxDistanceM !== null && distanceM > maxDistanceM) return 'too_far';
  return offDutyAt !== null && fetchAt > offDutyAt ? 'ends_before' : undefined;
}

function exceeds(limit: number | null, amount: number): boolean {
  return limit !== null && amount > limit * (1 + ROUNDING);
}
