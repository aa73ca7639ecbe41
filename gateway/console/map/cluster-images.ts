import type { ExpressionSpecification, Map as GlMap } from 'maplibre-gl';
import type { MapColors } from './map-colors.ts';

const RATIO = 2;
const PREFIX = 'cluster-';
const TONES = ['late', 'wait', 'muted'] as const;
type Tone = (typeof TONES)[number];

/** The numbers that a cluster adds up. */
export const CLUSTER_SUMS: Readonly<Record<string, ExpressionSpecification>> = {
  late: ['+', ['case', ['get', 'late'], 1, 0]],
  wait: ['+', ['case', ['in', ['get', 'status'], ['literal', ['new', 'awaiting_assignment']]], 1, 0]],
};

const COUNT: ExpressionSpecification = ['get', 'point_count'];
/** Exact below a hundred, then in steps, so that there is an end of pictures. */
const SHOWN_COUNT: ExpressionSpecification = [
  'case',
  ['<', COUNT, 100],
  ['to-string', COUNT],
  ['concat', ['to-string', ['*', 50, ['floor', ['/', COUNT, 50]]]], '+'],
];

/** The name of a cluster's picture: the worst state inside, and how many tasks there are. */
export const CLUSTER_IMAGE: ExpressionSpecification = [
  'concat',
  PREFIX,
  ['case', ['>', ['get', 'late'], 0], 'late', ['>', ['get', 'wait'], 0], 'wait', 'muted'],
  '-',
  SHOWN_COUNT,
];

/** Draws each picture of a cluster when the map first needs it. The map has no letters of its own. */
export function drawClustersIn(map: GlMap, colors: MapColors): void {
  for (const id of map.listImages()) if (id.startsWith(PREFIX)) map.removeImage(id);
  map.setMissingStyleImageResolver((id) => {
    const [, tone, count] = id.split('-');
    if (!id.startsWith(PREFIX) || !isTone(tone) || count === undefined || map.hasImage(id)) return;
    map.addImage(id, picture(count, colors[tone], colors), { pixelRatio: RATIO });
  });
}

function isTone(text: string | undefined): text is Tone {
  return TONES.some((tone) => tone === text);
}

function picture(count: string, stroke: string, { surface, ink }: MapColors): ImageData {
  const radius = 10 + 2 * count.length;
  const size = (radius + 2) * 2 * RATIO;
  const context = new OffscreenCanvas(size, size).getContext('2d')!;
  context.scale(RATIO, RATIO);
  context.translate(radius + 2, radius + 2);
  context.beginPath();
  context.arc(0, 0, radius, 0, 2 * Math.PI);
  context.fillStyle = surface;
  context.fill();
  context.lineWidth = 2.5;
  context.strokeStyle = stroke;
  context.stroke();
  context.font = '600 12px "Inter Variable", system-ui, sans-serif';
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.fillStyle = ink;
  context.fillText(count, 0, 0.5);
  return context.getImageData(0, 0, size, size);
}
