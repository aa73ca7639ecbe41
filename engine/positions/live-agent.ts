import type { Point } from '../../schema/fleet/position.ts';
import type { WorkShift } from '../../schema/fleet/shift.ts';
import { activeTaskOf } from '../domain/tasks/active-task.ts';
import type { OpenTask } from '../store/positions/roster-store.ts';
import type { AgentOnRoad } from './agent-on-road.ts';

/**
 * An agent as the position store knows it. Fields that are written with every point are numbers and flags alone, so that
 * taking a point makes no garbage.
 */
export class LiveAgent implements AgentOnRoad {
  readonly agentId: number;
  isActive = true;
  onDuty = false;
  vehicleType: string | null = null;
  shifts: readonly WorkShift[] | null = null;
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
  /** Its place as streams have it, and as they had it before that. */
  toldLatitude = Number.NaN;
  toldLongitude = Number.NaN;
  earlierLatitude = Number.NaN;
  earlierLongitude = Number.NaN;

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

  get activeTaskId(): number | null {
    return activeTaskOf(this.openTasks.values());
  }
}
