import { LIMITS } from '../../schema/limits.ts';
import type { Place, RoundView, TravelTime } from '../domain/assignment/round-view.ts';
import {
  afterFailure,
  afterSuccess,
  type EndpointCircuit,
  isOnTrial,
  isPaused,
} from '../domain/outbound/endpoint-circuit.ts';
import { distanceM } from '../domain/travel/geo.ts';
import { type KnownWays, STRAIGHT_WAYS, type WaySource } from '../domain/travel/known-ways.ts';
import { straightTravel } from '../domain/travel/straight-travel.ts';
import type { Clock, Scheduler } from '../runtime/clock.ts';
import { DeadlineError, withDeadline } from '../runtime/deadline.ts';
import type { Log } from '../runtime/log.ts';
import { osrmDialect } from './osrm-dialect.ts';
import { cellOf } from './place-cell.ts';
import { createRoutingClient, type RoutingClient, RoutingRefusal } from './routing-client.ts';
import type { RoutingDialect } from './routing-dialect.ts';
import { blocksOf, halved, type TripBlock } from './trip-blocks.ts';
import { TripCache } from './trip-cache.ts';
import type { KnownTrips, TripTable } from './trip-table.ts';
import { valhallaDialect } from './valhalla-dialect.ts';
import { TripCollector, type Trips, type WantedTrips, wantedTrips } from './wanted-trips.ts';

export interface RoutingEngine {
  readonly url: string;
  readonly kind: 'osrm' | 'valhalla';
}

export interface TravelTimesOptions {
  /** Undefined: ways are estimated. */
  readonly engine: RoutingEngine | undefined;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly log: Log;
}

/** The outcomes of tables and trips since the start. */
export interface TravelCounts {
  tablesAnswered: number;
  tablesRefused: number;
  tablesFailed: number;
  /** Trips that rounds wanted: the engine's way is known, or it had to be estimated. */
  tripsKnown: number;
  tripsEstimated: number;
}

export interface TravelTimes extends WaySource {
  /**
   * Learns the ways that a round is about to ask for; null is knowing none. Never rejects, and never takes longer than
   * LIMITS.routingRoundMs: what is not known by then is estimated.
   */
  prepare(view: RoundView): Promise<TripTable | null>;
  readonly counts: Readonly<TravelCounts>;
  stop(): Promise<void>;
}

export function createTravelTimes({ engine, clock, scheduler, log }: TravelTimesOptions): TravelTimes {
  if (engine === undefined)
    return { ...STRAIGHT_WAYS, prepare: async () => null, counts: noCounts(), stop: async () => {} };
  const dialect = engine.kind === 'osrm' ? osrmDialect(engine.url) : valhallaDialect(engine.url);
  return new RoutedTravelTimes(dialect, createRoutingClient(dialect, scheduler), clock, log);
}

/** Trips of which fewer are known say nothing of how fast others are. */
const TELLING_TRIPS = 20;

/** Tables of one round that wait to be asked for. */
interface Errand {
  readonly mode: string;
  readonly block: TripBlock;
}

class RoutedTravelTimes implements TravelTimes {
  readonly counts = noCounts();
  readonly #dialect: RoutingDialect;
  readonly #client: RoutingClient;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #cache = new TripCache();
  #circuit: EndpointCircuit = afterSuccess();
  #isTrialUnderWay = false;
  #hasToldOfRefusals = false;

  constructor(dialect: RoutingDialect, client: RoutingClient, clock: Clock, log: Log) {
    this.#dialect = dialect;
    this.#client = client;
    this.#clock = clock;
    this.#log = log;
  }

