import type { Point } from '../../../schema/fleet/position.ts';

/** The start of a COPY in binary format: its signature, no flags, no extension. */
const HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const NO_MORE_ROWS = -1;
const NULL = -1;
const COLUMNS = 11;
/** The number of columns, six of them of 8 bytes and five of 4, each behind its length. */
const MOST_ROW_BYTES = 2 + 6 * (4 + 8) + 5 * (4 + 4);
const ORGANIZATION_AT = 2 + 4;
const RECORDED_AT = ORGANIZATION_AT + 2 * (8 + 4);
const DAY_MS = 86_400_000;
const POSTGRES_EPOCH_MS = Date.UTC(2000, 0, 1);
const HIGH = 2 ** 32;

/**
 * Points of agents as the rows of one COPY. They are written in Postgres's own binary form when they arrive, into
 * existing memory: accepting one makes no garbage, and sending them takes no further work.
 */
export class TrailRows {
  readonly capacity: number;
  readonly #bytes: Buffer;
  readonly #view: DataView;
  #end = HEADER.length;
  #count = 0;

  constructor(capacity: number) {
    this.capacity = capacity;
    this.#bytes = Buffer.allocUnsafeSlow(HEADER.length + capacity * MOST_ROW_BYTES + 2);
    this.#view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset, this.#bytes.length);
    HEADER.copy(this.#bytes);
  }

  get count(): number {
    return this.#count;
  }

  /** There must be room. */
  append(organizationId: number, agentId: number, point: Point, receivedAtMs: number): void {
    this.#view.setInt16(this.#end, COLUMNS);
    this.#end += 2;
    this.#putInteger(organizationId);
    this.#putInteger(agentId);
    this.#putInteger((point.recordedAtMs - POSTGRES_EPOCH_MS) * 1_000);
    this.#putInteger((receivedAtMs - POSTGRES_EPOCH_MS) * 1_000);
    this.#putDouble(point.latitude);
    this.#putDouble(point.longitude);
    this.#putReal(point.accuracy);
    this.#putReal(point.speed);
    this.#putReal(point.heading);
    this.#putReal(point.altitude);
    this.#putReal(point.battery);
    this.#count += 1;
  }

  /** The whole COPY; valid until rows are put down or taken away. */
  toCopy(): Uint8Array {
    this.#view.setInt16(this.#end, NO_MORE_ROWS);
    return this.#bytes.subarray(0, this.#end + 2);
  }

  organizationIds(): ReadonlySet<number> {
    const ids = new Set<number>();
    for (let at = HEADER.length; at < this.#end; at = this.#endOfRow(at)) ids.add(this.#organizationOf(at));
    return ids;
  }

  /** The days (UTC, counted from one of them) on which the points were recorded: each has a partition of its own. */
  days(): ReadonlySet<number> {
    const days = new Set<number>();
    for (let at = HEADER.length; at < this.#end; at = this.#endOfRow(at)) days.add(this.#dayOf(at));
    return days;
  }

  /** A copy of the rows of one of the days. */
  ofDay(day: number): TrailRows {
    const rows = new TrailRows(this.#count);
    for (let at = HEADER.length; at < this.#end; ) {
      const next = this.#endOfRow(at);
      if (this.#dayOf(at) === day) {
        rows.#end += this.#bytes.copy(rows.#bytes, rows.#end, at, next);
        rows.#count += 1;
      }
      at = next;
    }
    return rows;
  }

  /** Takes the rows of these organizations away. */
  remove(organizationIds: ReadonlySet<number>): void {
    let kept = HEADER.length;
    for (let at = HEADER.length; at < this.#end; ) {
      const next = this.#endOfRow(at);
      if (organizationIds.has(this.#organizationOf(at))) this.#count -= 1;
      else {
        this.#bytes.copyWithin(kept, at, next);
        kept += next - at;
      }
      at = next;
    }
    this.#end = kept;
  }

  clear(): void {
    this.#end = HEADER.length;
    this.#count = 0;
  }

  #organizationOf(row: number): number {
    return this.#integerAt(row + ORGANIZATION_AT);
  }

  #dayOf(row: number): number {
    return Math.floor(this.#integerAt(row + RECORDED_AT) / (DAY_MS * 1_000));
  }

  #integerAt(at: number): number {
    return this.#view.getInt32(at) * HIGH + this.#view.getUint32(at + 4);
  }

  #endOfRow(row: number): number {
    let at = row + 2;
    for (let column = 0; column < COLUMNS; column++) at += 4 + Math.max(0, this.#view.getInt32(at));
    return at;
  }

  /** A safe integer as 8 bytes. */
  #putInteger(value: number): void {
    this.#view.setInt32(this.#end, 8);
    this.#view.setInt32(this.#end + 4, Math.floor(value / HIGH));
    this.#view.setUint32(this.#end + 8, value);
    this.#end += 12;
  }

  #putDouble(value: number): void {
    this.#view.setInt32(this.#end, 8);
    this.#view.setFloat64(this.#end + 4, value);
    this.#end += 12;
  }

  /** NaN as NULL. */
  #putReal(value: number): void {
    if (Number.isNaN(value)) {
      this.#view.setInt32(this.#end, NULL);
      this.#end += 4;
      return;
    }
    this.#view.setInt32(this.#end, 4);
    this.#view.setFloat32(this.#end + 4, value);
    this.#end += 8;
  }
}
