import { effect, signal } from '@preact/signals';
import { type Map as GlMap, LngLatBounds } from 'maplibre-gl';
import { useEffect, useRef } from 'preact/hooks';
import { allowDrop, dropOn } from '../actions/drag.ts';
import type { CourierPin } from '../live/protocol.ts';
import { isCovered } from '../page/covered.ts';
import { agoOf } from '../page/format.ts';
import { courierPins, couriers, taskPins } from '../page/link.ts';
import { isPlacing } from '../page/pin.ts';
import { agentId, isFollowing, taskId } from '../page/state.ts';
import { text } from '../text/english.ts';
import { Button } from '../ui/controls.tsx';
import { type OpenMap, openMap } from './open-map.ts';
import { TRAIL_MINUTES } from './trail.ts';

const { map: words } = text;
const PADDING_PX = 64;
const CLOSEST_ZOOM = 16;
const DROP_PX = 14;
const ZOOM_MS = 150;
/** From here on a courier stands out from the tasks around. */
const NEAR_ZOOM = 13;

/** A courier or a task under the pointer. */
interface Tip {
  readonly x: number;
  readonly y: number;
  readonly title: string;
  readonly detail: string;
}

const tip = signal<Tip | null>(null);
const hasFailed = signal(false);

export function TaskMap() {
  const place = useRef<HTMLDivElement>(null);
  const opened = useRef<OpenMap | null>(null);
  useEffect(() => {
    try {
      const now = openMap(place.current!, { onHover: hover, onPick: pick });
      opened.current = now;
      const stopFit = fitOnce(now.map);
      const stopFollow = follow(now.map);
      return () => {
        stopFit();
        stopFollow();
        now.close();
      };
    } catch {
      // Without WebGL there is no map; the list and the panel go on.
      hasFailed.value = true;
      return undefined;
    }
  }, []);
  return (
    <section class="map" aria-label={words.label} inert={isCovered.value}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: `a` gives a task to a courier without a pointer. */}
      <div
        class="map-ground"
        ref={place}
        onDragOver={allowDrop}
        onDrop={(event) => opened.current && dropOn(event, courierAt(opened.current, event))}
      />
      {agentId.value !== null && <Chosen id={agentId.value} />}
      {hasFailed.value && <p class="empty">{words.failed}</p>}
      {isPlacing.value && (
        <p class="placing-hint" role="status">
          {words.place}
          <Button
            onClick={() => {
              isPlacing.value = false;
            }}
          >
            {words.back}
          </Button>
        </p>
      )}
      <div class="map-tools">
        <Button icon="plus" label={words.closer} onClick={() => opened.current?.map.zoomIn({ duration: ZOOM_MS })} />
        <Button icon="minus" label={words.farther} onClick={() => opened.current?.map.zoomOut({ duration: ZOOM_MS })} />
        <Button icon="fit" label={words.fit} onClick={() => opened.current && fit(opened.current.map)} />
        {agentId.value !== null && (
          <Button
            icon="moving"
            label={words.follow}
            pressed={isFollowing.value}
            onClick={() => {
              isFollowing.value = !isFollowing.peek();
            }}
          />
        )}
      </div>
      {tip.value && (
        <p class="map-tip" style={{ left: `${tip.value.x}px`, top: `${tip.value.y}px` }}>
          <strong>{tip.value.title}</strong>
          <span>{tip.value.detail}</span>
        </p>
      )}
    </section>
  );
}

/** The chosen courier, and the lines that the map draws for him. */
function Chosen({ id }: { readonly id: number }) {
  const courier = couriers.value.find((each) => each.id === id);
  const stops = taskPins.value.filter((pin) => pin.agentId === id).length;
  return (
    <p class="map-chosen">
      <strong dir="auto">{courier?.name ?? `${id}`}</strong>
      <span>{words.trail(stops, TRAIL_MINUTES)}</span>
    </p>
  );
}

/** The courier at a place of the map, with some reach around the pointer. */
function courierAt({ map, couriers: layer }: OpenMap, event: DragEvent): number | undefined {
  const { left, top } = map.getContainer().getBoundingClientRect();
  return layer.near({ x: event.clientX - left, y: event.clientY - top }, DROP_PX);
}

function pick(kind: 'task' | 'courier', id: number): void {
  if (kind === 'task') taskId.value = id;
  else agentId.value = agentId.peek() === id ? null : id;
}

function hover(kind: 'task' | 'courier' | null, id: number, x: number, y: number): void {
  if (kind === null) {
    tip.value = null;
    return;
  }
  tip.value = { x, y, ...(kind === 'courier' ? courierTip(id) : taskTip(id)) };
}

function courierTip(id: number): Pick<Tip, 'title' | 'detail'> {
  const courier = couriers.peek().find((each) => each.id === id);
  const open = courier ? text.list.tasks(courier.open) : '';
  const age = courier && courier.recordedAtMs !== null ? agoOf(courier.recordedAtMs) : text.couriers.never;
  return { title: courier?.name ?? `${id}`, detail: `${open} · ${text.couriers.position.toLowerCase()} ${age}` };
}

function taskTip(id: number): Pick<Tip, 'title' | 'detail'> {
  const pin = taskPins.peek().find((each) => each.id === id);
  const courier = couriers.peek().find((each) => each.id === pin?.agentId);
  return { title: text.status[pin?.status ?? 'new']!, detail: courier?.name ?? text.panel.nobody };
}

/** Shows everything that there is. */
function fit(map: GlMap): void {
  const bounds = new LngLatBounds();
  for (const { longitude, latitude } of [...courierPins.peek(), ...taskPins.peek()])
    bounds.extend([longitude, latitude]);
  if (bounds.isEmpty()) return;
  map.fitBounds(bounds, { padding: PADDING_PX, maxZoom: CLOSEST_ZOOM, duration: 0 });
}

/** Once, when the first pins come; later the map stays where the reader has put it. */
function fitOnce(map: GlMap): () => void {
  // On a phone the map has no room until it is shown.
  const isReady = signal(false);
  let isLoaded = false;
  const judge = () => {
    isReady.value ||= isLoaded && map.getContainer().clientWidth > 2 * PADDING_PX;
  };
  map.once('load', () => {
    isLoaded = true;
    judge();
  });
  map.on('resize', judge);
  const stop = effect(() => {
    if (!isReady.value || courierPins.value.length + taskPins.value.length === 0) return;
    const isWithCourier = isFollowing.peek() && chosenPin(courierPins.peek(), agentId.peek());
    if (!isWithCourier) fit(map);
    queueMicrotask(() => stop());
  });
  return stop;
}

/** Goes to the courier, and along with him; how near is up to the reader then. */
function follow(map: GlMap): () => void {
  let followed: number | null = null;
  return effect(() => {
    const pin = chosenPin(courierPins.value, agentId.value);
    if (agentId.value === null) isFollowing.value = false;
    if (!isFollowing.value) followed = null;
    if (!isFollowing.value || !pin) return;
    const center: [number, number] = [pin.longitude, pin.latitude];
    // At once: the next position would end a slow way to him.
    if (followed !== pin.id) map.jumpTo({ center, zoom: Math.max(NEAR_ZOOM, map.getZoom()) });
    else map.easeTo({ center, duration: ZOOM_MS });
    followed = pin.id;
  });
}

function chosenPin(pins: readonly CourierPin[], chosen: number | null): CourierPin | undefined {
  return pins.find(({ id }) => id === chosen);
}
