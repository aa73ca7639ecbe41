import { LIMITS } from '../../../schema/limits.ts';
import type { Answer } from '../live/protocol.ts';
import { isDecided } from '../page/new-key.ts';
import type { Order } from './judge-line.ts';

/** The lines that go to the engine in one call. The key makes a repeat safe, as long as the lines stay as they are. */
export interface Part {
  readonly key: string;
  readonly lines: readonly number[];
  readonly orders: readonly Order[];
  /** When it was first sent, if no decision is known since: it may have been carried out. */
  readonly firstSentAtMs: number | null;
}

interface Wanted {
  readonly line: number;
  readonly order: Order;
}

/** Room for what surrounds the tasks in a body, in bytes. */
const ENVELOPE_BYTES = 1_024;
const MOST_BYTES = LIMITS.batchBodyBytes - ENVELOPE_BYTES;

/** Divides lines so that each part keeps to the limits of a batch. */
export function partsOf(wanted: readonly Wanted[], newKey: () => string): Part[] {
  const encoder = new TextEncoder();
  const groups: Wanted[][] = [];
  let bytes = 0;
  for (const each of wanted) {
    const size = encoder.encode(JSON.stringify(each.order)).length + 1;
    const last = groups.at(-1);
    const hasRoom = last !== undefined && last.length < LIMITS.batchTasks && bytes + size <= MOST_BYTES;
    if (hasRoom) last.push(each);
    else groups.push([each]);
    bytes = hasRoom ? bytes + size : size;
  }
  return groups.map((group) => ({
    key: newKey(),
    lines: group.map(({ line }) => line),
    orders: group.map(({ order }) => order),
    firstSentAtMs: null,
  }));
}

/**
 * Sends parts in their order, up to the first that is not answered or is refused as a whole: those after it would hardly fare better.
 * Returns the part whose fate nobody knows, if there is one.
 */
export async function sendParts(
  parts: readonly Part[],
  send: (part: Part) => Promise<Answer>,
  onAnswer: (part: Part, answer: Answer) => void,
  now: () => number,
): Promise<Part | null> {
  for (const part of parts) {
    const firstSentAtMs = part.firstSentAtMs ?? now();
    const answer = await send(part);
    onAnswer(part, answer);
    if (!isFateOf(part, answer)) return { ...part, firstSentAtMs };
    if (!answer.ok) return null;
  }
  return null;
}

/** Whether an answer decides about a part, also about its first sending. */
export function isFateOf({ firstSentAtMs }: Part, answer: Answer): boolean {
  return isDecided(answer, firstSentAtMs !== null);
}
