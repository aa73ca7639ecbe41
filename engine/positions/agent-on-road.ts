import type { OpenTask } from '../store/positions/roster-store.ts';

/** The engine's facts about an agent beside its record: its position and its open tasks. */
export interface AgentOnRoad {
  readonly agentId: number;
  isActive: boolean;
  onDuty: boolean;
  /** Of its vehicle, as given: `bike`, `car`, `van` … */
  vehicleType: string | null;
  readonly openTasks: Map<number, OpenTask>;
}

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
  recordedAtMs: number;
  receivedAtMs: number;
}
