import { PMTiles, type RangeResponse, type Source } from 'pmtiles';

/** The extent of a file of tiles. */
export interface TileExtent {
  readonly bounds: [west: number, south: number, east: number, north: number];
  readonly minZoom: number;
  readonly maxZoom: number;
}

const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 300_000;

/** The file cannot be had, or is another one than before: it is opened again. */
class FileTrouble extends Error {}

/** Reads ranges of the file, all of one content. */
class Ranges implements Source {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  getKey(): string {
    return this.#url;
  }

  async getBytes(offset: number, length: number, signal?: AbortSignal, etag?: string): Promise<RangeResponse> {
    try {
      const headers = { Range: `bytes=${offset}-${offset + length - 1}` };
      const answer = await fetch(this.#url, { headers, signal: signal ?? null });
      if (answer.status !== 206) throw new FileTrouble(`${this.#url} answered ${answer.status}`);
      const own = answer.headers.get('etag');
      if (etag !== undefined && own !== etag) throw new FileTrouble(`${this.#url} is another file now`);
      return { data: await answer.arrayBuffer(), ...(own === null ? {} : { etag: own }) };
    } catch (cause) {
      throw signal?.aborted || cause instanceof FileTrouble ? cause : new FileTrouble(String(cause), { cause });
    }
  }
}

/**
 * Reads the tiles of a PMTiles file. While the file cannot be had there are no tiles: nothing is asked for in vain, except
 * the file itself after a pause that grows. `onOpen` is called each time that the file is there, also when it is back.
 */
export class TileFile {
  readonly #url: string;
  readonly #onOpen: (extent: TileExtent) => void;
  #tiles: PMTiles | undefined;
  #pauseMs = FIRST_PAUSE_MS;
  #troubledAt = Number.NEGATIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(url: string, onOpen: (extent: TileExtent) => void) {
    this.#url = url;
    this.#onOpen = onOpen;
    void this.#open();
  }

  /** A tile without compression, empty where the file has none. Rejects when it is aborted or cannot be unpacked. */
  async read(z: number, x: number, y: number, signal: AbortSignal): Promise<ArrayBuffer> {
    const tiles = this.#tiles;
    if (!tiles) return noTile();
    try {
      return (await tiles.getZxy(z, x, y, signal))?.data ?? noTile();
    } catch (error) {
      if (!(error instanceof FileTrouble)) throw error;
      if (tiles === this.#tiles) this.#wait();
      return noTile();
    }
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#tiles = undefined;
  }

  /** A new reader each time: the package keeps a failed look into the file as well. */
  async #open(): Promise<void> {
    const tiles = new PMTiles(new Ranges(this.#url));
    try {
      const { minLon, minLat, maxLon, maxLat, minZoom, maxZoom } = await tiles.getHeader();
      if (this.#isClosed) return;
      this.#tiles = tiles;
      this.#onOpen({ bounds: [minLon, minLat, maxLon, maxLat], minZoom, maxZoom });
    } catch {
      // The file is away, or no map. The ground below the tiles shows meanwhile.
      if (!this.#isClosed) this.#wait();
    }
  }

  #wait(): void {
    this.#tiles = undefined;
    const now = performance.now();
    const isNew = now - this.#troubledAt > 2 * LONGEST_PAUSE_MS;
    this.#pauseMs = isNew ? FIRST_PAUSE_MS : Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS);
    this.#troubledAt = now;
    this.#timer = setTimeout(() => void this.#open(), this.#pauseMs);
  }
}

/** A new one each time: the map hands it over to a worker, and it is gone here then. */
function noTile(): ArrayBuffer {
  return new ArrayBuffer(0);
}
