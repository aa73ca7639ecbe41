import type { Place } from '../assignment/round-view.ts';
import { NearestQueue } from './nearest-queue.ts';

/** Places of a leaf: a look at a leaf reads every place in it, and few are wanted. */
const LEAF_SIZE = 8;
const AXES = 3;
const RADIANS = Math.PI / 180;

/** The filter of a search. Its maximum bounds the work. */
export interface Fitness {
  readonly isFit: (member: number) => boolean;
  readonly looks: number;
}

/**
 * Some of those who are somewhere, to be found by where they are: a k-d tree (Bentley 1975) of points on the unit
 * sphere. The straight line through the Earth puts them in the same order as the way around it, and needs no exception
 * for poles and the date line.
 */
export class PlaceIndex {
  /** In the order of the tree: those of a node stand together. */
  private readonly members: Int32Array;
  private readonly points: Float64Array;
  /** For node n, whose halves are 2n + 1 and 2n + 2: where its members begin and end, and the box that they lie in. */
  private readonly starts: Int32Array;
  private readonly ends: Int32Array;
  private readonly boxes: Float64Array;
  private readonly queue: NearestQueue;

  constructor(places: readonly { readonly place: Place }[], members: readonly number[]) {
    this.members = Int32Array.from(members);
    this.points = new Float64Array(AXES * members.length);
    for (let at = 0; at < members.length; at += 1) setPoint(this.points, at, places[members[at]!]!.place);
    let nodes = 1;
    for (let widest = members.length; widest > LEAF_SIZE; widest = Math.ceil(widest / 2)) nodes = 2 * nodes + 1;
    this.starts = new Int32Array(nodes);
    this.ends = new Int32Array(nodes);
    this.boxes = new Float64Array(2 * AXES * nodes);
    // Each is queued once at most.
    this.queue = new NearestQueue(nodes + members.length);
    this.build(0, 0, members.length);
  }

  /** The nearest first, of those who are fit; without a place, any. */
  nearest(place: Place | null, wanted: number, fitness?: Fitness): number[] {
    const found: number[] = [];
    if (this.members.length === 0) return found;
    let looksLeft = fitness ? fitness.looks : Number.POSITIVE_INFINITY;
    const { queue, members, starts, ends } = this;
    setPoint(target, 0, place ?? NOWHERE);
    queue.clear();
    queue.push(0, 0);
    while (found.length < wanted) {
      const next = queue.pop();
      if (next === undefined) break;
      if (next < 0) {
        found.push(members[-next - 1]!);
        continue;
      }
      const isLeaf = ends[next]! - starts[next]! <= LEAF_SIZE;
      if (!isLeaf) {
        queue.push(2 * next + 1, this.distanceToBox(2 * next + 1));
        queue.push(2 * next + 2, this.distanceToBox(2 * next + 2));
        continue;
      }
      for (let at = starts[next]!; at < ends[next]!; at += 1) {
        if (fitness) {
          if (looksLeft <= 0) break;
          looksLeft -= 1;
          if (!fitness.isFit(members[at]!)) continue;
        }
        queue.push(-at - 1, this.distanceTo(at));
      }
    }
    return found;
  }

  private build(node: number, start: number, end: number): void {
    this.starts[node] = start;
    this.ends[node] = end;
    const axis = this.encloses(node, start, end);
    if (end - start <= LEAF_SIZE) return;
    const middle = (start + end + 1) >> 1;
    this.divide(start, end, middle, axis);
    this.build(2 * node + 1, start, middle);
    this.build(2 * node + 2, middle, end);
  }

  /** Sets the box of a node, and returns the axis along which it is longest. */
  private encloses(node: number, start: number, end: number): number {
    let [longest, longestAxis] = [-1, 0];
    for (let axis = 0; axis < AXES; axis += 1) {
      let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
      for (let at = start; at < end; at += 1) {
        const value = this.points[AXES * at + axis]!;
        if (value < least) least = value;
        if (value > most) most = value;
      }
      this.boxes[2 * (AXES * node + axis)] = least;
      this.boxes[2 * (AXES * node + axis) + 1] = most;
      if (most - least > longest) [longest, longestAxis] = [most - least, axis];
    }
    return longestAxis;
  }

  /** Nobody before `middle` is farther along the axis than anybody from there on (quickselect, Hoare 1961). */
  private divide(start: number, end: number, middle: number, axis: number): void {
    const { points } = this;
    let [low, high] = [start, end - 1];
    while (low < high) {
      const pivot = points[AXES * ((low + high) >> 1) + axis]!;
      let [from, to] = [low, high];
      while (from <= to) {
        while (points[AXES * from + axis]! < pivot) from += 1;
        while (points[AXES * to + axis]! > pivot) to -= 1;
        if (from <= to) {
          this.swap(from, to);
          from += 1;
          to -= 1;
        }
      }
      if (middle <= to) high = to;
      else if (middle >= from) low = from;
      else return;
    }
  }

  private swap(one: number, other: number): void {
    const { members, points } = this;
    const member = members[one]!;
    members[one] = members[other]!;
    members[other] = member;
    for (let axis = 0; axis < AXES; axis += 1) {
      const value = points[AXES * one + axis]!;
      points[AXES * one + axis] = points[AXES * other + axis]!;
      points[AXES * other + axis] = value;
    }
  }

  /** Squared, as is the next. */
  private distanceTo(at: number): number {
    const { points } = this;
    const x = points[AXES * at]! - target[0]!;
    const y = points[AXES * at + 1]! - target[1]!;
    const z = points[AXES * at + 2]! - target[2]!;
    return x * x + y * y + z * z;
  }

  private distanceToBox(node: number): number {
    let sum = 0;
    for (let axis = 0; axis < AXES; axis += 1) {
      const value = target[axis]!;
      const least = this.boxes[2 * (AXES * node + axis)]!;
      const most = this.boxes[2 * (AXES * node + axis) + 1]!;
      const outside = value < least ? least - value : value > most ? value - most : 0;
      sum += outside * outside;
    }
    return sum;
  }
}

const NOWHERE: Place = { latitude: 0, longitude: 0 };

/** The point that is searched from. */
const target = new Float64Array(AXES);

function setPoint(points: Float64Array, at: number, { latitude, longitude }: Place): void {
  const fromAxis = Math.cos(latitude * RADIANS);
  points[AXES * at] = fromAxis * Math.cos(longitude * RADIANS);
  points[AXES * at + 1] = fromAxis * Math.sin(longitude * RADIANS);
  points[AXES * at + 2] = Math.sin(latitude * RADIANS);
}
