import { distanceM } from '../../engine/domain/travel/geo.ts';
import { type Html, html } from '../../engine/views/parts/html.ts';

export interface Place {
  readonly latitude: number;
  readonly longitude: number;
}

const WIDTH = 320;
const HEIGHT = 200;
const MARGIN = 36;
/** Places nearer to each other are drawn on a map of this size. */
const LEAST_SPAN_M = 300;
const RADIANS = Math.PI / 180;
const METRES_PER_DEGREE = 111_195;

/**
 * Where the agent is and where it goes, north up, with a scale: a drawing of our own, for which nothing is asked of
 * anybody. Text alternatives are for its caller to write.
 */
export function trackingMap(agent: Place, destination: Place): Html {
  const east = shortWayRound(agent.longitude - destination.longitude);
  const middleLatitude = (agent.latitude + destination.latitude) / 2;
  const eastM = east * METRES_PER_DEGREE * Math.cos(middleLatitude * RADIANS);
  const northM = (agent.latitude - destination.latitude) * METRES_PER_DEGREE;
  const spanX = Math.max(Math.abs(eastM), LEAST_SPAN_M);
  const spanY = Math.max(Math.abs(northM), LEAST_SPAN_M);
  const pixelsPerM = Math.min((WIDTH - 2 * MARGIN) / spanX, (HEIGHT - 2 * MARGIN) / spanY);
  const place = (share: number) => ({
    x: round(WIDTH / 2 + share * eastM * pixelsPerM),
    y: round(HEIGHT / 2 - share * northM * pixelsPerM),
  });
  const [from, to] = [place(0.5), place(-0.5)];
  const scaleM = roundLength(90 / pixelsPerM);
  const scale = round(scaleM * pixelsPerM);
  return html`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-hidden="true" focusable="false">
<rect class="ground" width="${WIDTH}" height="${HEIGHT}" rx="8"/>
<path class="grid" d="${gridOf(scale)}"/>
<path class="way" d="M${from.x} ${from.y}L${to.x} ${to.y}"/>
<g class="goal"><circle cx="${to.x}" cy="${to.y}" r="9"/><path d="M${to.x - 4} ${to.y}l3 3 5-6"/></g>
<g class="agent"><circle cx="${from.x}" cy="${from.y}" r="13"/><circle cx="${from.x}" cy="${from.y}" r="7"/></g>
<path class="scale" d="M12 ${HEIGHT - 12}v4h${scale}v-4"/><text x="${12 + scale / 2}" y="${HEIGHT - 14}" text-anchor="middle">${lengthText(scaleM)}</text>
<text x="${WIDTH - 14}" y="20" text-anchor="middle">N</text><path class="scale" d="M${WIDTH - 14} 24v12m-4-8l4-4 4 4"/>
</svg>`;
}

/** As the crow flies. */
export function distanceText(one: Place, other: Place): string {
  return lengthText(distanceM(one.latitude, one.longitude, other.latitude, other.longitude));
}

function lengthText(metres: number): string {
  if (metres < 995) return `${Math.max(10, Math.round(metres / 10) * 10)} m`;
  return `${metres < 9_950 ? (metres / 1_000).toFixed(1).replace('.0', '') : Math.round(metres / 1_000)} km`;
}

/** The longest of 1, 2, 5 times a power of ten that is not longer. */
function roundLength(metres: number): number {
  const power = 10 ** Math.floor(Math.log10(metres));
  return power * [5, 2, 1].find((times) => times * power <= metres)!;
}

function gridOf(step: number): string {
  const distance = Math.max(step, 24);
  let path = '';
  for (let x = distance; x < WIDTH; x += distance) path += `M${round(x)} 0v${HEIGHT}`;
  for (let y = distance; y < HEIGHT; y += distance) path += `M0 ${round(y)}h${WIDTH}`;
  return path;
}

function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}

function shortWayRound(degrees: number): number {
  if (degrees > 180) return degrees - 360;
  return degrees < -180 ? degrees + 360 : degrees;
}
