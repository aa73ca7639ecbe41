import type { CourierPin } from '../live/protocol.ts';
import type { MapColors } from './map-colors.ts';

const RATIO = 2;
const RADIUS = 6.5;
/**
 * How far a picture reaches around the place of its courier, in pixels of the screen; the nose points up. No farther than
 * it has to: without a graphics card an empty pixel costs as much as a full one.
 */
export const REACH_PX = { side: 8.5, up: 11, down: 8.5 } as const;
const WIDTH = 2 * REACH_PX.side * RATIO;
const HEIGHT = (REACH_PX.up + REACH_PX.down) * RATIO;

type State = CourierPin['state'];

const STATES: readonly State[] = ['free', 'busy', 'late', 'off'];

/** Each state, with and without a heading. */
export const PICTURES = 2 * STATES.length;

/** The place of a courier's picture in the atlas: by its state, with a nose where its heading is known. */
export function pictureOf(state: State, hasHeading: boolean): number {
  return 2 * STATES.indexOf(state) + Number(hasHeading);
}

/** The pictures of couriers beside each other, in the colours of the theme. Free ones are rings, so that shape says it as well. */
export function courierAtlas(colors: MapColors): OffscreenCanvas {
  const fills: Readonly<Record<State, string>> = {
    free: colors.good,
    busy: colors.accent,
    late: colors.late,
    off: colors.muted,
  };
  const atlas = new OffscreenCanvas(WIDTH * PICTURES, HEIGHT);
  const context = atlas.getContext('2d')!;
  for (const state of STATES)
    for (const hasHeading of [false, true]) {
      const drawn = picture(fills[state], state === 'free', hasHeading, colors);
      context.putImageData(drawn, WIDTH * pictureOf(state, hasHeading), 0);
    }
  return atlas;
}

function picture(fill: string, isRing: boolean, hasHeading: boolean, colors: MapColors): ImageData {
  const context = new OffscreenCanvas(WIDTH, HEIGHT).getContext('2d')!;
  context.scale(RATIO, RATIO);
  context.translate(REACH_PX.side, REACH_PX.up);
  const body = new Path2D();
  if (hasHeading) {
    body.moveTo(0, -RADIUS - 4);
    body.lineTo(RADIUS * 0.72, -RADIUS * 0.7);
    body.arc(0, 0, RADIUS, -Math.PI / 4, Math.PI * 1.25);
    body.closePath();
  } else body.arc(0, 0, RADIUS, 0, 2 * Math.PI);
  context.lineJoin = 'round';
  context.lineWidth = 3;
  context.strokeStyle = colors.surface;
  context.stroke(body);
  context.fillStyle = fill;
  context.fill(body);
  if (isRing) {
    context.beginPath();
    context.arc(0, 0, RADIUS - 3, 0, 2 * Math.PI);
    context.fillStyle = colors.surface;
    context.fill();
  }
  return context.getImageData(0, 0, WIDTH, HEIGHT);
}
