interface Spot {
  readonly longitude: number;
  readonly latitude: number;
}

/** As the crow flies; good for the distances of a city. */
export function metresBetween(from: Spot, to: Spot): number {
  const east = (to.longitude - from.longitude) * 111_320 * Math.cos((from.latitude * Math.PI) / 180);
  return Math.hypot(east, (to.latitude - from.latitude) * 111_320);
}
