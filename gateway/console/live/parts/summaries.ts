import { TASK_STATUSES, type TaskStatus } from '../../../../schema/tasks/task.ts';
import { isStaleAt } from '../heard.ts';
import type { Courier, CourierDay, CourierPin, DayStop, Figures, TaskPin } from '../protocol.ts';
import { type HeldTask, isOpen, nameOf, type Records } from '../records.ts';

/** The figures of the header, and of the charts. Today begins at `todayMs`; the records have reached `sequence` in the log. */
export function figuresOf(records: Records, todayMs: number, sequence: number): Figures {
  const count = (status: TaskStatus) => records.byStatus.get(status)?.size ?? 0;
  const unassigned = [...(records.byStatus.get('new') ?? []), ...(records.byStatus.get('awaiting_assignment') ?? [])];
  const today = { done: 0, onTime: 0, failed: 0 };
  for (const id of records.byStatus.get('completed') ?? []) {
    const { completedAt, outcome, isDelayed } = records.tasks.get(id)!.view;
    if (completedAt === null || Date.parse(completedAt) < todayMs) continue;
    if (outcome === 'failed') today.failed += 1;
    else {
      today.done += 1;
      if (!isDelayed) today.onTime += 1;
    }
  }
  let onDuty = 0;
  let free = 0;
  for (const { view } of records.agents.values()) {
    if (!view.onDuty || !view.isActive) continue;
    onDuty += 1;
    if (!records.byAgent.get(view.id)?.size) free += 1;
  }
  return {
    open: count('new') + count('awaiting_assignment') + count('assigned') + count('accepted') + count('in_transit'),
    unassigned: unassigned.length,
    late: records.late.size,
    doneToday: today.done,
    onTimeToday: today.onTime,
    failedToday: today.failed,
    onDuty,
    free,
    byStatus: Object.fromEntries(TASK_STATUSES.map((status) => [status, count(status)])) as Figures['byStatus'],
    sequence,
  };
}

/** In no order. */
export function couriersOf(records: Records): Courier[] {
  return [...records.agents.values()].map(({ view }): Courier => {
    const open = records.byAgent.get(view.id) ?? new Set();
    const position = records.positions.get(view.id);
    const { phoneNumber, countryCode } = view.user;
    return {
      id: view.id,
      name: nameOf(view.user),
      phone: phoneNumber && `${countryCode ?? ''} ${phoneNumber}`.trim(),
      onDuty: view.onDuty,
      isActive: view.isActive,
      vehicle: view.vehicle?.type ?? null,
      open: open.size,
      late: [...open].filter((id) => records.late.has(id)).length,
      recordedAtMs: position?.recordedAtMs ?? null,
      heardAtMs: position?.heardAtMs ?? null,
      activeTaskId: position?.view.activeTaskId ?? null,
    };
  });
}

/**
 * Couriers that are off duty are left out once nobody knows where they are. The stream sends those who move, and nothing when a
 * position grows old.
 */
export function courierPins(records: Records, nowMs: number): CourierPin[] {
  const pins: CourierPin[] = [];
  for (const { view, recordedAtMs, heardAtMs } of records.positions.values()) {
    const isStale = isStaleAt(heardAtMs, nowMs);
    const onDuty = records.agents.get(view.agentId)?.view.onDuty ?? view.onDuty;
    if (!onDuty && isStale) continue;
    const open = records.byAgent.get(view.agentId);
    let state: CourierPin['state'] = onDuty ? (open?.size ? 'busy' : 'free') : 'off';
    for (const id of open ?? []) if (records.late.has(id)) state = 'late';
    const { agentId: id, longitude, latitude, heading } = view;
    pins.push({ id, longitude, latitude, heading, recordedAtMs, isStale, state });
  }
  return pins;
}

export function taskPins(records: Records): TaskPin[] {
  const pins: TaskPin[] = [];
  for (const held of records.tasks.values()) {
    if (!isOpen(held.row.status)) continue;
    const pin = pinOf(held);
    if (pin) pins.push(pin);
  }
  return pins;
}

/** Each is made once for each state of its task. */
const pinsMade = new WeakMap<HeldTask, TaskPin>();

function pinOf(held: HeldTask): TaskPin | undefined {
  const { location, pickupLocation } = held.view;
  if (!location) return undefined;
  const known = pinsMade.get(held);
  if (known) return known;
  const { id, status, isLate, agentId, etaAtMs, dueAtMs } = held.row;
  const pin: TaskPin = {
    id,
    longitude: Number(location.longitude),
    latitude: Number(location.latitude),
    pickup: pickupLocation && [Number(pickupLocation.longitude), Number(pickupLocation.latitude)],
    status,
    isLate,
    agentId,
    etaAtMs,
    order: status === 'in_transit' ? 0 : (etaAtMs ?? dueAtMs),
  };
  pinsMade.set(held, pin);
  return pin;
}

/** A courier's stops of today in the order of the plan, after those that are done. Null for a courier whom the worker does not hold. */
export function courierDayOf(
  records: Records,
  agentId: number,
  { todayMs, nowMs }: { readonly todayMs: number; readonly nowMs: number },
): CourierDay | null {
  const agent = records.agents.get(agentId)?.view;
  if (!agent) return null;
  const position = records.positions.get(agentId);
  const stops: DayStop[] = [];
  for (const task of records.tasks.values()) {
    const { row } = task;
    const isOfToday = isOpen(row.status) || (row.status === 'completed' && (row.endedAtMs ?? 0) >= todayMs);
    // The children of a job have the courier and the places, and are tasks of their own.
    if (row.agentId === agentId && isOfToday && task.view.children.length === 0) stops.push(stopOf(task));
  }
  stops.sort((a, b) => Number(isOpen(a.row.status)) - Number(isOpen(b.row.status)) || placeOf(a) - placeOf(b));
  const { dutyChangedAt, shift, skills, vehicle } = agent;
  return {
    agentId,
    dutySinceMs: dutyChangedAt === null ? null : Date.parse(dutyChangedAt),
    shift,
    skills,
    maxWeightKg: vehicle?.maxWeightKg ?? null,
    maxPackages: vehicle?.maxPackages ?? null,
    weightKg: sumOf(stops, records, 'weight'),
    packages: sumOf(stops, records, 'quantity'),
    accuracyM: position?.view.accuracy ?? null,
    isStale: position !== undefined && isStaleAt(position.heardAtMs, nowMs),
    stops,
  };
}

/** Where a stop stands in the day: when it was done, when the courier is expected, or when it is due. */
function placeOf({ row }: Pick<DayStop, 'row'>): number {
  return row.endedAtMs ?? row.etaAtMs ?? row.dueAtMs;
}

function stopOf({ row, view }: HeldTask): DayStop {
  const time = (at: string | null) => (at === null ? null : Date.parse(at));
  return {
    row,
    windowStartMs: time(view.windowStart),
    windowEndMs: time(view.windowEnd),
    pickupEtaMs: view.pickedUpAt === null ? time(view.pickupEtaAt) : null,
  };
}

/** The weight of the open tasks, or the number of their packages. */
function sumOf(stops: readonly DayStop[], records: Records, field: 'weight' | 'quantity'): number {
  let sum = 0;
  for (const { row } of stops) {
    if (!isOpen(row.status)) continue;
    for (const { weight, quantity } of records.tasks.get(row.id)!.view.packages)
      sum += field === 'quantity' ? quantity : Number(weight ?? 0) * quantity;
  }
  return sum;
}
