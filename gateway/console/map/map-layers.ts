import type { GeoJSONSource, Map as GlMap } from 'maplibre-gl';
import type { CourierPin, TaskPin } from '../live/protocol.ts';
import { remPx } from '../ui/rem.ts';
import { CLUSTER_IMAGE, CLUSTER_SUMS, drawClustersIn } from './cluster-images.ts';
import type { CourierLayer } from './courier-layer.ts';
import { type Features, lineOf, NOTHING, type Place, pointAt } from './features.ts';
import { demoStreets, graticule } from './ground/quiet-ground.ts';
import type { MapColors } from './map-colors.ts';
import { looksAlike, taskFeatures } from './task-features.ts';

const SOURCES = [
  'graticule',
  'world',
  'streets',
  'trail',
  'route',
  'way',
  'tasks',
  'chosen-task',
  'selected-tasks',
  'chosen-courier',
  'draft',
] as const;
type SourceName = (typeof SOURCES)[number];
/** Each is the only layer of its source. */
type LineName = 'trail' | 'route' | 'way';
type Spot = { readonly longitude: number; readonly latitude: number };

/** Below this zoom tasks that lie together are one cluster. */
const LAST_CLUSTER_ZOOM = 11;
const CLUSTER_RADIUS_PX = 36;

interface LayerOptions {
  readonly couriers: CourierLayer;
  /** Leaves out the quiet ground, where a style brings its own. */
  readonly hasStyle: boolean;
  /** Draws streets over the quiet ground. */
  readonly drawTiles: () => void;
  readonly isDemo: boolean;
}

/** The layers of the map, over its ground. */
export function addLayers(map: GlMap, colors: MapColors, options: LayerOptions): void {
  const tasks = {
    promoteId: 'id',
    cluster: true,
    clusterMaxZoom: LAST_CLUSTER_ZOOM,
    clusterRadius: CLUSTER_RADIUS_PX,
    clusterProperties: CLUSTER_SUMS,
  };
  for (const name of SOURCES) {
    if (map.getSource(name)) continue;
    map.addSource(name, { type: 'geojson', data: NOTHING, ...(name === 'tasks' ? tasks : {}) });
  }
  drawClustersIn(map, colors);
  if (!options.hasStyle) {
    addGround(map, colors);
    if (options.isDemo) setData(map, 'streets', demoStreets());
    drawGraticule(map);
  }
  options.drawTiles();
  addWays(map, colors);
  addTasks(map, colors);
  addSelected(map, colors);
  addCouriers(map, options.couriers, colors);
  addClusters(map);
}

function addGround(map: GlMap, { ground, surface, line, soft }: MapColors): void {
  map.addLayer({ id: 'ground', type: 'background', paint: { 'background-color': ground } });
  map.addLayer({ id: 'graticule', source: 'graticule', type: 'line', paint: { 'line-color': soft, 'line-width': 1 } });
  addWorld(map, line);
  const isMain = ['==', ['get', 'kind'], 'main'];
  const widthAt = (main: number, side: number) => ['case', isMain, main, side] as never;
  const addStreets = (id: string, color: string, far: readonly [number, number], near: readonly [number, number]) =>
    map.addLayer({
      id,
      source: 'streets',
      type: 'line',
      minzoom: 12,
      layout: { 'line-cap': 'round' },
      paint: {
        'line-color': color,
        'line-width': ['interpolate', ['exponential', 1.6], ['zoom'], 12, widthAt(...far), 16, widthAt(...near)],
      },
    });
  addStreets('streets-edge', line, [1.6, 0.8], [12, 8]);
  addStreets('streets', surface, [0.8, 0.2], [10, 6.5]);
}

/** Coasts and borders place an empty map; from near they are too coarse, and give way. */
function addWorld(map: GlMap, color: string): void {
  const opacity = ['interpolate', ['linear'], ['zoom'], 5, 1, 8, 0] as never;
  const isBorder = ['==', ['get', 'kind'], 'border'] as never;
  map.addLayer({
    id: 'coasts',
    source: 'world',
    type: 'line',
    maxzoom: 8,
    filter: ['!', isBorder],
    layout: { 'line-join': 'round' },
    paint: { 'line-color': color, 'line-width': 1.5 * scaleOf(), 'line-opacity': opacity },
  });
  map.addLayer({
    id: 'borders',
    source: 'world',
    type: 'line',
    maxzoom: 8,
    filter: isBorder,
    paint: { 'line-color': color, 'line-width': scaleOf(), 'line-dasharray': [2, 2], 'line-opacity': opacity },
  });
}

