import type { Dispatcher } from 'undici';
import { LIMITS } from '../../schema/limits.ts';
import type { Place } from '../domain/assignment/round-view.ts';
import type { Scheduler } from '../runtime/clock.ts';
import { fieldOf, type RoutingDialect } from './routing-dialect.ts';

/** The engine did not answer what it was asked, for reasons of its own: it may be away, broken or something else. */
class RoutingError extends Error {}

/** The engine has no table for these places: one of them is off its map, or too far from the others. */
export class RoutingRefusal extends Error {}

/** Seconds from each start, a row, to each end; null where there is no way. */
export type SecondsTable = readonly (readonly (number | null)[])[];

export interface RoutingClient {
  /** Rejects with RoutingRefusal or RoutingError, after LIMITS.routingTimeoutMs at the latest. */
  ask(mode: string, from: readonly Place[], to: readonly Place[]): Promise<SecondsTable>;
  /** Drops all connections; what is under way rejects. */
  stop(): Promise<void>;
}

/** Asks a routing engine for tables of travel times, bounded in time and size. */
export function createRoutingClient(dialect: RoutingDialect, scheduler: Scheduler): RoutingClient {
  const connecting = openConnections();

  async function exchange(mode: string, from: readonly Place[], to: readonly Place[], signal: AbortSignal) {
    const { url, body } = dialect.requestFor(mode, from, to);
    const { agent, request } = await connecting;
    const answer = await request(url, {
      dispatcher: agent,
      method: body === null ? 'GET' : 'POST',
      headers: { accept: 'application/json', ...(body === null ? {} : { 'content-type': 'application/json' }) },
      body,
      signal,
    });
    const text = await readText(answer.body);
    const parsed = parseJson(text);
    const excerpt = text.slice(0, LIMITS.routingExcerptChars);
    // Both engines say in JSON why there is no table; a 400 in other words is of something else on the way.
    if (answer.statusCode === 400 && isReason(parsed)) throw new RoutingRefusal(excerpt);
    if (answer.statusCode !== 200) throw new RoutingError(`status ${answer.statusCode}: ${excerpt}`);
    return parseTable(dialect.rowsOf(parsed), from.length, to.length);
  }

  return {
    async ask(mode, from, to) {
      const patience = new AbortController();
      const cancel = scheduler.after(LIMITS.routingTimeoutMs, () => patience.abort());
      try {
        return await exchange(mode, from, to, patience.signal);
      } catch (error) {
        if (error instanceof RoutingRefusal || error instanceof RoutingError) throw error;
        const what = patience.signal.aborted ? `no answer within ${LIMITS.routingTimeoutMs} ms` : 'no answer';
        throw new RoutingError(what, { cause: error });
      } finally {
        cancel();
      }
    },
    async stop() {
      await (await connecting).agent.destroy();
    },
  };
}

/** A process without a routing engine does not load the client: that takes a sixth of a gateway's start, and 20 MB. */
async function openConnections() {
  const { Agent, request } = await import('undici');
  const agent = new Agent({
    connections: LIMITS.routingConnections,
    pipelining: 1,
    connect: { timeout: LIMITS.routingTimeoutMs },
    // The time as a whole is watched over by `ask`.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return { agent, request };
}

async function readText(body: Dispatcher.ResponseData['body']): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of body as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > LIMITS.routingAnswerBytes) throw new RoutingError(`more than ${LIMITS.routingAnswerBytes} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** Undefined for what is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** OSRM says `{code, message}`, Valhalla `{error_code, error, …}`. */
function isReason(answer: unknown): boolean {
  return fieldOf(answer, 'code') !== undefined || fieldOf(answer, 'error_code') !== undefined;
}

function parseTable(rows: unknown, from: number, to: number): SecondsTable {
  const isTable =
    Array.isArray(rows) &&
    rows.length === from &&
    rows.every((row) => Array.isArray(row) && row.length === to && row.every(isSeconds));
  if (!isTable) throw new RoutingError(`not a table of ${from} × ${to} times`);
  return rows;
}

function isSeconds(value: unknown): value is number | null {
  return value === null || (typeof value === 'number' && value >= 0 && value <= LIMITS.routingSeconds);
}
