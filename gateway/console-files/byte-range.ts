import { LIMITS } from '../../schema/limits.ts';

/** The bytes of one answer, the last one included; and whether they are the whole. Else the reason of a 416. */
export type RangeDecision =
  | { readonly kind: 'whole' | 'part'; readonly first: number; readonly last: number }
  | { readonly kind: 'refused'; readonly why: string };

interface Asked {
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
}

const UNIT = /^bytes=/i;
const RANGE = /^\s*(\d*)-(\d*)\s*$/;

/**
 * Decides which bytes of a file a request gets. A unit other than bytes is ignored, and so is a range of a file that is no
 * longer the one that If-Range names. One answer has `mapAnswerBytes` at most. Source: RFC 9110 §13.1.5 and §14.
 */
export function decideRange({ range, ifRange }: Asked, { size, etag }: { size: number; etag: string }): RangeDecision {
  const whole = { kind: 'whole', first: 0, last: size - 1 } as const;
  if (range === undefined || !UNIT.test(range)) return bounded(whole);
  if (ifRange !== undefined && ifRange.trim() !== etag) return bounded(whole);
  const ranges = range.replace(UNIT, '');
  if (ranges.includes(',')) return refused('One range at a time is sent');
  const [, start = '', end = ''] = RANGE.exec(ranges) ?? [];
  if (start === '' && end === '') return refused('The Range must be like bytes=0-16383, bytes=16384- or bytes=-16384');
  const first = start === '' ? Math.max(0, size - Number(end)) : Number(start);
  const last = start === '' || end === '' ? size - 1 : Math.min(Number(end), size - 1);
  if (start !== '' && end !== '' && Number(end) < first) return refused('The Range ends before it begins');
  if (first >= size) return refused(`There are ${size} bytes`);
  return bounded({ kind: 'part', first, last });
}

function bounded(decision: { readonly kind: 'whole' | 'part'; readonly first: number; readonly last: number }) {
  if (decision.last - decision.first < LIMITS.mapAnswerBytes) return decision;
  return refused(`Ask for ranges of at most ${LIMITS.mapAnswerBytes} bytes`);
}

function refused(why: string): RangeDecision {
  return { kind: 'refused', why };
}