function addWays(map: GlMap, { accent, muted }: MapColors): void {
  const layoutOf = (name: LineName) =>
    ({ 'line-cap': 'round', 'line-join': 'round', visibility: isEmpty(map, name) ? 'none' : 'visible' }) as const;
  map.addLayer({
    id: 'way',
    source: 'way',
    type: 'line',
    layout: layoutOf('way'),
    paint: { 'line-color': muted, 'line-width': 2, 'line-dasharray': [1, 2] },
  });
  map.addLayer({
    id: 'trail',
    source: 'trail',
    type: 'line',
    layout: layoutOf('trail'),
    paint: { 'line-color': muted, 'line-width': 3, 'line-opacity': 0.5 },
  });
  map.addLayer({
    id: 'route',
    source: 'route',
    type: 'line',
    layout: layoutOf('route'),
    paint: { 'line-color': accent, 'line-width': 2.5, 'line-opacity': 0.75 },
  });
}

/** On a wall everything is larger, and so are the pins. */
export function scaleOf(): number {
  return remPx() / 16;
}

function addSelected(map: GlMap, { accent }: MapColors): void {
  const scale = scaleOf();
  map.addLayer({
    id: 'selected-tasks',
    source: 'selected-tasks',
    type: 'circle',
    paint: { 'circle-radius': 9 * scale, 'circle-color': accent, 'circle-opacity': 0.3 },
  });
}

/** Tasks that lie together. They stay in sight above the couriers, whom a low zoom crowds. */
function addClusters(map: GlMap): void {
  const scale = scaleOf();
  map.addLayer({
    id: 'clusters',
    source: 'tasks',
    type: 'symbol',
    filter: ['has', 'point_count'],
    layout: {
      'icon-image': CLUSTER_IMAGE,
      'icon-size': scale,
      'icon-allow-overlap': true,
      'icon-ignore-placement': true,
    },
  });
}

function addTasks(map: GlMap, { surface, accent, late, wait, ink, muted }: MapColors): void {
  const scale = scaleOf();
  const color = [
    'case',
    ['get', 'late'],
    late,
    ['match', ['get', 'status'], ['new', 'awaiting_assignment'], wait, 'in_transit', accent, muted],
  ] as never;
  map.addLayer({
    id: 'tasks',
    source: 'tasks',
    type: 'circle',
    filter: ['!', ['has', 'point_count']],
    // The urgent ones lie on top.
    layout: { 'circle-sort-key': ['get', 'rank'] },
    paint: {
      'circle-radius': ['interpolate', ['linear'], ['zoom'], 8, 2 * scale, 12, 3.5 * scale, 16, 6 * scale],
      'circle-color': surface,
      'circle-stroke-color': color,
      'circle-stroke-width': ['interpolate', ['linear'], ['zoom'], 8, 1.5 * scale, 16, 3 * scale],
      'circle-opacity': ['case', ['get', 'dim'], 0.35, 1],
      'circle-stroke-opacity': ['case', ['get', 'dim'], 0.35, 1],
    },
  });
  map.addLayer({
    id: 'chosen-task',
    source: 'chosen-task',
    type: 'circle',
    paint: { 'circle-radius': 11 * scale, 'circle-opacity': 0, 'circle-stroke-color': ink, 'circle-stroke-width': 2 },
  });
}

/** Over the tasks, so that they stay in sight. */
function addCouriers(map: GlMap, couriers: CourierLayer, colors: MapColors): void {
  const { accent, surface } = colors;
  const scale = scaleOf();
  map.addLayer({
    id: 'chosen-courier',
    source: 'chosen-courier',
    type: 'circle',
    paint: {
      'circle-radius': 15 * scale,
      'circle-color': accent,
      'circle-opacity': 0.18,
      'circle-stroke-color': accent,
      'circle-stroke-width': 1.5,
    },
  });
  couriers.dress(colors);
  map.addLayer(couriers);
  map.addLayer({
    id: 'draft',
    source: 'draft',
    type: 'circle',
    paint: {
      'circle-radius': 8 * scale,
      'circle-color': accent,
      'circle-stroke-color': surface,
      'circle-stroke-width': 3,
    },
  });
}

