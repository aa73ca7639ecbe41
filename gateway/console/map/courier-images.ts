import type { CourierPin } from '../live/protocol.ts';
import type { MapColors } from './map-colors.ts';

const SIZE = 44;
const RATIO = 2;
const RADIUS = 6.5;

type State = CourierPin['state'];

const STATES: readonly State[] = ['free', 'busy', 'late', 'off'];

/** Each state, with and without a heading. */
export const PICTURES = 2 * STATES.length;
/** The width and height of a picture on the screen. */
export const PICTURE_PX = SIZE / RATIO;

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
  const atlas = new OffscreenCanvas(SIZE * PICTURES, SIZE);
  const context = atlas.getContext('2d')!;
  for (const state of STATES)
    for (const hasHeading of [false, true]) {
      const drawn = picture(fills[state], state === 'free', hasHeading, colors);
      context.putImageData(drawn, SIZE * pictureOf(state, hasHeading), 0);
    }
  return atlas;
}

function picture(fill: string, isRing: boolean, hasHeading: boolean, colors: MapColors): ImageData {
  const context = new OffscreenCanvas(SIZE, SIZE).getContext('2d')!;
  context.scale(RATIO, RATIO);
  context.translate(SIZE / RATIO / 2, SIZE / RATIO / 2);
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
  return context.getImageData(0, 0, SIZE, SIZE);
}
