import type {
  FreeAgent,
  OpenOrder,
  RoundPlan,
  RoundSettings,
  RoundView,
  TravelTime,
} from '../../engine/domain/assignment/round-view.ts';
import { LIMITS } from '../../schema/limits.ts';
import { instanceTravel, MINUTE_MS } from './instance-travel.ts';
import type { Assignment, CourierOnShift, Policy, Sight, WaitingOrder } from './policy.ts';
import type { Instance } from './read-instance.ts';

interface PlannerSettings {
  readonly everyMs: number;
  readonly maxBundle: number;
  /** Without it the planner knows of no windows: the rule of the planner before it heeded them. */
  readonly seesWindows: boolean;
}

type PlanRound = (view: RoundView, travel: TravelTime) => RoundPlan;

const NO_LIMIT = { maxWeightKg: null, maxVolumeM3: null, maxPackages: null };

/** The engine's own planner. Its offers are carried out at once; it sees held orders again in the next round. */
export class PlannerPolicy implements Policy {
  readonly name: string;
  readonly everyMs: number;
  private readonly plan: PlanRound;
  private readonly travel: TravelTime;
  readonly seesWindows: boolean;
  private readonly settings: Omit<RoundSettings, 'nextRoundAt'>;
  private readonly orderNumbers: ReadonlyMap<string, number>;
  private readonly courierNumbers: ReadonlyMap<string, number>;
  private readonly orderIds: readonly string[];
  private readonly courierIds: readonly string[];

  constructor(
    { orders, couriers, parameters }: Instance,
    { everyMs, maxBundle, seesWindows }: PlannerSettings,
    plan: PlanRound,
  ) {
    this.name = seesWindows ? 'planner' : 'planner without windows';
    this.seesWindows = seesWindows;
    this.everyMs = everyMs;
    this.plan = plan;
    this.travel = instanceTravel(parameters.metersPerMinute);
    this.settings = {
      maxDistanceM: null,
      maxTasksPerAgent: orders.length,
      maxBundle,
      pickupServiceMs: parameters.pickupServiceMinutes * MINUTE_MS,
      dropoffServiceMs: parameters.dropoffServiceMinutes * MINUTE_MS,
      maxHoldMs: LIMITS.holdMs,
    };
    this.orderIds = orders.map(({ id }) => id);
    this.courierIds = couriers.map(({ id }) => id);
    this.orderNumbers = new Map(this.orderIds.map((id, number) => [id, number]));
    this.courierNumbers = new Map(this.courierIds.map((id, number) => [id, number]));
  }

  decide({ now, orders, couriers }: Sight): Assignment[] {
    const view = {
      now,
      orders: orders.map((waiting) => this.openOrder(waiting)),
      agents: couriers.map((courier) => this.freeAgent(courier)),
      settings: { ...this.settings, nextRoundAt: now + this.everyMs },
    };
    return this.plan(view, this.travel).offers.map(({ agentId, taskIds }) => ({
      courierId: this.courierIds[agentId]!,
      orderIds: taskIds.map((taskId) => this.orderIds[taskId]!),
    }));
  }

  private openOrder({ order, declinedBy }: WaitingOrder): OpenOrder {
    const placedAt = order.placementMinute * MINUTE_MS;
    const window = this.seesWindows ? order.window : undefined;
    return {
      taskId: this.orderNumbers.get(order.id)!,
      pickup: order.restaurant,
      dropoff: order.dropOff,
      pickupKey: order.restaurant.id,
      placedAt,
      searchingSince: placedAt,
      readyAt: order.readyMinute * MINUTE_MS,
      windowStart: window ? window.from * MINUTE_MS : null,
      dueAt: window ? window.until * MINUTE_MS : null,
      serviceMs: null,
      load: { weightKg: 0, volumeM3: 0, packages: 1 },
      requiredSkills: [],
      slot: null,
      preferredAgentId: null,
      declinedBy: [...declinedBy].map((id) => this.courierNumbers.get(id)!),
    };
  }

  private freeAgent({ courier, place, freeAt, openOrders }: CourierOnShift): FreeAgent {
    return {
      agentId: this.courierNumbers.get(courier.id)!,
      vehicleType: null,
      place,
      freeAt,
      offDutyAt: courier.offMinute * MINUTE_MS,
      capacity: NO_LIMIT,
      load: { weightKg: 0, volumeM3: 0, packages: openOrders },
      openTasks: openOrders,
      skills: [],
      slots: [],
      laterStops: [],
      shift: null,
      isStale: false,
    };
  }
}