  async prepare(view: RoundView): Promise<TripTable | null> {
    const wanted = wantedTrips(view, (vehicleType) => this.#dialect.modeOf(vehicleType));
    await this.#learn(wanted, LIMITS.routingRoundMs);
    const modes = [...wanted.byMode.keys()];
    const vehicles = new Set(view.agents.map(({ vehicleType }) => vehicleType));
    return {
      modeOfVehicle: new Map([...vehicles].map((type) => [type, modes.indexOf(this.#dialect.modeOf(type) ?? '')])),
      modes: modes.map((mode) => this.#knownTrips(mode, wanted)),
    };
  }

  ways(): KnownWays {
    const wanted = new TripCollector();
    let missing = 0;
    const travel: TravelTime = (from, to, vehicleType) => {
      const straight = straightTravel(from, to, vehicleType);
      const mode = this.#dialect.modeOf(vehicleType);
      if (mode === undefined) return straight;
      const seconds = this.#cache.find(mode, cellOf(from), cellOf(to), this.#clock.monotonic());
      if (seconds === undefined && wanted.add(mode, from, to)) missing += 1;
      return seconds == null ? straight : { distanceM: straight.distanceM, ms: seconds * 1_000 };
    };
    return {
      travel,
      get missing() {
        return missing;
      },
      learn: (withinMs) => this.#learn(wanted, withinMs),
    };
  }

  stop(): Promise<void> {
    return this.#client.stop();
  }

  async #learn(wanted: WantedTrips, withinMs: number): Promise<void> {
    const errands = [...wanted.byMode].flatMap(([mode, trips]) =>
      blocksOf(this.#unknown(mode, trips)).map((block) => ({ mode, block })),
    );
    if (errands.length > 0) await this.#runErrands(errands, wanted, withinMs);
  }

  #unknown(mode: string, trips: Trips): Trips {
    const now = this.#clock.monotonic();
    const unknown: Trips = new Map();
    for (const [from, ends] of trips) {
      const left = [...ends].filter((to) => this.#cache.find(mode, from, to, now) === undefined);
      if (left.length > 0) unknown.set(from, new Set(left));
    }
    return unknown;
  }

  /** Some at a time, until all are done, too many were asked, or nobody waits any longer. */
  async #runErrands(errands: Errand[], wanted: WantedTrips, withinMs: number): Promise<void> {
    let isOver = false;
    let tables = 0;
    const runOne = async () => {
      while (!isOver && tables < LIMITS.routingTables && this.#mayAsk()) {
        const errand = errands.shift();
        if (!errand) return;
        tables += 1;
        errands.unshift(...(await this.#ask(errand, wanted)));
      }
    };
    const runners = Promise.all(Array.from({ length: LIMITS.routingTablesAtOnce }, runOne));
    try {
      await withDeadline(runners, withinMs, 'learning ways');
    } catch (error) {
      if (!(error instanceof DeadlineError)) throw error;
      this.#log.debug({ tables, waiting: errands.length }, 'not all ways are waited for');
    } finally {
      isOver = true;
    }
  }

  #mayAsk(): boolean {
    const now = this.#clock.monotonic();
    if (isPaused(this.#circuit, now)) return false;
    return !(isOnTrial(this.#circuit, now) && this.#isTrialUnderWay);
  }

  /** The next requests: the halves of a table that was refused. */
  async #ask({ mode, block }: Errand, { places, byMode }: WantedTrips): Promise<Errand[]> {
    const isTrial = isOnTrial(this.#circuit, this.#clock.monotonic());
    if (isTrial) this.#isTrialUnderWay = true;
    const placesOf = (cells: readonly number[]): Place[] => cells.map((cell) => places.get(cell)!);
    try {
      const table = await this.#client.ask(mode, placesOf(block.from), placesOf(block.to));
      this.counts.tablesAnswered += 1;
      this.#noteAnswer();
      this.#keep(mode, block, byMode.get(mode)!, (row, column) => table[row]![column]!);
      return [];
    } catch (error) {
      if (!(error instanceof RoutingRefusal)) {
        this.counts.tablesFailed += 1;
        this.#noteFailure(error);
        return [];
      }
      this.counts.tablesRefused += 1;
      this.#noteAnswer();
      this.#noteRefusal(error);
      const halves = halved(block);
      if (!halves) this.#keep(mode, block, byMode.get(mode)!, () => null);
      return (halves ?? []).map((half) => ({ mode, block: half }));
    } finally {
      if (isTrial) this.#isTrialUnderWay = false;
    }
  }

  #keep(mode: string, block: TripBlock, trips: Trips, at: (row: number, column: number) => number | null): void {
    const now = this.#clock.monotonic();
    for (const [row, from] of block.from.entries()) {
      const ends = trips.get(from);
      for (const [column, to] of block.to.entries())
        if (ends?.has(to)) this.#cache.keep(mode, from, to, at(row, column), now);
    }
  }

  #knownTrips(mode: string, { byMode, places }: WantedTrips): KnownTrips {
    const now = this.#clock.monotonic();
    const known: { from: number; to: number; ms: number }[] = [];
    let [straightM, totalMs] = [0, 0];
    for (const [from, ends] of byMode.get(mode)!) {
      for (const to of ends) {
        const seconds = this.#cache.find(mode, from, to, now);
        if (seconds == null) {
          this.counts.tripsEstimated += 1;
          continue;
        }
        const [start, end] = [places.get(from)!, places.get(to)!];
        straightM += distanceM(start.latitude, start.longitude, end.latitude, end.longitude);
        totalMs += seconds * 1_000;
        known.push({ from, to, ms: seconds * 1_000 });
      }
    }
    this.counts.tripsKnown += known.length;
    return {
      from: Float64Array.from(known, (trip) => trip.from),
      to: Float64Array.from(known, (trip) => trip.to),
      ms: Float64Array.from(known, (trip) => trip.ms),
      metersPerMs: known.length >= TELLING_TRIPS && totalMs > 0 ? straightM / totalMs : null,
    };
  }

  #noteAnswer(): void {
    if (this.#circuit.pausedUntilMs !== null) this.#log.info('the routing engine is back');
    this.#circuit = afterSuccess();
  }

  #noteFailure(error: unknown): void {
    const wasPaused = this.#circuit.pausedUntilMs !== null;
    this.#circuit = afterFailure(this.#circuit, this.#clock.monotonic(), undefined);
    if (wasPaused || this.#circuit.pausedUntilMs === null) return;
    this.#log.warn({ err: error }, 'the routing engine fails: ways are estimated until it answers again');
  }

  #noteRefusal(error: RoutingRefusal): void {
    if (this.#hasToldOfRefusals) return;
    this.#hasToldOfRefusals = true;
    this.#log.warn({ err: error }, 'the routing engine has no way for some places: they are estimated');
  }
}

function noCounts(): TravelCounts {
  return { tablesAnswered: 0, tablesRefused: 0, tablesFailed: 0, tripsKnown: 0, tripsEstimated: 0 };
}
