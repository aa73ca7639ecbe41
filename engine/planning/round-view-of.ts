import type { AssignmentSettings } from '../../schema/assignment/assignment.ts';
import { LIMITS } from '../../schema/limits.ts';
import { slotOf, sumOf } from '../domain/assignment/load.ts';
import type {
  FreeAgent,
  Load,
  OpenOrder,
  RoundSettings,
  RoundView,
  Shift,
  TravelTime,
} from '../domain/assignment/round-view.ts';
import type { RouteTask, ServiceTimes } from '../domain/stops/open-stops.ts';
import { planStops } from '../domain/stops/plan-stops.ts';
import { restsOf } from '../domain/stops/rests.ts';
import { msOf, placeAt, placeKey, routeTaskOf, serviceMsOf, serviceTimesOf } from '../domain/stops/route-task.ts';
import type { Schedule } from '../domain/stops/schedule.ts';
import { dueAtOf } from '../domain/tasks/delay.ts';
import { isStale } from '../domain/travel/location-rule.ts';
import type { AgentOnDuty, CarriedTask, RoundRows, SoughtTask } from '../store/planning/round-store.ts';
import type { KnownPosition } from '../store/positions/position-store.ts';

export interface RoundFacts extends RoundRows {
  readonly positions: readonly KnownPosition[];
  readonly settings: AssignmentSettings;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** When the round is; `now` by default. Agents work their shifts of that time. */
  readonly at?: number;
}

export interface ViewOfRound {
  readonly view: RoundView;
  /** Ids of agents on duty without a known position; they take no part. */
  readonly unlocated: readonly number[];
  /** See RoundRows. */
  readonly knowsCarried: boolean;
}

/** Orders at one pickup that may travel together: more would make the first of them late. */
const MAX_BUNDLE = 3;

/** The input of the planner: orders, and each agent as it will be when it is free. */
export function roundViewOf(facts: RoundFacts, travel: TravelTime): ViewOfRound {
  const { tasks, agents, carried, knowsCarried, positions, settings, now, at = now } = facts;
  const byAgent = groupedByAgent(carried);
  const located = new Map(positions.map((position) => [position.agentId, position]));
  const services = serviceTimesOf(settings);
  const free = agents.flatMap((agent) => {
    const position = located.get(agent.agentId);
    const held = byAgent.get(agent.agentId) ?? [];
    return position ? freeAgentOf(agent, position, held, { now, at, services, travel }) : [];
  });
  const view = {
    now,
    orders: tasks.map((task) => soughtBy(orderOf(task), now)),
    agents: free,
    settings: settingsOf(settings, now),
  };
  const unlocated = agents.flatMap(({ agentId }) => (located.has(agentId) ? [] : [agentId]));
  return { view, unlocated, knowsCarried };
}

function settingsOf(settings: AssignmentSettings, now: number): RoundSettings {
  const { maxDistanceM, maxTasksPerAgent, batchingWindowMs } = settings;
  return {
    maxDistanceM,
    maxTasksPerAgent,
    maxBundle: MAX_BUNDLE,
    ...serviceTimesOf(settings),
    // The next sweep sees the tasks that still search, and an asked agent takes a moment to answer.
    nextRoundAt: now + LIMITS.relaySweepMs + batchingWindowMs + LIMITS.answerLeadMs,
    maxHoldMs: LIMITS.holdMs,
  };
}

/**
 * The facts that follow from a row alone are kept as long as the row, from round to round (`RoundMemory`): of 500 tasks
 * nearly all are unchanged, and reading their times and naming their places takes longer than the rest.
 */
function keptWithRow<Row extends object, T>(make: (row: Row) => T): (row: Row) => T {
  const made = new WeakMap<Row, T>();
  return (row) => {
    const known = made.get(row);
    if (known !== undefined) return known;
    const fresh = make(row);
    made.set(row, fresh);
    return fresh;
  };
}

/** No search starts in the future, by any clock. */
function soughtBy(order: OpenOrder, now: number): OpenOrder {
  return order.searchingSince <= now ? order : { ...order, searchingSince: now };
}

const orderOf = keptWithRow((task: SoughtTask): OpenOrder => {
  const { search } = task;
  const pickup = placeAt(task.pickupLatitude, task.pickupLongitude);
  const placedAt = Date.parse(task.createdAt);
  const slot = slotOf(task);
  return {
    taskId: task.taskId,
    pickup,
    dropoff: placeAt(task.latitude, task.longitude),
    pickupKey: slot ? null : placeKey(pickup),
    placedAt,
    searchingSince: msOf(search?.since ?? null) ?? placedAt,
    readyAt: msOf(task.readyAt),
    windowStart: msOf(task.windowStart),
    dueAt: Date.parse(dueAtOf(task)),
    serviceMs: serviceMsOf(task),
    load: loadOfRow(task),
    requiredSkills: task.requiredSkills ?? [],
    slot,
    preferredAgentId: task.preferredAgentId,
    declinedBy: search ? [...search.rejectedBy, ...search.expiredBy] : [],
  };
});

