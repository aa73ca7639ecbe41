import type { TaskPin } from '../live/protocol.ts';
import { type Features, pointAt } from './features.ts';

/** The pins of tasks. While a courier is chosen, the tasks of others step back. */
export function taskFeatures(pins: readonly TaskPin[], agentId: number | null): Features {
  const features = pins.map(({ id, longitude, latitude, status, isLate, agentId: of }) =>
    pointAt(longitude, latitude, {
      id,
      status,
      late: isLate,
      dim: agentId !== null && of !== agentId,
      rank: rankOf(status, isLate),
    }),
  );
  return { type: 'FeatureCollection', features };
}

/** Whether the map draws a task as before. Its estimate, which changes with each step of its courier, is not drawn. */
export function looksAlike(one: TaskPin | undefined, other: TaskPin): boolean {
  return (
    one !== undefined &&
    one.longitude === other.longitude &&
    one.latitude === other.latitude &&
    one.status === other.status &&
    one.isLate === other.isLate &&
    one.agentId === other.agentId
  );
}

/** A part of the map, in degrees. */
export interface Box {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

/** The tasks inside a box, its edges included. */
export function idsInside(pins: readonly TaskPin[], { west, south, east, north }: Box): number[] {
  return pins
    .filter(
      ({ longitude, latitude }) => longitude >= west && longitude <= east && latitude >= south && latitude <= north,
    )
    .map(({ id }) => id);
}

/** The stops of a courier in the order of the plan. */
export function inPlannedOrder(pins: readonly TaskPin[], agentId: number): TaskPin[] {
  return pins.filter((pin) => pin.agentId === agentId).sort((a, b) => a.order - b.order || a.id - b.id);
}

/** Late pins lie over unassigned ones, and these over those that are on their way. */
function rankOf(status: TaskPin['status'], isLate: boolean): number {
  if (isLate) return 2;
  return status === 'new' || status === 'awaiting_assignment' ? 1 : 0;
}
