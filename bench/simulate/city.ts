/** Metres east and north of the centre. */
export interface Spot {
  readonly x: number;
  readonly y: number;
}

/** Draws a whole number below `bound`. */
export type Draw = (bound: number) => number;

export interface Degrees {
  readonly latitude: number;
  readonly longitude: number;
}

/** A block is longer between two avenues than between two streets. */
const AVENUE_METRES = 120;
const STREET_METRES = 90;
const METRES_PER_DEGREE = 111_320;
/** There is a traffic light at least every so many crossings of a long way. */
const CROSSINGS_BETWEEN_LIGHTS = 4;
const HOUSE_METRES = 12;
const OUTSKIRTS_METRES = 30_000;

/**
 * A town of avenues (running north) and streets (running east) in a grid. Every point of it lies on one of them: `x` is
 * a multiple of the width of a block, or `y` is one of its depth.
 */
export class City {
  readonly #center: Degrees;
  readonly #avenues: number;
  readonly #streets: number;
  readonly #metresPerDegreeEast: number;

  /** `sideMetres` across, rounded to whole blocks. Throws RangeError near a pole, where degrees are no grid. */
  constructor(center: Degrees, sideMetres: number) {
    if (Math.abs(center.latitude) > 80) throw new RangeError('there are no cities beyond 80 degrees of latitude');
    this.#center = center;
    this.#avenues = Math.max(2, Math.round(sideMetres / 2 / AVENUE_METRES));
    this.#streets = Math.max(2, Math.round(sideMetres / 2 / STREET_METRES));
    this.#metresPerDegreeEast = METRES_PER_DEGREE * Math.cos((center.latitude * Math.PI) / 180);
  }

  /** Somewhere on an avenue or a street. */
  spot(draw: Draw): Spot {
    const avenue = (draw(2 * this.#avenues + 1) - this.#avenues) * AVENUE_METRES;
    const street = (draw(2 * this.#streets + 1) - this.#streets) * STREET_METRES;
    if (draw(2) === 0) return { x: avenue, y: draw(2 * this.#streets * STREET_METRES) - this.#streets * STREET_METRES };
    return { x: draw(2 * this.#avenues * AVENUE_METRES) - this.#avenues * AVENUE_METRES, y: street };
  }

  /** Somewhere on an avenue or a street at most about `metres` away. */
  spotNear({ x, y }: Spot, metres: number, draw: Draw): Spot {
    const away = () => draw(2 * metres + 1) - metres;
    const [nearX, nearY] = [
      clamp(x + away(), this.#avenues * AVENUE_METRES),
      clamp(y + away(), this.#streets * STREET_METRES),
    ];
    if (draw(2) === 0) return { x: Math.round(nearX / AVENUE_METRES) * AVENUE_METRES, y: nearY };
    return { x: nearX, y: Math.round(nearY / STREET_METRES) * STREET_METRES };
  }

  /**
   * The nearest spot on an avenue or a street, which go on beyond the city's edge; undefined so far outside that it is
   * another city.
   */
  spotAt({ latitude, longitude }: Degrees): Spot | undefined {
    const x = (longitude - this.#center.longitude) * this.#metresPerDegreeEast;
    const y = (latitude - this.#center.latitude) * METRES_PER_DEGREE;
    if (Math.hypot(x, y) > OUTSKIRTS_METRES) return undefined;
    const [avenue, street] = [
      Math.round(x / AVENUE_METRES) * AVENUE_METRES,
      Math.round(y / STREET_METRES) * STREET_METRES,
    ];
    return Math.abs(x - avenue) <= Math.abs(y - street) ? { x: avenue, y } : { x, y: street };
  }

  /** Corners and lights on the way, each on the same avenue or street as the one before; the last one is `to`. */
  route(from: Spot, to: Spot, draw: Draw): Spot[] {
    if (isAvenue(from) && from.x === to.x) return withLights(from, [to]);
    if (isStreet(from) && from.y === to.y) return withLights(from, [to]);
    const [first, last] = [cornerTowards(from, to), cornerTowards(to, from)];
    const [west, east] = [Math.min(first.x, last.x), Math.max(first.x, last.x)];
    const avenue = west + draw((east - west) / AVENUE_METRES + 1) * AVENUE_METRES;
    return withLights(from, [first, { x: avenue, y: first.y }, { x: avenue, y: last.y }, last, to]);
  }

  toDegrees({ x, y }: Spot): Degrees {
    const { latitude, longitude } = this.#center;
    const east = longitude + x / this.#metresPerDegreeEast;
    return { latitude: latitude + y / METRES_PER_DEGREE, longitude: ((east + 540) % 360) - 180 };
  }

  /** The address in the words of a courier. */
  addressOf(spot: Spot): string {
    if (!isAvenue(spot)) return `${houseAt(spot.x)} ${ordinal(spot.y / STREET_METRES + this.#streets + 1)} Street`;
    return `${houseAt(spot.y)} ${ordinal(spot.x / AVENUE_METRES + this.#avenues + 1)} Avenue`;
  }
}

export function distance(from: Spot, to: Spot): number {
  return Math.hypot(to.x - from.x, to.y - from.y);
}

function isAvenue({ x }: Spot): boolean {
  return x % AVENUE_METRES === 0;
}

function isStreet({ y }: Spot): boolean {
  return y % STREET_METRES === 0;
}

/** The crossing at the end of the block that lies in the direction of `other`. */
function cornerTowards(spot: Spot, other: Spot): Spot {
  const end = (here: number, there: number, block: number) =>
    (there >= here ? Math.ceil(here / block) : Math.floor(here / block)) * block;
  if (isAvenue(spot)) return { x: spot.x, y: end(spot.y, other.y, STREET_METRES) };
  return { x: end(spot.x, other.x, AVENUE_METRES), y: spot.y };
}

function withLights(from: Spot, corners: readonly Spot[]): Spot[] {
  const way: Spot[] = [];
  let here = from;
  for (const corner of corners) {
    const metres = distance(here, corner);
    if (metres === 0) continue;
    const block = corner.x === here.x ? STREET_METRES : AVENUE_METRES;
    const legs = Math.ceil(metres / (block * CROSSINGS_BETWEEN_LIGHTS));
    for (let leg = 1; leg < legs; leg++) {
      const share = leg / legs;
      way.push({ x: here.x + (corner.x - here.x) * share, y: here.y + (corner.y - here.y) * share });
    }
    way.push(corner);
    here = corner;
  }
  return way;
}

function houseAt(metres: number): number {
  return 1 + Math.round(Math.abs(metres) / HOUSE_METRES);
}

function ordinal(number: number): string {
  const suffix = ['th', 'st', 'nd', 'rd'][number % 10] ?? 'th';
  return `${number}${number % 100 >= 11 && number % 100 <= 13 ? 'th' : suffix}`;
}

function clamp(metres: number, most: number): number {
  return Math.max(-most, Math.min(most, metres));
}
