import { type FileHandle, open } from 'node:fs/promises';
import { ConfigError } from '../../engine/runtime/config.ts';

/** A file of map tiles, open as it was at one moment: another one may take its name meanwhile. */
export interface OpenMapFile {
  readonly handle: FileHandle;
  readonly size: number;
  /** Another one for another content: size and time of change, as nginx makes it. */
  readonly etag: string;
}

/** The length of the header of PMTiles version 3. Source: the specification of PMTiles, section 3. */
const HEADER_BYTES = 127;
const MAGIC = 'PMTiles';
const VERSION = { at: 7, known: 3 };
const SECTIONS_AT = [8, 24, 40, 56];
const INTERNAL_COMPRESSION_AT = 97;
const TILE_COMPRESSION_AT = 98;
const TILE_TYPE = { at: 99, vector: 1 };
/** Unknown, none and gzip: the page reads no others. */
const READABLE_COMPRESSIONS = [0, 1, 2];

/** Rejects when the file cannot be opened, or is a folder. Close its handle. */
export async function openMapFile(path: string): Promise<OpenMapFile> {
  const handle = await open(path);
  try {
    const facts = await handle.stat({ bigint: true });
    if (!facts.isFile()) throw new Error('it is no file');
    return { handle, size: Number(facts.size), etag: `"${facts.size.toString(36)}-${facts.mtimeNs.toString(36)}"` };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Rejects with ConfigError when the console could not draw the file. */
export async function checkMapFile(path: string): Promise<void> {
  const complaint = await complaintAbout(path);
  if (complaint !== undefined)
    throw new ConfigError(`MAP_PMTILES: ${path} ${complaint}. Give the path of a PMTiles file with vector tiles.`);
}

async function complaintAbout(path: string): Promise<string | undefined> {
  let file: OpenMapFile | undefined;
  try {
    file = await openMapFile(path);
    const header = Buffer.alloc(HEADER_BYTES);
    const { bytesRead } = await file.handle.read(header, 0, HEADER_BYTES, 0);
    return complaintAboutHeader(header.subarray(0, bytesRead), file.size);
  } catch (error) {
    return `cannot be read (${(error as Error).message})`;
  } finally {
    await file?.handle.close();
  }
}

function complaintAboutHeader(header: Buffer, size: number): string | undefined {
  const isKnown =
    header.length === HEADER_BYTES &&
    header.toString('latin1', 0, MAGIC.length) === MAGIC &&
    header[VERSION.at] === VERSION.known;
  if (!isKnown) return 'is no PMTiles file of version 3';
  if (header[TILE_TYPE.at] !== TILE_TYPE.vector) return 'has no vector tiles (MVT)';
  for (const at of [INTERNAL_COMPRESSION_AT, TILE_COMPRESSION_AT])
    if (!READABLE_COMPRESSIONS.includes(header[at]!)) return 'is compressed by other means than gzip';
  const end = Math.max(...SECTIONS_AT.map((at) => Number(header.readBigUInt64LE(at) + header.readBigUInt64LE(at + 8))));
  return end > size ? `is cut off: it has ${size} bytes of ${end}` : undefined;
}
