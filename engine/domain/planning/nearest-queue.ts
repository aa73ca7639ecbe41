/** Numbers by how far away they are, the nearest first; ties as they come. Makes no objects. */
export class NearestQueue {
  private readonly distances: Float64Array;
  private readonly values: Int32Array;
  private size = 0;

  /** For so many at a time at most. */
  constructor(capacity: number) {
    this.distances = new Float64Array(capacity);
    this.values = new Int32Array(capacity);
  }

  push(value: number, distance: number): void {
    const { distances, values } = this;
    let place = this.size;
    this.size += 1;
    while (place > 0) {
      const above = (place - 1) >> 1;
      if (distances[above]! <= distance) break;
      distances[place] = distances[above]!;
      values[place] = values[above]!;
      place = above;
    }
    distances[place] = distance;
    values[place] = value;
  }

  /** Undefined when there is none. */
  pop(): number | undefined {
    if (this.size === 0) return undefined;
    const { distances, values } = this;
    const first = values[0]!;
    this.size -= 1;
    const { size } = this;
    const distance = distances[size]!;
    let place = 0;
    for (let below = 1; below < size; below = 2 * place + 1) {
      if (below + 1 < size && distances[below + 1]! < distances[below]!) below += 1;
      if (distance <= distances[below]!) break;
      distances[place] = distances[below]!;
      values[place] = values[below]!;
      place = below;
    }
    distances[place] = distance;
    values[place] = values[size]!;
    return first;
  }

  clear(): void {
    this.size = 0;
  }
}
