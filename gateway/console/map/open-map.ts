import { computed, effect, type ReadonlySignal, signal } from '@preact/signals';
import {
  AttributionControl,
  type GeoJSONSource,
  Map as GlMap,
  type LngLat,
  type MapMouseEvent,
  type MapOptions,
  ScaleControl,
  setWorkerUrl,
} from 'maplibre-gl';
import { addSelected, selected } from '../actions/selection.ts';
import { courierPins, session, taskPins } from '../page/link.ts';
import { isPlacing, pinTarget } from '../page/pin.ts';
import { agentId, shownTheme, taskId } from '../page/state.ts';
import { listenForBoxes } from './box-select.ts';
import { CourierLayer } from './courier-layer.ts';
import { drawAside } from './drawing/draw-aside.ts';
import { keepSize, settled } from './follow-calmly.ts';
import type { TileGround } from './ground/tile-ground.ts';
import { readMapColors } from './map-colors.ts';
import {
  addLayers,
  drawChosenCourier,
  drawChosenTask,
  drawDraft,
  drawGraticule,
  drawRoute,
  drawSelected,
  drawTrail,
  drawWay,
  drawWorld,
  scaleOf,
  taskDrawer,
} from './map-layers.ts';
import { StopMarkers } from './stop-markers.ts';
import { idsInside, inPlannedOrder } from './task-features.ts';
import { keepTrail } from './trail.ts';

interface Handlers {
  readonly onPick: (kind: 'task' | 'courier', id: number) => void;
  readonly onHover: (kind: 'task' | 'courier' | null, id: number, x: number, y: number) => void;
}

/** The usual centre of the simulator. */
const DEMO_START = { center: [13.405, 52.52] as [number, number], zoom: 11 };
const WORLD_TILE_PX = 512;
/** How near a click has to be, in pixels. */
const REACH_PX = 6;
const DEMO = 'Demo organization';
const BLANK = { version: 8 as const, sources: {}, layers: [] };

setWorkerUrl(new URL(MAP_WORKER_URL, location.href).href);

export interface OpenMap {
  readonly map: GlMap;
  readonly couriers: CourierLayer;
  close(): void;
}

/** Opens the map in an element and keeps it in step with the signals. Throws without WebGL. */
export function openMap(container: HTMLElement, handlers: Handlers): OpenMap {
  const styleUrl = named('map-style');
  const tilesUrl = named('map-tiles');
  const map = new GlMap({
    ...(isDemo() ? DEMO_START : worldIn(container)),
    container,
    style: styleUrl || BLANK,
    attributionControl: false,
    dragRotate: false,
    // A drag with Shift selects.
    boxZoom: false,
    pitchWithRotate: false,
    maxPitch: 0,
    fadeDuration: 0,
    trackResize: false,
  });
  map.touchZoomRotate.disableRotation();
  map.keyboard.disableRotation();
  if (!styleUrl) leaveOutSky(map);
  map.addControl(new ScaleControl({ maxWidth: 120 }), 'bottom-left');
  // Those of a style may be many: they fold.
  if (styleUrl || tilesUrl) map.addControl(new AttributionControl({ compact: !tilesUrl }), 'bottom-right');
  const couriers = new CourierLayer(scaleOf());
  const stops: (() => void)[] = [keepSize(map), drawAside(map)];
  map.once('load', () => {
    const tiles = signal<TileGround | null>(null);
    stops.push(keepDrawn(map, couriers, { hasStyle: styleUrl !== '', tiles }));
    if (!styleUrl) {
      map.on('moveend', () => drawGraticule(map));
      stops.push(bringWorld(map));
    }
    if (tilesUrl)
      stops.push(
        bringTiles(map, tilesUrl, (ground) => {
          tiles.value = ground;
        }),
      );
    listen(map, couriers, handlers);
    stops.push(listenForBoxes(map, (box) => addSelected(idsInside(taskPins.peek(), box))));
  });
  return {
    map,
    couriers,
    close() {
      for (const stop of stops) stop();
      map.remove();
    },
  };
}

/**
 * A map that is never tilted shows no sky, and is shaded for it all the same: all over the canvas, in each drawing. Without
 * a graphics card that is a third of the work. The globe of a style may have one.
 */
function leaveOutSky(map: GlMap): void {
  map.painter.drawFunctions.sky = () => {};
}

/** A setting of the gateway, which the page carries. */
function named(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';
}

function isDemo(): boolean {
  const now = session.peek();
  return now.state === 'signed-in' && now.caller.organization?.name === DEMO;
}

/** The whole world across an element, until there is something to see. */
function worldIn({ clientWidth }: HTMLElement): Pick<MapOptions, 'center' | 'zoom'> {
  return { center: [10, 25], zoom: Math.max(1, Math.log2(clientWidth / WORLD_TILE_PX)) };
}

/** Coasts and borders come after the map is there. Cut off, it does without them. Returns the way to stop. */
function bringWorld(map: GlMap): () => void {
  let isOpen = true;
  void import('./ground/world.ts').then(
    ({ worldLines }) => isOpen && drawWorld(map, worldLines()),
    () => undefined,
  );
  return () => {
    isOpen = false;
  };
}

