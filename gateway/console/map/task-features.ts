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

/** Late pins lie over unassigned ones, and these over those that are on their way. */
function rankOf(status: TaskPin['status'], isLate: boolean): number {
  if (isLate) return 2;
  return status === 'new' || status === 'awaiting_assignment' ? 1 : 0;
}
