import type { TimeToServe } from '../../../schema/tasks/task.ts';
import { isoOf } from '../shown-time.ts';
import { DEFAULT_MINUTES } from './delay.ts';

/** A span of an agent's time, its end not included; ISO 8601 UTC. */
export interface HeldTime {
  readonly from: string;
  readonly until: string;
  /** A scheduled task has its time for itself; one that is wanted as soon as may be shares it with others. */
  readonly exclusive: boolean;
}

/**
 * The time that an open task holds of its agent's day, from `beginsAt` on: when it is scheduled, or else when it was
 * assigned. Source: docs/contract.md §5 "Slots".
 */
export function heldTimeOf({
  timeToServe,
  beginsAt,
  estimatedDuration,
}: {
  readonly timeToServe: TimeToServe;
  readonly beginsAt: string;
  readonly estimatedDuration: number | null;
}): HeldTime {
  const untilMs = Date.parse(beginsAt) + (estimatedDuration ?? DEFAULT_MINUTES[timeToServe]) * 60_000;
  return { from: beginsAt, until: isoOf(untilMs), exclusive: timeToServe === 'scheduled' };
}