/** The streets of a file of tiles come when their code is there: most consoles need none of it. Returns the way to stop. */
function bringTiles(map: GlMap, url: string, onOpen: (ground: TileGround) => void): () => void {
  let stop: (() => void) | undefined;
  let isOpen = true;
  void import('./ground/tile-ground.ts').then(
    ({ openTileGround }) => {
      if (isOpen) stop = openTileGround(map, url, onOpen);
    },
    () => undefined,
  );
  return () => {
    isOpen = false;
    stop?.();
  };
}

interface Ground {
  /** A style brings the whole ground. */
  readonly hasStyle: boolean;
  /** Streets over the quiet ground, once they are there. */
  readonly tiles: ReadonlySignal<TileGround | null>;
}

/** One effect for each part, so that a moving courier does not draw the tasks again. */
function keepDrawn(map: GlMap, couriers: CourierLayer, { hasStyle, tiles }: Ground): () => void {
  const own = [
    'ground',
    'graticule',
    'coasts',
    'borders',
    'streets-edge',
    'streets',
    'way',
    'trail',
    'route',
    'tasks',
    'clusters',
    'selected-tasks',
    'chosen-task',
    'chosen-courier',
    'couriers',
    'draft',
  ];
  const drawTasks = taskDrawer(map);
  const { value: shownTask, stop: stopSettling } = settled(taskId);
  const shownPin = computed(() => taskPins.value.find(({ id }) => id === shownTask.value));
  const chosenPin = computed(() => courierPins.value.find(({ id }) => id === agentId.value));
  const stopMarkers = new StopMarkers(map);
  const restored = signal(0);
  // A graphics card that was lost and is back keeps the sources, and of the layers not all.
  map.on('webglcontextrestored', () => map.once('styledata', () => restored.value++));
  const stops = [
    stopSettling,
    effect(() => {
      const theme = shownTheme.value;
      restored.value;
      for (const id of own) if (map.getLayer(id)) map.removeLayer(id);
      tiles.value?.erase();
      const drawTiles = () => tiles.value?.draw(theme);
      addLayers(map, readMapColors(), { couriers, hasStyle, drawTiles, isDemo: isDemo() });
    }),
    effect(() => couriers.show(courierPins.value)),
    effect(() => drawChosenCourier(map, chosenPin.value ?? null)),
    effect(() => drawTasks(taskPins.value, agentId.value)),
    effect(() => drawChosenTask(map, shownPin.value ?? null)),
    effect(() => {
      const ids = selected.value;
      drawSelected(map, ids.size === 0 ? [] : taskPins.value.filter(({ id }) => ids.has(id)));
    }),
    keepTrail((places) => drawTrail(map, places)),
    effect(() => drawDraft(map, pinTarget.value?.pin ?? null)),
    effect(() => drawWay(map, shownPin.value)),
    effect(() => {
      const id = agentId.value;
      const inOrder = id === null ? [] : inPlannedOrder(taskPins.value, id);
      drawRoute(map, chosenPin.value, inOrder);
      stopMarkers.show(inOrder);
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** Goes as near as it takes until the tasks of a cluster stand apart. */
async function openCluster(map: GlMap, id: number, center: LngLat): Promise<void> {
  const zoom = await map.getSource<GeoJSONSource>('tasks')!.getClusterExpansionZoom(id);
  map.easeTo({ center, zoom: zoom + 0.5, duration: 150 });
}

function listen(map: GlMap, couriers: CourierLayer, { onPick, onHover }: Handlers): void {
  const found = (kind: 'courier' | 'task' | 'cluster', id: unknown, place: LngLat) => ({ kind, id: Number(id), place });
  const under = ({ point, lngLat }: MapMouseEvent) => {
    const box: [[number, number], [number, number]] = [
      [point.x - REACH_PX, point.y - REACH_PX],
      [point.x + REACH_PX, point.y + REACH_PX],
    ];
    const drawn = (layer: string) => map.queryRenderedFeatures(box, { layers: [layer] })[0]?.properties;
    const cluster = drawn('clusters');
    if (cluster) return found('cluster', cluster['cluster_id'], lngLat);
    const courier = couriers.near(point, REACH_PX);
    if (courier !== undefined) return found('courier', courier, lngLat);
    const task = drawn('tasks');
    return task && found('task', task['id'], lngLat);
  };
  map.on('click', (event) => {
    const target = pinTarget.peek();
    if (target) {
      const { lng: longitude, lat: latitude } = event.lngLat.wrap();
      target.set({ latitude, longitude });
      isPlacing.value = false;
      return;
    }
    const hit = under(event);
    if (hit?.kind === 'cluster') void openCluster(map, hit.id, hit.place);
    else if (hit) onPick(hit.kind, hit.id);
  });
  map.on('mousemove', (event) => {
    const hit = under(event);
    map.getCanvas().style.cursor = pinTarget.peek() ? 'crosshair' : hit ? 'pointer' : '';
    const kind = hit && hit.kind !== 'cluster' ? hit.kind : null;
    onHover(kind, hit?.id ?? 0, event.point.x, event.point.y);
  });
  map.on('mouseout', () => onHover(null, 0, 0, 0));
}
