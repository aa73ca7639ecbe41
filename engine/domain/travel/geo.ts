/** The mean radius (IUGG): on the real Earth no distance is more than 0.6 % off. */
const EARTH_RADIUS_M = 6_371_008.8;
const RADIANS = Math.PI / 180;

/** Below both, the plane that touches the Earth between two places is off by less than a hundred-thousandth. */
const PLANE_DEGREES = 0.1;
const PLANE_LATITUDE = 80;

/**
 * Metres along the surface between two places given in degrees. Places near each other, which are nearly all that is
 * asked about, cost one cosine and one root; the others are calculated on the sphere.
 */
export function distanceM(latitude1: number, longitude1: number, latitude2: number, longitude2: number): number {
  const north = latitude2 - latitude1;
  const east = shortWayRound(longitude2 - longitude1);
  const isNear =
    Math.abs(north) < PLANE_DEGREES && Math.abs(east) < PLANE_DEGREES && Math.abs(latitude1) < PLANE_LATITUDE;
  if (!isNear) return haversineM(latitude1, latitude2, east);
  const shrunken = east * Math.cos(((latitude1 + latitude2) / 2) * RADIANS);
  return EARTH_RADIUS_M * RADIANS * Math.sqrt(north * north + shrunken * shrunken);
}

function haversineM(latitude1: number, latitude2: number, east: number): number {
  const sinNorth = Math.sin(((latitude2 - latitude1) / 2) * RADIANS);
  const sinEast = Math.sin((east / 2) * RADIANS);
  const squared =
    sinNorth * sinNorth + Math.cos(latitude1 * RADIANS) * Math.cos(latitude2 * RADIANS) * sinEast * sinEast;
  // Rounding may carry antipodes past 1.
  return 2 * EARTH_RADIUS_M * Math.asin(Math.sqrt(Math.min(1, squared)));
}

/** A difference of longitudes as the short way round has it. */
function shortWayRound(degrees: number): number {
  if (degrees > 180) return degrees - 360;
  return degrees < -180 ? degrees + 360 : degrees;
}
