import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Place } from '../../../engine/domain/assignment/round-view.ts';
import { distanceM } from '../../../engine/domain/travel/geo.ts';

export interface StandInEngine {
  /** Without a slash at its end. */
  readonly url: string;
  /** The tables that it was asked for, in order. */
  readonly tables: { readonly mode: string; readonly from: number; readonly to: number }[];
  /** The fault instead of an answer; undefined answers. */
  disturb: ((response: ServerResponse) => void) | undefined;
  /** Answers with `verbose` tables of Valhalla, as releases before 3.2 always did. */
  isOld: boolean;
  close(): Promise<void>;
}

/** Its roads are half as long again as the straight line, and everybody makes ten metres a second on them. */
export function roadSeconds(from: Place, to: Place): number {
  return Math.round((distanceM(from.latitude, from.longitude, to.latitude, to.longitude) * 1.5) / 10);
}

/** South of the equator it knows no roads, east of 90 none that lead there. */
const isOffMap = ({ latitude }: Place) => latitude < 0;
const secondsBetween = (from: Place, to: Place) =>
  from.longitude > 90 === to.longitude > 90 ? roadSeconds(from, to) : null;

interface Question {
  readonly mode: string;
  readonly from: readonly Place[];
  readonly to: readonly Place[];
}

/** Speaks the table protocol of OSRM (car, bike and foot under paths of these names) and that of Valhalla, strictly. */
export async function startStandInEngine(): Promise<StandInEngine> {
  const engine: StandInEngine = { url: '', tables: [], disturb: undefined, isOld: false, close };
  const server = createServer((request, response) => {
    answer(request, response, engine).catch((error) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  async function close(): Promise<void> {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  return Object.assign(engine, { url });
}

async function answer(request: IncomingMessage, response: ServerResponse, engine: StandInEngine): Promise<void> {
  const body = await textOf(request);
  if (engine.disturb) return engine.disturb(response);
  const url = new URL(request.url!, 'http://engine');
  if (url.pathname.endsWith('/sources_to_targets')) answerValhalla(request, body, response, engine);
  else answerOsrm(request, url, response, engine);
}

/** Source: OSRM's docs/http.md and src/server/api. */
function answerOsrm(request: IncomingMessage, url: URL, response: ServerResponse, engine: StandInEngine): void {
  const refuse = (code: string, message: string) => json(response, 400, { code, message });
  const path = /^(?:\/(car|bike|foot))?\/table\/v1\/driving\/([-\d.,;]+)$/.exec(decodeURIComponent(url.pathname));
  if (request.method !== 'GET' || !path) return refuse('InvalidUrl', `URL string malformed close to position 1`);
  const places = path[2]!.split(';').map((pair): Place => {
    const [longitude, latitude] = pair.split(',').map(Number);
    return { latitude: latitude!, longitude: longitude! };
  });
  const known = ['sources', 'destinations', 'annotations', 'generate_hints', 'token'];
  if ([...url.searchParams.keys()].some((key) => !known.includes(key)))
    return refuse('InvalidQuery', 'Query string malformed');
  const listed = (name: string) => (url.searchParams.get(name) ?? '').split(';').map((index) => places[Number(index)]);
  const [from, to] = [listed('sources'), listed('destinations')];
  if ([...from, ...to].includes(undefined)) return refuse('InvalidOptions', 'Indices are out of range');
  if (from.length * to.length > 100 * 100) return refuse('TooBig', 'Too many table coordinates');
  const offMap = places.findIndex(isOffMap);
  const question = note(engine, { mode: path[1] ?? 'car', from: from as Place[], to: to as Place[] });
  if (offMap >= 0) return refuse('NoSegment', `Could not find a matching segment for coordinate ${offMap}`);
  json(response, 200, { code: 'Ok', durations: tableOf(question), sources: [], destinations: [] });
}

/** Source: Valhalla's docs/api/matrix and src/tyr/matrix_serializer.cc. */
function answerValhalla(request: IncomingMessage, body: string, response: ServerResponse, engine: StandInEngine): void {
  const refuse = (code: number, error: string) =>
    json(response, 400, { error_code: code, error, status_code: 400, status: 'Bad Request' });
  if (request.method !== 'POST') return refuse(101, 'Try a POST or GET request instead');
  const { sources, targets, costing, verbose } = JSON.parse(body);
  const costings = ['auto', 'bicycle', 'pedestrian', 'motor_scooter', 'motorcycle', 'truck'];
  if (!costings.includes(costing)) return refuse(125, 'No costing method found');
  const places = (list: { lat: number; lon: number }[]): Place[] =>
    list.map(({ lat, lon }) => ({ latitude: lat, longitude: lon }));
  const question = note(engine, { mode: costing, from: places(sources), to: places(targets) });
  if (sources.length * targets.length > 2_500) return refuse(150, 'Exceeded max locations: 2500');
  if ([...question.from, ...question.to].some(isOffMap)) return refuse(171, 'No suitable edges near location');
  const durations = tableOf(question);
  if (durations.flat().every((seconds) => seconds === null)) return refuse(442, 'No path could be found for input');
  const distances = durations.map((row) => row.map((seconds) => seconds && seconds / 100));
  const rows = durations.map((row, from) =>
    row.map((time, to) => ({ from_index: from, to_index: to, time, distance: distances[from]![to] })),
  );
  const isVerbose = engine.isOld || verbose !== false;
  json(response, 200, { sources_to_targets: isVerbose ? rows : { durations, distances }, units: 'kilometers' });
}

function note(engine: StandInEngine, question: Question): Question {
  engine.tables.push({ mode: question.mode, from: question.from.length, to: question.to.length });
  return question;
}

function tableOf({ from, to }: Question): (number | null)[][] {
  return from.map((start) => to.map((end) => secondsBetween(start, end)));
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of request.setEncoding('utf8')) text += piece;
  return text;
}

function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}
