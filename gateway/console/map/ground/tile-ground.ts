import { addProtocol, type Map as GlMap, removeProtocol, type VectorSourceSpecification } from 'maplibre-gl';
import { type TileExtent, TileFile } from './tile-file.ts';
import { TILES, tileLayers } from './tile-layers.ts';

const PROTOCOL = 'map-file';
const LINK = 'target="_blank" rel="noopener"';
const ATTRIBUTION = [
  `<a href="https://www.openstreetmap.org/copyright" ${LINK}>© OpenStreetMap</a>`,
  `<a href="https://protomaps.com" ${LINK}>Protomaps</a>`,
].join(' · ');

/** The tiles of a file as the ground of a map. */
export class TileGround {
  readonly #map: GlMap;
  readonly #source: VectorSourceSpecification;
  #isAdded = false;

  constructor(map: GlMap, { bounds, minZoom: minzoom, maxZoom: maxzoom }: TileExtent) {
    this.#map = map;
    const tiles = [`${PROTOCOL}://{z}/{x}/{y}`];
    this.#source = { type: 'vector', tiles, bounds, minzoom, maxzoom, attribution: ATTRIBUTION };
  }

  /** Puts the tiles on top of the layers that there are: where they end, these show. */
  draw(theme: 'light' | 'dark'): void {
    const map = this.#map;
    if (!this.#isAdded && map.getSource(TILES)) map.removeSource(TILES);
    if (!map.getSource(TILES)) map.addSource(TILES, this.#source);
    this.#isAdded = true;
    for (const layer of tileLayers(theme, document.documentElement.lang)) map.addLayer(layer);
  }

  /** Removes the layers, those of a ground before this one as well. The tiles stay for the next drawing. */
  erase(): void {
    for (const id of this.#map.getLayersOrder()) if (id.startsWith(`${TILES}-`)) this.#map.removeLayer(id);
  }
}

/**
 * Reads the file at an address. `onOpen` gets the ground when the file is there, and a new one when it was away and is back.
 * Returns the way to stop.
 */
export function openTileGround(map: GlMap, url: string, onOpen: (ground: TileGround) => void): () => void {
  const file = new TileFile(url, (extent) => onOpen(new TileGround(map, extent)));
  addProtocol(PROTOCOL, async ({ url: place }, { signal }) => {
    const [z, x, y] = place.slice(`${PROTOCOL}://`.length).split('/').map(Number) as [number, number, number];
    return { data: await file.read(z, x, y, signal) };
  });
  return () => {
    removeProtocol(PROTOCOL);
    file.close();
  };
}
