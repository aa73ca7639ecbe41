import type { Point } from '../../../schema/fleet/position.ts';

/** A row of a COPY in binary form, as the documentation of Postgres has it; null is NULL. */
export interface CopiedRow {
  readonly organizationId: number;
  readonly agentId: number;
  readonly recordedAtMs: number;
  readonly receivedAtMs: number;
  readonly doubles: readonly number[];
  readonly reals: readonly (number | null)[];
}

const HEADER_BYTES = 19;
const EPOCH_MS = Date.UTC(2000, 0, 1);

export function readRows(copy: Uint8Array): CopiedRow[] {
  const bytes = Buffer.from(copy);
  const rows: CopiedRow[] = [];
  let at = HEADER_BYTES;
  const field = () => {
    const length = bytes.readInt32BE(at);
    const value = length === -1 ? null : bytes.subarray(at + 4, at + 4 + length);
    at += 4 + Math.max(0, length);
    return value;
  };
  const integer = () => Number(field()!.readBigInt64BE());
  const moment = () => integer() / 1_000 + EPOCH_MS;
  for (; bytes.readInt16BE(at) !== -1; ) {
    at += 2;
    rows.push({
      organizationId: integer(),
      agentId: integer(),
      recordedAtMs: moment(),
      receivedAtMs: moment(),
      doubles: [field()!.readDoubleBE(), field()!.readDoubleBE()],
      reals: Array.from({ length: 5 }, () => field()?.readFloatBE() ?? null),
    });
  }
  if (at + 2 !== bytes.length) throw new Error(`${bytes.length - at - 2} bytes behind the end`);
  return rows;
}

export function trailPoint(parts: Partial<Point>): Point {
  const unsaid = { accuracy: Number.NaN, speed: Number.NaN, heading: Number.NaN };
  return { latitude: 1, longitude: 2, recordedAtMs: 0, ...unsaid, altitude: Number.NaN, battery: Number.NaN, ...parts };
}