/** The pin of the task that is being made. */
export function drawDraft(map: GlMap, pin: Spot | null): void {
  setData(map, 'draft', pinOf(pin));
}

/** The ring of the courier whose stops the map joins. */
export function drawChosenCourier(map: GlMap, pin: Spot | null): void {
  setData(map, 'chosen-courier', pinOf(pin));
}

/** The ring of the task that is open. A source of its own: a filter would cut all tasks into tiles again. */
export function drawChosenTask(map: GlMap, pin: Spot | null): void {
  setData(map, 'chosen-task', pinOf(pin));
}

export function drawSelected(map: GlMap, pins: readonly Spot[]): void {
  setData(map, 'selected-tasks', pointsOf(pins));
}

function pinOf(spot: Spot | null): Features {
  return pointsOf(spot ? [spot] : []);
}

function pointsOf(spots: readonly Spot[]): Features {
  if (spots.length === 0) return NOTHING;
  const features = spots.map(({ longitude, latitude }) => pointAt(longitude, latitude, {}));
  return { type: 'FeatureCollection', features };
}

export function drawGraticule(map: GlMap): void {
  setData(map, 'graticule', graticule(map.getBounds()));
}

/**
 * Draws the pins of tasks. The map gets those that look different: at thousands of tasks it would take longer to hand all
 * of them over than to draw them.
 */
export function taskDrawer(map: GlMap): (pins: readonly TaskPin[], agentId: number | null) => void {
  let drawn = new Map<number, TaskPin>();
  let chosen: number | null | undefined;
  return (pins, agentId) => {
    const source = map.getSource<GeoJSONSource>('tasks')!;
    const before = drawn;
    drawn = new Map(pins.map((pin) => [pin.id, pin]));
    if (agentId !== chosen) {
      chosen = agentId;
      source.setData(taskFeatures(pins, agentId));
      return;
    }
    const add = taskFeatures(
      pins.filter((pin) => !looksAlike(before.get(pin.id), pin)),
      agentId,
    ).features;
    const remove = [...before.keys()].filter((id) => !drawn.has(id));
    if (add.length + remove.length > 0) void source.updateData({ add, remove });
  };
}

export function drawWorld(map: GlMap, lines: Features): void {
  setData(map, 'world', lines);
}

/** The way that a courier has come. */
export function drawTrail(map: GlMap, places: readonly Place[]): void {
  drawLine(map, 'trail', places);
}

/** From the courier through its stops, in the order of the plan. */
export function drawRoute(map: GlMap, pin: CourierPin | undefined, stops: readonly TaskPin[]): void {
  const from: Place[] = pin ? [[pin.longitude, pin.latitude]] : [];
  drawLine(map, 'route', [...from, ...stops.map((stop): Place => [stop.longitude, stop.latitude])]);
}

/** From the pickup of a task to its drop-off. */
export function drawWay(map: GlMap, pin: TaskPin | undefined): void {
  drawLine(map, 'way', pin?.pickup ? [pin.pickup, [pin.longitude, pin.latitude]] : []);
}

/** A layer of lines costs a pass over the whole canvas, also without a line: it is hidden then. */
function drawLine(map: GlMap, name: LineName, places: readonly Place[]): void {
  const isLine = places.length > 1;
  setData(map, name, isLine ? { type: 'FeatureCollection', features: [lineOf(places)] } : NOTHING);
  if (map.getLayer(name)) map.setLayoutProperty(name, 'visibility', isLine ? 'visible' : 'none');
}

function setData(map: GlMap, name: SourceName, data: Features): void {
  // The map is drawn once more for anything that comes into a source, nothing included.
  if (data === NOTHING && isEmpty(map, name)) return;
  map.getSource<GeoJSONSource>(name)?.setData(data);
}

function isEmpty(map: GlMap, name: SourceName): boolean {
  return map.getSource<GeoJSONSource>(name)?.serialize().data === NOTHING;
}
