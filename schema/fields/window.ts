import { parseIsoTime } from './fields.ts';

/** Whether a window would end before it begins, or at once. Of fields as they came; false where one is no moment. */
export function isEmptyWindow(windowStart: unknown, windowEnd: unknown): boolean {
  const [start, end] = [windowStart, windowEnd].map((one) => (typeof one === 'string' ? parseIsoTime(one) : undefined));
  return start !== undefined && end !== undefined && end <= start;
}