/** Between two shifts: one that is over. */
const OFF_SHIFT: Shift = { endsAt: 0, breaks: [], home: null };

const shiftsOf = keptWithRow(({ shifts, home }: AgentOnDuty) =>
  (shifts ?? []).map((shift) => ({
    startsAt: Date.parse(shift.startsAt),
    endsAt: Date.parse(shift.endsAt),
    breaks: shift.breaks.map(({ startsAt, endsAt }) => ({ from: Date.parse(startsAt), until: Date.parse(endsAt) })),
    home: home && { latitude: home.latitude, longitude: home.longitude },
  })),
);

/** The shift that an agent works then; null for one that duty alone binds. */
function shiftOf(agent: AgentOnDuty, at: number): Shift | null {
  if (agent.shifts === null) return null;
  const shift = shiftsOf(agent).find(({ startsAt, endsAt }) => startsAt <= at && at < endsAt);
  return shift ? { endsAt: shift.endsAt, breaks: shift.breaks, home: shift.home } : OFF_SHIFT;
}

/** By what an agent's work is judged: the time now, and the time of the round. */
interface Reckoning {
  readonly now: number;
  readonly at: number;
  readonly services: ServiceTimes;
  readonly travel: TravelTime;
}

function freeAgentOf(
  agent: AgentOnDuty,
  position: KnownPosition,
  carried: readonly CarriedTask[],
  { now, at, services, travel }: Reckoning,
): FreeAgent {
  const { agentId, vehicle, skills } = agent;
  const vehicleType = vehicle?.type ?? null;
  const { latitude, longitude, recordedAtMs: seenAt } = position;
  const rests = restsOf(agent.shifts, true, now);
  const start = { place: { latitude, longitude }, at: now, seenAt, vehicleType, rests };
  const shift = shiftOf(agent, at);
  const schedule = planStops(start, carried.map(routeTaskOfRow), services, travel);
  const { place, freeAt, laterStops } = freedomOf(schedule, shift?.endsAt ?? Number.POSITIVE_INFINITY);
  return {
    agentId,
    vehicleType,
    place,
    freeAt: afterBreak(shift, freeAt),
    laterStops,
    shift,
    offDutyAt: null,
    capacity: {
      maxWeightKg: vehicle?.maxWeightKg ?? null,
      maxVolumeM3: vehicle?.maxVolumeM3 ?? null,
      maxPackages: vehicle?.maxPackages ?? null,
    },
    load: sumOf(carried.map(loadOfRow)),
    openTasks: carried.length,
    skills,
    slots: carried.flatMap((task) => slotOf(task) ?? []),
    isStale: isStale(position, now),
  };
}

/** Nobody is free on a break: who is nearest then would keep those from an order who could set out at once. */
function afterBreak(shift: Shift | null, at: number): number {
  return shift?.breaks.find(({ from, until }) => from <= at && at < until)?.until ?? at;
}

/**
 * Where and when an agent is free: once all is done, or when it waits so long that something else may come before. Stops
 * that it begins after its shift do not bind it in this one.
 */
function freedomOf(schedule: Schedule, endsAt: number): Pick<FreeAgent, 'place' | 'freeAt' | 'laterStops'> {
  const { stops, beginAts } = schedule;
  let done = 0;
  while (done < stops.length && schedule.waitMs(done) < LIMITS.roomyWaitMs) done += 1;
  let last = done;
  while (last < stops.length && beginAts[last]! < endsAt) last += 1;
  return { place: schedule.placeAfter(done), freeAt: schedule.leaveAfter(done), laterStops: stops.slice(done, last) };
}

function groupedByAgent(carried: readonly CarriedTask[]): ReadonlyMap<number, readonly CarriedTask[]> {
  const grouped = new Map<number, CarriedTask[]>();
  for (const task of carried) {
    const ofAgent = grouped.get(task.agentId);
    if (ofAgent) ofAgent.push(task);
    else grouped.set(task.agentId, [task]);
  }
  return grouped;
}

const routeTaskOfRow = keptWithRow((task: CarriedTask): RouteTask => routeTaskOf(task));

function loadOfRow({ weightKg, volumeM3, packages }: Load): Load {
  return { weightKg, volumeM3, packages };
}
