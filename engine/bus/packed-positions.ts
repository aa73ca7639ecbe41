import type { KnownPosition } from '../store/positions/position-store.ts';

const FIELDS = ['agentId', 'recordedAtMs', 'heardAtMs', 'latitude', 'longitude'] as const;
const FIELD_BYTES = 8;
const POSITION_BYTES = FIELDS.length * FIELD_BYTES;

/** Positions for another process: a round asks for thousands of them, which as JSON would hold up the gateway. */
export function packPositions(positions: readonly KnownPosition[]): Buffer {
  const packed = Buffer.allocUnsafe(positions.length * POSITION_BYTES);
  let at = 0;
  for (const position of positions) for (const field of FIELDS) at = packed.writeDoubleLE(position[field], at);
  return packed;
}

/** Throws on bytes that are no whole positions. */
export function unpackPositions(packed: Buffer): KnownPosition[] {
  if (packed.length % POSITION_BYTES !== 0) throw new Error(`${packed.length} bytes are no positions`);
  const positions: KnownPosition[] = [];
  for (let at = 0; at < packed.length; at += POSITION_BYTES) {
    const field = (index: number) => packed.readDoubleLE(at + index * FIELD_BYTES);
    positions.push({
      agentId: field(0),
      recordedAtMs: field(1),
      heardAtMs: field(2),
      latitude: field(3),
      longitude: field(4),
    });
  }
  return positions;
}
