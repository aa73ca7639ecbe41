import type { Point } from '../../schema/position.ts';
import type { OpenTask } from '../store/roster-store.ts';
import type { AgentOnRoad, LivePosition } from './agent-on-road.ts';

/**
 * An agent as the position store knows it. Fields that are written with every point are numbers and flags alone, so that
 * taking a point makes no garbage.
 */
export class LiveAgent implements AgentOnRoad, LivePosition {
  readonly agentId: number;
  isActive = true;
  onDuty = false;
  vehicleType: string | null = null;
  readonly openTasks = new Map<number, OpenTask>();

  latitude = Number.NaN;
  longitude = Number.NaN;
  accuracy = Number.NaN;
  speed = Number.NaN;
  heading = Number.NaN;
  altitude = Number.NaN;
  battery = Number.NaN;
  /** 0: nowhere yet. */
  recordedAtMs = 0;
  receivedAtMs = 0;
  /** When it last said that it is still there. */
  heardAtMs = 0;

  /** Moved, or heard of, since streams were last told. */
  isDirty = false;
  /** Where streams were last told it is. */
  toldLatitude = Number.NaN;
  toldLongitude = Number.NaN;

  /** Points that it may still send now, and when that was worked out. */
  allowance = 0;
  allowanceAtMs = 0;
  /** The point that the trail was given last. */
  trailed: Point | undefined;

  constructor(agentId: number) {
    this.agentId = agentId;
  }

  get isSomewhere(): boolean {
    return this.recordedAtMs > 0;
  }

  /** The task it is busy with: one on its way, else one accepted; of several the one made first. */
  get activeTaskId(): number | null {
    let found: OpenTask | undefined;
    for (const task of this.openTasks.values()) {
      if (task.status === 'assigned') continue;
      const isBetter =
        !found ||
        (task.status === 'in_transit' && found.status !== 'in_transit') ||
        (task.status === found.status && task.taskId < found.taskId);
      if (isBetter) found = task;
    }
    return found?.taskId ?? null;
  }
}
