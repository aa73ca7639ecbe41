import type { FreeAgent, Load, OpenOrder, Place, RoundSettings, Shift, Slot } from '../domain/assignment/round-view.ts';
import type { RoundInput } from './compute-round.ts';

/**
 * A round for another thread, its view in two lists: copied as it is, each of its thousands of objects would be written
 * and read with the names of all its fields, which takes both threads longer than packing and unpacking.
 */
export interface PackedRound extends Omit<RoundInput, 'view'> {
  readonly now: number;
  readonly orders: number;
  readonly agents: number;
  readonly settings: RoundSettings;
  /** Field after field: not a number is null, a text is its place among `texts`, and a list follows its length. */
  readonly numbers: Float64Array;
  readonly texts: readonly string[];
}

export function packRound({ view, trips, mode }: RoundInput): PackedRound {
  const { now, orders, agents, settings } = view;
  const to = new Packer();
  for (const order of orders) packOrder(order, to);
  for (const agent of agents) packAgent(agent, to);
  const counts = { orders: orders.length, agents: agents.length };
  return { trips, mode, now, ...counts, settings, numbers: to.numbers, texts: to.texts };
}

export function unpackRound({ trips, mode, now, settings, ...packed }: PackedRound): RoundInput {
  const from = new Unpacker(packed.numbers, packed.texts);
  const orders = from.items(packed.orders, () => unpackOrder(from));
  const agents = from.items(packed.agents, () => unpackAgent(from));
  return { view: { now, orders, agents, settings }, trips, mode };
}

function packOrder(order: OpenOrder, to: Packer): void {
  to.number(order.taskId);
  to.place(order.pickup);
  to.place(order.dropoff);
  to.text(order.pickupKey);
  to.number(order.placedAt);
  to.number(order.searchingSince);
  to.number(order.readyAt);
  to.number(order.windowStart);
  to.number(order.dueAt);
  to.number(order.serviceMs);
  to.load(order.load);
  to.list(order.requiredSkills, (skill) => to.text(skill));
  to.slot(order.slot);
  to.number(order.preferredAgentId);
  to.list(order.declinedBy, (agentId) => to.number(agentId));
}

function unpackOrder(from: Unpacker): OpenOrder {
  return {
    taskId: from.number()!,
    pickup: from.place(),
    dropoff: from.place(),
    pickupKey: from.text(),
    placedAt: from.number()!,
    searchingSince: from.number()!,
    readyAt: from.number(),
    windowStart: from.number(),
    dueAt: from.number(),
    serviceMs: from.number(),
    load: from.load(),
    requiredSkills: from.list(() => from.text()!),
    slot: from.slot(),
    preferredAgentId: from.number(),
    declinedBy: from.list(() => from.number()!),
  };
}

function packAgent(agent: FreeAgent, to: Packer): void {
  to.number(agent.agentId);
  to.text(agent.vehicleType);
  to.place(agent.place);
  to.number(agent.freeAt);
  to.number(agent.offDutyAt);
  to.number(agent.capacity.maxWeightKg);
  to.number(agent.capacity.maxVolumeM3);
  to.number(agent.capacity.maxPackages);
  to.load(agent.load);
  to.number(agent.openTasks);
  to.list(agent.skills, (skill) => to.text(skill));
  to.list(agent.slots, (slot) => to.slot(slot));
  to.number(Number(agent.isStale));
  to.list(agent.laterStops, (stop) => {
    to.place(stop.place);
    to.number(stop.earliest);
    to.number(stop.serviceMs);
    to.number(stop.dueAt);
    to.number(stop.weight);
  });
  packShift(agent.shift, to);
}

function unpackAgent(from: Unpacker): FreeAgent {
  return {
    agentId: from.number()!,
    vehicleType: from.text(),
    place: from.place()!,
    freeAt: from.number()!,
    offDutyAt: from.number(),
    capacity: { maxWeightKg: from.number(), maxVolumeM3: from.number(), maxPackages: from.number() },
    load: from.load(),
    openTasks: from.number()!,
    skills: from.list(() => from.text()!),
    slots: from.list(() => from.slot()!),
    isStale: from.number() === 1,
    laterStops: from.list(() => ({
      place: from.place(),
      earliest: from.number()!,
      serviceMs: from.number()!,
      dueAt: from.number(),
      weight: from.number()!,
    })),
    shift: unpackShift(from),
  };
}

function packShift(shift: Shift | null, to: Packer): void {
  to.number(shift?.endsAt ?? null);
  if (!shift) return;
  to.list(shift.breaks, (pause) => to.slot(pause));
  to.place(shift.home);
}

function unpackShift(from: Unpacker): Shift | null {
  const endsAt = from.number();
  return endsAt === null ? null : { endsAt, breaks: from.list(() => from.slot()!), home: from.place() };
}

class Packer {
  readonly texts: string[] = [];
  private readonly places = new Map<string, number>();
  private room = new Float64Array(1024);
  private size = 0;

  get numbers(): Float64Array {
    return this.room.slice(0, this.size);
  }

  number(value: number | null): void {
    if (this.size === this.room.length) {
      const room = new Float64Array(2 * this.size);
      room.set(this.room);
      this.room = room;
    }
    this.room[this.size] = value === null ? Number.NaN : value;
    this.size += 1;
  }

  text(value: string | null): void {
    if (value === null) return this.number(null);
    const known = this.places.get(value);
    if (known !== undefined) return this.number(known);
    this.number(this.texts.length);
    this.places.set(value, this.texts.length);
    this.texts.push(value);
  }

  list<T>(items: readonly T[], pack: (item: T) => void): void {
    this.number(items.length);
    for (const item of items) pack(item);
  }

  place(place: Place | null): void {
    this.number(place?.latitude ?? null);
    if (place) this.number(place.longitude);
  }

  slot(slot: Slot | null): void {
    this.number(slot?.from ?? null);
    if (slot) this.number(slot.until);
  }

  load({ weightKg, volumeM3, packages }: Load): void {
    this.number(weightKg);
    this.number(volumeM3);
    this.number(packages);
  }
}

/** Reads what a Packer wrote, in the same order. */
class Unpacker {
  private readonly numbers: Float64Array;
  private readonly texts: readonly string[];
  private at = 0;

  constructor(numbers: Float64Array, texts: readonly string[]) {
    this.numbers = numbers;
    this.texts = texts;
  }

  number(): number | null {
    const value = this.numbers[this.at]!;
    this.at += 1;
    return Number.isNaN(value) ? null : value;
  }

  text(): string | null {
    const place = this.number();
    return place === null ? null : this.texts[place]!;
  }

  list<T>(unpack: () => T): readonly T[] {
    return this.items(this.number()!, unpack);
  }

  items<T>(count: number, unpack: () => T): readonly T[] {
    const items: T[] = [];
    for (let at = 0; at < count; at += 1) items.push(unpack());
    return items;
  }

  place(): Place | null {
    const latitude = this.number();
    return latitude === null ? null : { latitude, longitude: this.number()! };
  }

  slot(): Slot | null {
    const from = this.number();
    return from === null ? null : { from, until: this.number()! };
  }

  load(): Load {
    return { weightKg: this.number()!, volumeM3: this.number()!, packages: this.number()! };
  }
}
