import { type City, type Draw, distance, type Spot } from './city.ts';

export const VEHICLES = ['bike', 'scooter', 'car', 'van'] as const;
export type Vehicle = (typeof VEHICLES)[number];

/** The report of a device in the vehicle. */
export interface Reading {
  readonly latitude: number;
  readonly longitude: number;
  /** Metres within which the device believes to be, with a probability of two thirds. */
  readonly accuracy: number;
  /** Metres a second. */
  readonly speed: number;
  /** Degrees clockwise from north. */
  readonly heading: number;
}

/** Metres a second in a town, between two lights. */
const SPEEDS: Readonly<Record<Vehicle, number>> = { bike: 4.5, scooter: 8, car: 9.5, van: 8.5 };
/** How a leg's speed differs from the usual one, in percent. */
const SLOWEST_PERCENT = 70;
const FASTEST_PERCENT = 115;
const RED_LIGHT = { oneIn: 4, leastSeconds: 4, mostSeconds: 25 };
const REST = { leastSeconds: 10, mostSeconds: 60 };
const ROAM_METRES = 700;
/** In time lapse too: a faster vehicle looks like an error of the device. */
const MOST_METRES_PER_SECOND = 85;
/** Between high houses. */
const POOR_FIX = { oneIn: 60, leastMetres: 25, mostMetres: 50 };
const GOOD_FIX = { leastMetres: 4, mostMetres: 12 };
/** How much of an error stays until the next reading: devices drift more than they jump. */
const DRIFT = 0.75;

export interface TravellerOptions {
  readonly city: City;
  readonly vehicle: Vehicle;
  readonly draw: Draw;
  /** How much faster than the clock it lives. */
  readonly timeLapse: number;
  /** On an avenue or a street; drawn by default. */
  readonly start?: Spot | undefined;
}

/**
 * An agent on the road.
 *
 * - roaming: drives to places near by, rests there, and goes on.
 * - under way: drives to where it was sent.
 * - arrived: stays there until it is released.
 */
export class Traveller {
  readonly #city: City;
  readonly #vehicle: Vehicle;
  readonly #draw: Draw;
  readonly #timeLapse: number;
  #spot: Spot;
  #way: Spot[] = [];
  #pauseSeconds = 0;
  #legSpeed = 0;
  #speed = 0;
  #heading = 0;
  #drift: Spot = { x: 0, y: 0 };
  #isSent = false;
  #onArrival: (() => void) | undefined;

  constructor({ city, vehicle, draw, timeLapse, start }: TravellerOptions) {
    this.#city = city;
    this.#vehicle = vehicle;
    this.#draw = draw;
    this.#timeLapse = timeLapse;
    this.#spot = start ?? city.spot(draw);
  }

  /** Where it really is. */
  get spot(): Spot {
    return this.#spot;
  }

  /** Sends it to a place; `onArrival` is called there, unless it is sent elsewhere or released before. */
  driveTo(spot: Spot, onArrival: () => void): void {
    this.#isSent = true;
    this.#onArrival = onArrival;
    this.#pauseSeconds = 0;
    this.#setOut(spot);
  }

  /** Lets it roam. */
  release(): void {
    this.#isSent = false;
    this.#onArrival = undefined;
    this.#way = [];
  }

  /** Drives on for so long by the clock. */
  advance(seconds: number): void {
    let left = seconds * this.#timeLapse;
    this.#speed = 0;
    while (left > 0) {
      if (this.#pauseSeconds > 0) {
        const waited = Math.min(left, this.#pauseSeconds);
        this.#pauseSeconds -= waited;
        left -= waited;
      } else if (this.#way.length > 0) {
        left -= this.#drive(left);
      } else if (this.#isSent) {
        this.#arrive();
        return;
      } else {
        this.#setOut(this.#city.spotNear(this.#spot, ROAM_METRES, this.#draw));
        this.#pauseSeconds = this.#between(REST.leastSeconds, REST.mostSeconds);
      }
    }
  }

  /** The device's present reading. */
  read(): Reading {
    const draw = this.#draw;
    const fix = draw(POOR_FIX.oneIn) === 0 ? POOR_FIX : GOOD_FIX;
    const accuracy = this.#between(fix.leastMetres, fix.mostMetres);
    // Two thirds of the readings are within `accuracy`: 1.5 deviations of a normal error in the plane.
    const jump = (accuracy / 1.5) * Math.sqrt(1 - DRIFT ** 2);
    this.#drift = { x: this.#drift.x * DRIFT + jump * normal(draw), y: this.#drift.y * DRIFT + jump * normal(draw) };
    const { x, y } = this.#spot;
    const { latitude, longitude } = this.#city.toDegrees({ x: x + this.#drift.x, y: y + this.#drift.y });
    return { latitude, longitude, accuracy, speed: this.#speed * this.#timeLapse, heading: this.#heading };
  }

  #setOut(to: Spot): void {
    this.#way = this.#city.route(this.#spot, to, this.#draw);
    this.#beginLeg();
  }

  /** Drives for at most `seconds` and at most to the next corner; how long it took. */
  #drive(seconds: number): number {
    const [corner] = this.#way as [Spot];
    const metres = distance(this.#spot, corner);
    const needed = metres / this.#legSpeed;
    this.#speed = this.#legSpeed;
    if (needed > seconds) {
      const share = seconds / needed;
      const { x, y } = this.#spot;
      this.#spot = { x: x + (corner.x - x) * share, y: y + (corner.y - y) * share };
      return seconds;
    }
    this.#spot = corner;
    this.#way.shift();
    if (this.#way.length > 0) {
      if (this.#draw(RED_LIGHT.oneIn) === 0)
        this.#pauseSeconds = this.#between(RED_LIGHT.leastSeconds, RED_LIGHT.mostSeconds);
      this.#beginLeg();
    }
    return needed;
  }

  #beginLeg(): void {
    const usual = (SPEEDS[this.#vehicle] * this.#between(SLOWEST_PERCENT, FASTEST_PERCENT)) / 100;
    this.#legSpeed = Math.min(usual, MOST_METRES_PER_SECOND / this.#timeLapse);
    const next = this.#way[0];
    if (!next) return;
    const degrees = (Math.atan2(next.x - this.#spot.x, next.y - this.#spot.y) * 180) / Math.PI;
    this.#heading = (degrees + 360) % 360;
  }

  #arrive(): void {
    const onArrival = this.#onArrival;
    this.#onArrival = undefined;
    onArrival?.();
  }

  #between(least: number, most: number): number {
    return least + this.#draw(most - least + 1);
  }
}

/** Near enough to a standard normal deviate: the sum of twelve uniform ones, shifted. */
function normal(draw: Draw): number {
  let sum = -6;
  for (let each = 0; each < 12; each++) sum += draw(1_000_000) / 1_000_000;
  return sum;
}
