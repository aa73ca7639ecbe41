import { type Map as GlMap, Marker } from 'maplibre-gl';
import type { TaskPin } from '../live/protocol.ts';
import { timeOf } from '../page/format.ts';
import { taskId } from '../page/state.ts';
import { text } from '../text/english.ts';

interface Shown {
  readonly marker: Marker;
  readonly element: HTMLButtonElement;
}

/** The stops of a courier on the map: a number by the plan, and when he is expected. A click opens the task. */
export class StopMarkers {
  readonly #map: GlMap;
  readonly #shown = new Map<number, Shown>();

  constructor(map: GlMap) {
    this.#map = map;
  }

  /** `stops` are in the order of the plan. */
  show(stops: readonly TaskPin[]): void {
    const wanted = new Set(stops.map(({ id }) => id));
    for (const [id, { marker }] of this.#shown) {
      if (wanted.has(id)) continue;
      marker.remove();
      this.#shown.delete(id);
    }
    for (const [index, stop] of stops.entries()) {
      const { marker, element } = this.#shown.get(stop.id) ?? this.#add(stop);
      marker.setLngLat([stop.longitude, stop.latitude]);
      paint(element, index + 1, stop);
    }
  }

  #add({ id, longitude, latitude }: TaskPin): Shown {
    const element = document.createElement('button');
    element.type = 'button';
    element.addEventListener('click', (event) => {
      event.stopPropagation();
      taskId.value = id;
    });
    const marker = new Marker({ element, anchor: 'bottom', offset: [0, -8] }).setLngLat([longitude, latitude]);
    marker.addTo(this.#map);
    const shown = { marker, element };
    this.#shown.set(id, shown);
    return shown;
  }
}

/** A screen reader hears the words that the eye takes from the form. */
function paint(element: HTMLButtonElement, number: number, { etaAtMs, isLate }: TaskPin): void {
  const time = etaAtMs === null ? '' : timeOf(etaAtMs);
  const shown = `${number} ${time}`;
  element.classList.add('stop-marker');
  element.classList.toggle('late', isLate);
  if (element.dataset['shown'] === shown) return;
  element.dataset['shown'] = shown;
  const { before, beforeTime } = text.map.stop;
  const parts = [part('span', before, 'hidden'), part('strong', `${number}`)];
  if (time !== '') parts.push(part('span', beforeTime, 'hidden'), part('span', time));
  element.replaceChildren(...parts);
}

function part(tag: string, content: string, className = ''): HTMLElement {
  const element = document.createElement(tag);
  element.textContent = content;
  element.className = className;
  return element;
}
