import type { WorkShift } from '../../schema/fleet/shift.ts';
import type { OpenTask } from '../store/positions/roster-store.ts';

/**
 * Where an agent is. One object for an agent's life, changed in place: there are hundreds of thousands of points a
 * second. NaN stands for what the device did not say.
 */
export interface LivePosition {
  readonly agentId: number;
  latitude: number;
  longitude: number;
  accuracy: number;
  speed: number;
  heading: number;
  altitude: number;
  battery: number;
  /** 0: nowhere yet. */
  recordedAtMs: number;
  receivedAtMs: number;
  /** When it last said that it is still there. */
  heardAtMs: number;
}

/** The engine's facts about an agent beside its record: where it is, and its open tasks. The same object from tick to tick. */
export interface AgentOnRoad extends LivePosition {
  isActive: boolean;
  onDuty: boolean;
  /** The kind of its vehicle, as given: `bike`, `car`, `van` … */
  vehicleType: string | null;
  /** Null for an agent that duty alone binds. */
  shifts: readonly WorkShift[] | null;
  readonly openTasks: Map<number, OpenTask>;
  /** False until a point came. */
  readonly isSomewhere: boolean;
}
