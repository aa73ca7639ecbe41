import { RIGHT_TO_LEFT } from '../../engine/views/parts/directed-text.ts';

/** Marks that turn around what stands beside them; how much they turn is theirs to say, so none is left. */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/g;
/** No language piles up more marks on a letter than four; what does reaches into other lines. */
const PILE = /(\p{M}{4})\p{M}+/gu;
const HAS_RIGHT_TO_LEFT = new RegExp(`[${RIGHT_TO_LEFT}]`, 'u');

/** A text of somebody's own as a part of a line: without breaks, controls and marks of direction, cut where it is long. */
export function oneLine(text: string, maxChars: number): string {
  const line = text
    .replace(TURNING, '')
    .replace(PILE, '$1')
    .replace(/[\s\p{Cc}]+/gu, ' ');
  return cut(line.trim(), maxChars);
}

/** The text, or its beginning and an ellipsis. */
export function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  // No half of a character of two units is left at the end.
  const beginning = text.slice(0, maxChars - 1).replace(/[\uD800-\uDBFF]$/, '');
  return `${beginning.trimEnd()}…`;
}

/** The same within a sentence that runs from left to right: one that does not is kept to itself. */
export function isolated(line: string): string {
  return HAS_RIGHT_TO_LEFT.test(line) ? `\u2068${line}\u2069` : line;
}
