import { isTerminal, type TaskRecord } from '../../../schema/tasks/task.ts';
import { isSought } from '../../domain/assignment/assignment-machine.ts';
import type { Change } from '../state/changes.ts';

/** The fields by which a round plans a task, except its packages. */
const PLANNED_BY = [
  'locationId',
  'pickupLocationId',
  'timeToServe',
  'scheduledAt',
  'estimatedDuration',
  'readyAt',
  'windowStart',
  'windowEnd',
  'requiredSkills',
  'preferredAgentId',
] as const satisfies readonly (keyof TaskRecord)[];

/**
 * Whether a round may now find an agent that it could not find before: a task begins to search or changes its needs, an
 * agent gets free, comes on duty or changes, a task that searched leaves its agent to others. Changes by rounds
 * themselves do not count. A change that is missed here waits for a later round.
 */
export function helpsSearches(change: Change, before: TaskRecord | undefined): boolean {
  switch (change.kind) {
    case 'put-task':
      return taskHelps(before, change.task);
    case 'put-agent':
      return change.agent.onDuty && change.agent.isActive;
    case 'put-organization':
      return true;
    default:
      return false;
  }
}

function taskHelps(before: TaskRecord | undefined, after: TaskRecord): boolean {
  if (!before) return isSought(after);
  const wasSought = isSought(before);
  if (isSought(after)) return !wasSought || PLANNED_BY.some((key) => before[key] !== after[key]);
  const givesUp = wasSought && after.search === null && after.agentId === null;
  return givesUp || (isCarried(before) && !(isCarried(after) && after.agentId === before.agentId));
}

function isCarried({ agentId, status }: TaskRecord): boolean {
  return agentId !== null && !isTerminal(status);
}
