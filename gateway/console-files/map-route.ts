import type { Scheduler } from '../../engine/runtime/clock.ts';
import type { Log } from '../../engine/runtime/log.ts';
import { errorBody } from '../../engine/views/parts/error-body.ts';
import { refusal } from '../../schema/errors.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { Header, IncomingRequest, Reply } from '../http/port.ts';
import { RefusalError } from '../refusal-error.ts';
import { isKnownTag } from '../request/parse-request.ts';
import { type RawRoute, rawRoute } from '../route.ts';
import { decideRange } from './byte-range.ts';
import { type OpenMapFile, openMapFile } from './map-file.ts';
import { sendRange } from './send-range.ts';

/** The address of the map file. */
export const MAP_PATH = '/console/map.pmtiles';
const MEDIA = 'application/vnd.pmtiles';

export interface MapFileParts {
  readonly path: string;
  readonly scheduler: Scheduler;
  readonly log: Log;
}

/** Serves the map file of this machine by ranges. The file may be larger than memory, and be replaced at any time. */
export function mapRoute(parts: MapFileParts | undefined): RawRoute {
  let underWay = 0;
  return rawRoute({
    method: 'GET',
    path: MAP_PATH,
    place: 'root',
    guard: { kind: 'public' },
    summary: "The tiles of the console's map",
    answers: MEDIA,
    etag: true,
    ranges: true,
    refusals: ['404 There is no map file', '503 OVERLOADED'],
    async handle({ replyHeaders }, reply, incoming) {
      if (!parts) throw new RefusalError(refusal('NOT_FOUND', 'There is no map file'));
      if (underWay >= LIMITS.mapAnswersAtOnce) throw new RefusalError(refusal('OVERLOADED'));
      underWay += 1;
      try {
        const file = await openOrRefuse(parts);
        try {
          await answer(file, { replyHeaders, reply, incoming }, parts);
        } finally {
          await file.handle.close();
        }
      } finally {
        underWay -= 1;
      }
    },
  });
}

interface Exchange {
  readonly replyHeaders: readonly Header[];
  readonly reply: Reply;
  readonly incoming: IncomingRequest;
}

async function openOrRefuse({ path, log }: MapFileParts): Promise<OpenMapFile> {
  try {
    return await openMapFile(path);
  } catch (err) {
    log.error({ err, path }, 'the map file cannot be opened');
    throw new RefusalError(refusal('UNAVAILABLE', 'The map file cannot be read; try again'));
  }
}

async function answer(file: OpenMapFile, exchange: Exchange, { path, scheduler, log }: MapFileParts): Promise<void> {
  const { replyHeaders, reply, incoming } = exchange;
  const { size, etag } = file;
  const headers: Header[] = [...headersOf(etag), ...replyHeaders];
  if (isKnownTag(incoming.header('if-none-match'), etag)) return reply.send(304, headers, '');
  const isHead = incoming.method === 'HEAD';
  // Range is defined for GET alone.
  const range = isHead ? undefined : incoming.header('range');
  const decision = decideRange({ range, ifRange: incoming.header('if-range') }, file);
  if (decision.kind === 'refused') return refuse(decision.why, size, exchange);
  headers.push(['Content-Type', MEDIA]);
  if (isHead) return reply.send(200, headers, '', { headBytes: size });
  const { kind, first, last } = decision;
  if (kind === 'part') headers.push(['Content-Range', `bytes ${first}-${last}/${size}`]);
  const stream = reply.openStream(kind === 'part' ? 206 : 200, headers);
  try {
    await sendRange(stream, file, decision, scheduler);
  } catch (err) {
    log.error({ err, path, first, last }, 'the map file cannot be read: the answer was cut off');
  }
}

function refuse(why: string, size: number, { reply, replyHeaders }: Exchange): void {
  const headers: Header[] = [
    ['Content-Type', 'application/json; charset=utf-8'],
    ['Content-Range', `bytes */${size}`],
    ['Accept-Ranges', 'bytes'],
  ];
  reply.send(416, [...headers, ...replyHeaders], errorBody(416, why));
}

function headersOf(etag: string): Header[] {
  return [
    ['ETag', etag],
    ['Accept-Ranges', 'bytes'],
    // Asked for again each time, since the file may be replaced; and compressed by nobody, since its parts are found by place.
    ['Cache-Control', 'no-cache, no-transform'],
    ['X-Content-Type-Options', 'nosniff'],
    ['Cross-Origin-Resource-Policy', 'same-origin'],
  ];
}
