import { type AgentRecord, type AgentView, agentView } from '../../schema/fleet/agent.ts';
import { type ShiftView, shiftListView, type WorkShift } from '../../schema/fleet/shift.ts';
import { type ScheduledItem, scheduleView } from '../../schema/tasks/schedule.ts';
import { compileSerializer } from './parts/serializer.ts';
import { shownCoordinate } from './parts/shown-coordinate.ts';
import { taskAgentViewOf } from './task-view.ts';

const serializeAgent: (view: AgentView) => string = compileSerializer(agentView);
const serializeSchedule = compileSerializer(scheduleView);
const serializeShifts = compileSerializer(shiftListView);

/** Returns the JSON of an agent: the same bytes in responses, lists and events. */
export function encodeAgent(agent: AgentRecord): string {
  return serializeAgent(agentViewOf(agent));
}

export function agentViewOf(agent: AgentRecord): AgentView {
  const { isActive, onDuty, dutyChangedAt, offDutyAt, shifts, vehicle, skills, home, createdAt, updatedAt } = agent;
  return {
    ...taskAgentViewOf(agent),
    isActive,
    onDuty,
    dutyChangedAt,
    offDutyAt,
    shift: offDutyAt === null ? null : shownShift(shifts?.find(({ endsAt }) => endsAt === offDutyAt)),
    vehicle,
    skills: skills as string[],
    home: home && {
      address: home.address,
      latitude: shownCoordinate(home.latitude),
      longitude: shownCoordinate(home.longitude),
    },
    createdAt,
    updatedAt,
  };
}

/** Returns the JSON of an agent's schedule. `count` is exact, also when `items` holds only a part of it. */
export function encodeSchedule(items: readonly ScheduledItem[], count: number, shifts: readonly WorkShift[]): string {
  return serializeSchedule({ items: [...items], count, shifts: shifts as ShiftView[] });
}

/** Returns the JSON of shifts, in their order. */
export function encodeShifts(shifts: readonly WorkShift[]): string {
  return serializeShifts({ items: shifts as ShiftView[], count: shifts.length });
}

function shownShift(shift: WorkShift | undefined): ShiftView | null {
  return (shift as ShiftView | undefined) ?? null;
}
