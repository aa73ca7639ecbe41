import type { Map as GlMap } from 'maplibre-gl';
import type { CourierPin } from '../live/protocol.ts';
import type { MapColors } from './map-colors.ts';

const SIZE = 44;
const RATIO = 2;
const RADIUS = 6.5;

type State = CourierPin['state'];

/** The name of the picture of a courier: by its state, with a nose where its heading is known. */
export function imageOf(state: State, hasHeading: boolean): string {
  return `courier-${state}${hasHeading ? '-moving' : ''}`;
}

/** Draws the pictures of couriers in the colours of the theme. Free ones are rings, so that shape says it as well. */
export function addCourierImages(map: GlMap, colors: MapColors): void {
  const fills: Readonly<Record<State, string>> = {
    free: colors.good,
    busy: colors.accent,
    late: colors.late,
    off: colors.muted,
  };
  for (const state of Object.keys(fills) as State[]) {
    for (const hasHeading of [false, true]) {
      const name = imageOf(state, hasHeading);
      if (map.hasImage(name)) map.removeImage(name);
      map.addImage(name, picture(fills[state], state === 'free', hasHeading, colors), { pixelRatio: RATIO });
    }
  }
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
