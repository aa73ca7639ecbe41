import type { Answer } from '../live/protocol.ts';
import type { ChartEvent } from './activity.ts';

type Read = (path: string) => Promise<Answer<LogPage>>;

interface LogPage {
  readonly items: readonly ChartEvent[];
  readonly nextAfter: number;
}

/** A place in the log, and the moment from which on everything is known. */
export interface LogStart {
  readonly after: number;
  readonly sinceMs: number;
}

const TYPES = 'task.created,task.status_changed';
const PAGE = 250;
const EXPIRED = 410;

/**
 * Finds the place in the log at which a moment begins, by halving: the log has no index by time. It looks at no more than the last
 * `most` events, and not beyond the retention; then what is known begins later. Throws the failure of a call.
 */
export async function findStart(read: Read, last: number, sinceMs: number, most: number): Promise<LogStart> {
  let isShort = false;
  const timeAfter = async (after: number): Promise<number> => {
    const answer = await read(`/events?after=${after}&limit=1`);
    if (!answer.ok && answer.failure.status === EXPIRED) {
      isShort = true;
      return Number.NEGATIVE_INFINITY;
    }
    const [event] = dataOf(answer).items;
    return event ? Date.parse(event.timestamp) : Number.POSITIVE_INFINITY;
  };
  let older = Math.max(0, last - most);
  const first = await timeAfter(older);
  if (first >= sinceMs) return { after: older, sinceMs: Number.isFinite(first) ? first : sinceMs };
  let newer = Math.max(last, older + 1);
  while (newer - older > 1) {
    const middle = Math.floor((older + newer) / 2);
    if ((await timeAfter(middle)) >= sinceMs) newer = middle;
    else older = middle;
  }
  const begin = isShort ? await timeAfter(newer) : sinceMs;
  return { after: newer, sinceMs: Number.isFinite(begin) ? Math.max(begin, sinceMs) : sinceMs };
}

/** Hands over the events after a place, to the end of the log. Returns the place that it has reached. Throws the failure of a call. */
export async function readOn(read: Read, after: number, take: (event: ChartEvent) => void): Promise<number> {
  for (let at = after; ; ) {
    const { items, nextAfter } = dataOf(await read(`/events?after=${at}&types=${TYPES}&limit=${PAGE}`));
    for (const event of items) take(event);
    at = nextAfter;
    // A page of large events may be short before the end.
    if (items.length === 0) return at;
  }
}

/** A call that the service has refused, or not answered. */
export class ReadError extends Error {
  readonly failure: Extract<Answer, { ok: false }>['failure'];

  constructor(failure: ReadError['failure']) {
    super(failure.message);
    this.failure = failure;
  }
}

function dataOf(answer: Answer<LogPage>): LogPage {
  if (!answer.ok) throw new ReadError(answer.failure);
  return answer.data;
}
