import type { OpenTask } from '../store/positions/roster-store.ts';

/** What the engine knows of an agent beside its record: where it is, and what it has to do. */
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
