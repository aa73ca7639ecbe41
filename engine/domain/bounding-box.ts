import type { BoundingBox } from '../../schema/fleet/position.ts';

/** Edges are inside, longitude 180 is also -180, and a pole has every longitude. */
export function isInBox(box: BoundingBox, latitude: number, longitude: number): boolean {
  if (latitude < box.south || latitude > box.north) return false;
  if (Math.abs(latitude) === 90 || isBetween(box, longitude)) return true;
  return Math.abs(longitude) === 180 && isBetween(box, -longitude);
}

function isBetween({ west, east }: BoundingBox, longitude: number): boolean {
  return west <= east ? longitude >= west && longitude <= east : longitude >= west || longitude <= east;
}
