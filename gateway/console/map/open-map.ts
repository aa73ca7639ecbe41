import { effect } from '@preact/signals';
import { AttributionControl, Map as GlMap, type MapMouseEvent, ScaleControl, setWorkerUrl } from 'maplibre-gl';
import { courierPins, session, taskPins } from '../page/link.ts';
import { isPlacing, pinTarget } from '../page/pin.ts';
import { agentId, shownTheme, taskId } from '../page/state.ts';
import { readMapColors } from './map-colors.ts';
import {
  addLayers,
  choose,
  drawCouriers,
  drawDraft,
  drawGraticule,
  drawRoute,
  drawTasks,
  drawWay,
} from './map-layers.ts';

interface Handlers {
  readonly onPick: (kind: 'task' | 'courier', id: number) => void;
  readonly onHover: (kind: 'task' | 'courier' | null, id: number, x: number, y: number) => void;
}

/** The usual centre of the simulator, until there is something to see. */
const START = { center: [13.405, 52.52] as [number, number], zoom: 11 };
/** How near a click has to be, in pixels. */
const REACH_PX = 6;
const DEMO = 'Demo organization';
const BLANK = { version: 8 as const, sources: {}, layers: [] };

setWorkerUrl(new URL(MAP_WORKER_URL, location.href).href);

/** Opens the map in an element and keeps it in step with the signals. Throws without WebGL. */
export function openMap(container: HTMLElement, handlers: Handlers): { readonly map: GlMap; close(): void } {
  const styleUrl = document.querySelector<HTMLMetaElement>('meta[name="map-style"]')?.content ?? '';
  const map = new GlMap({
    ...START,
    container,
    style: styleUrl || BLANK,
    attributionControl: false,
    dragRotate: false,
    pitchWithRotate: false,
    fadeDuration: 0,
  });
  map.touchZoomRotate.disableRotation();
  map.addControl(new ScaleControl({ maxWidth: 120 }), 'bottom-left');
  if (styleUrl) map.addControl(new AttributionControl({ compact: true }), 'bottom-right');
  const stops: (() => void)[] = [];
  map.once('load', () => {
    stops.push(keepDrawn(map, styleUrl !== ''));
    if (!styleUrl) map.on('moveend', () => drawGraticule(map));
    listen(map, handlers);
  });
  return {
    map,
    close() {
      for (const stop of stops) stop();
      map.remove();
    },
  };
}

/** One effect for each part, so that a moving courier does not draw the tasks again. */
function keepDrawn(map: GlMap, hasGround: boolean): () => void {
  const now = session.peek();
  const isDemo = now.state === 'signed-in' && now.caller.organization?.name === DEMO;
  const own = [
    'ground',
    'graticule',
    'streets-edge',
    'streets',
    'way',
    'route',
    'tasks',
    'chosen-task',
    'chosen-courier',
    'couriers',
    'draft',
  ];
  const stops = [
    effect(() => {
      shownTheme.value;
      for (const id of own) if (map.getLayer(id)) map.removeLayer(id);
      addLayers(map, readMapColors(), { hasGround, isDemo });
      choose(map, taskId.peek(), agentId.peek());
    }),
    effect(() => drawCouriers(map, courierPins.value)),
    effect(() => drawTasks(map, taskPins.value, agentId.value)),
    effect(() => choose(map, taskId.value, agentId.value)),
    effect(() => drawDraft(map, pinTarget.value?.pin ?? null)),
    effect(() =>
      drawWay(
        map,
        taskPins.value.find(({ id }) => id === taskId.value),
      ),
    ),
    effect(() => {
      const id = agentId.value;
      const pin = courierPins.value.find((each) => each.id === id);
      drawRoute(map, pin, id === null ? [] : taskPins.value.filter((task) => task.agentId === id));
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

function listen(map: GlMap, { onPick, onHover }: Handlers): void {
  const under = ({ point: { x, y } }: MapMouseEvent) => {
    const box: [[number, number], [number, number]] = [
      [x - REACH_PX, y - REACH_PX],
      [x + REACH_PX, y + REACH_PX],
    ];
    const [found] = map.queryRenderedFeatures(box, { layers: ['couriers', 'tasks'] });
    return (
      found && {
        kind: found.layer.id === 'couriers' ? ('courier' as const) : ('task' as const),
        id: Number(found.properties['id']),
      }
    );
  };
  map.on('click', (event) => {
    const target = pinTarget.peek();
    if (target) {
      const { lng: longitude, lat: latitude } = event.lngLat.wrap();
      target.set({ latitude, longitude });
      isPlacing.value = false;
      return;
    }
    const found = under(event);
    if (found) onPick(found.kind, found.id);
  });
  map.on('mousemove', (event) => {
    const found = under(event);
    map.getCanvas().style.cursor = pinTarget.peek() ? 'crosshair' : found ? 'pointer' : '';
    onHover(found?.kind ?? null, found?.id ?? 0, event.point.x, event.point.y);
  });
  map.on('mouseout', () => onHover(null, 0, 0, 0));
}
