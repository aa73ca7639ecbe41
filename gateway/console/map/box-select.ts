import type { Map as GlMap } from 'maplibre-gl';
import type { Box } from './task-features.ts';

const LEAST_PX = 4;

/** A drag with Shift draws a box. Its click, and the map's own drag, do not happen. Returns the way to stop listening. */
export function listenForBoxes(map: GlMap, onBox: (box: Box) => void): () => void {
  const ground = map.getCanvasContainer();
  const stop = new AbortController();
  const place = ({ clientX, clientY }: MouseEvent) => {
    const { left, top } = ground.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  };

  function begin(event: MouseEvent): void {
    if (!event.shiftKey || event.button !== 0) return;
    event.stopPropagation();
    event.preventDefault();
    const from = place(event);
    const element = document.createElement('div');
    element.className = 'map-box';
    ground.append(element);
    const drag = new AbortController();
    const { signal } = drag;
    const draw = (move: MouseEvent) => {
      const to = place(move);
      element.style.left = `${Math.min(from.x, to.x)}px`;
      element.style.top = `${Math.min(from.y, to.y)}px`;
      element.style.width = `${Math.abs(to.x - from.x)}px`;
      element.style.height = `${Math.abs(to.y - from.y)}px`;
    };
    const giveUp = () => {
      drag.abort();
      element.remove();
    };
    const end = (up: MouseEvent) => {
      giveUp();
      const to = place(up);
      if (Math.hypot(to.x - from.x, to.y - from.y) < LEAST_PX) return;
      onBox(boxOf(map, from, to));
    };
    addEventListener('mousemove', draw, { signal });
    addEventListener('mouseup', end, { signal });
    addEventListener('blur', giveUp, { signal });
  }

  ground.addEventListener('mousedown', begin, { capture: true, signal: stop.signal });
  ground.addEventListener('click', (event) => event.shiftKey && event.stopPropagation(), {
    capture: true,
    signal: stop.signal,
  });
  return () => stop.abort();
}

function boxOf(map: GlMap, from: { x: number; y: number }, to: { x: number; y: number }): Box {
  const one = map.unproject([Math.min(from.x, to.x), Math.max(from.y, to.y)]);
  const other = map.unproject([Math.max(from.x, to.x), Math.min(from.y, to.y)]);
  return { west: one.lng, south: one.lat, east: other.lng, north: other.lat };
}
