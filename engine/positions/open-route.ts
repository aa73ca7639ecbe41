import { isDeepStrictEqual } from 'node:util';
import { OPEN_STATUSES, type OpenTask, type RosterAgent } from '../store/positions/roster-store.ts';
import type { AgentOnRoad } from './agent-on-road.ts';

/** Makes the task one of the agent's, or none any more. Whether the agent has other stops by it, or other times at them. */
export function takesTask({ openTasks }: Pick<AgentOnRoad, 'openTasks'>, task: OpenTask): boolean {
  if (!OPEN_STATUSES.has(task.status)) return openTasks.delete(task.taskId);
  const known = openTasks.get(task.taskId);
  openTasks.set(task.taskId, task);
  return !known || hasOtherRoute(known, task);
}

/** Makes the agent what its row says, except its tasks. Whether its times at its stops change by that. */
export function takesRecord(agent: AgentOnRoad, record: Omit<RosterAgent, 'openTasks'>): boolean {
  const { isActive, onDuty, vehicleType, shifts } = record;
  const isOther =
    agent.vehicleType !== vehicleType ||
    !isDeepStrictEqual(agent.shifts, shifts) ||
    // Beside its shifts it matters whether it works.
    (shifts !== null && agent.onDuty !== onDuty);
  Object.assign(agent, { isActive, onDuty, vehicleType, shifts });
  return isOther;
}

/** Makes the agent what its row says. Whether its times at its stops change by that. */
export function takesRow(agent: AgentOnRoad, { openTasks, ...record }: RosterAgent): boolean {
  const had = new Map(agent.openTasks);
  let isOther = takesRecord(agent, record) || openTasks.length < had.size;
  agent.openTasks.clear();
  for (const task of openTasks) {
    const known = had.get(task.taskId);
    isOther ||= !known || hasOtherRoute(known, task);
    agent.openTasks.set(task.taskId, task);
  }
  return isOther && openTasks.length > 0;
}

/** Whether an agent has other times at a task's stops by this. */
export function hasOtherRoute(known: OpenTask, task: OpenTask): boolean {
  return FIELDS_OF_ROUTE.some((field) => known[field] !== task[field]);
}

/** All but the ETAs, which follow from them. */
const FIELDS_OF_ROUTE = [
  'status',
  'assignedAt',
  'latitude',
  'longitude',
  'arrivedAt',
  'timeToServe',
  'scheduledAt',
  'estimatedDuration',
  'readyAt',
  'windowStart',
  'windowEnd',
  'pickupLatitude',
  'pickupLongitude',
  'pickupArrivedAt',
  'pickedUpAt',
] as const satisfies readonly (keyof OpenTask)[];
