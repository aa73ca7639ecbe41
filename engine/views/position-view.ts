import { type PositionView, positionView } from '../../schema/position.ts';
import { compileSerializer } from './serializer.ts';

/** What is shown of an agent's position; NaN is what the device did not say. */
export interface ShownPosition {
  readonly agentId: number;
  readonly latitude: number;
  readonly longitude: number;
  readonly accuracy: number;
  readonly heading: number;
  readonly speed: number;
  readonly recordedAtMs: number;
  readonly receivedAtMs: number;
  readonly onDuty: boolean;
  readonly activeTaskId: number | null;
}

const serialize = compileSerializer(positionView);

/** The JSON of a position: the same in the list and on streams. */
export function encodePosition(shown: ShownPosition, isStale: boolean): string {
  const view: PositionView = {
    agentId: shown.agentId,
    latitude: shown.latitude,
    longitude: shown.longitude,
    accuracy: numberOrNull(shown.accuracy),
    heading: numberOrNull(shown.heading),
    speed: numberOrNull(shown.speed),
    recordedAt: new Date(shown.recordedAtMs).toISOString(),
    receivedAt: new Date(shown.receivedAtMs).toISOString(),
    isStale,
    onDuty: shown.onDuty,
    activeTaskId: shown.activeTaskId,
  };
  return serialize(view);
}

function numberOrNull(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}
