import { type Html, html } from './html.ts';

/** Letters, digits and marks of scripts that run from right to left. */
export const RIGHT_TO_LEFT = '\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}';
/** Characters that steer the direction of what follows: they stay outside of every run. */
const STEERING = '\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069';

const HAS_RIGHT_TO_LEFT = new RegExp(`[${RIGHT_TO_LEFT}]`, 'u');
/** Right to left, spaces, or a piece of neither. */
const PIECES = new RegExp(`[${RIGHT_TO_LEFT}${STEERING}]+|\\s+|[^${RIGHT_TO_LEFT}${STEERING}\\s]+`, 'gu');
const OTHER = new RegExp(`^[${RIGHT_TO_LEFT}${STEERING}]`, 'u');
const STRONG = /[\p{L}\p{N}]/u;

/** The rules of a style sheet for the runs of `directedText`. */
export const DIRECTED_TEXT_STYLE = '.ltr{unicode-bidi:isolate;direction:ltr}';

/**
 * A text of somebody's own for a page. Inside a right-to-left text each run that is not, such as `</b>` or a phone number,
 * keeps the order of its signs. A class does it and not `dir`, since `dir="auto"` around it must still see the letters.
 */
export function directedText(text: string): Html {
  if (!HAS_RIGHT_TO_LEFT.test(text)) return html`${text}`;
  return html`${runsOf(text).map(({ run, isLeftToRight }) => (isLeftToRight ? html`<span class="ltr">${run}</span>` : run))}`;
}

interface Run {
  readonly run: string;
  readonly isLeftToRight: boolean;
}

/** The runs of a text, which are the text when they are put together. Takes time in proportion to its length. */
function runsOf(text: string): Run[] {
  const runs: Run[] = [];
  let current = '';
  // Spaces belong to a run only between two pieces of it.
  let spaces = '';
  const add = (run: string, isLeftToRight: boolean) => {
    if (run !== '') runs.push({ run, isLeftToRight });
  };
  const end = () => {
    const { before, kept, after } = withoutStrays(current);
    add(before, false);
    add(kept, true);
    add(after + spaces, false);
    current = '';
    spaces = '';
  };
  for (const [piece] of text.matchAll(PIECES)) {
    if (current !== '' && /^\s/.test(piece)) spaces = piece;
    else if (STRONG.test(piece) && !OTHER.test(piece)) {
      current += spaces + piece;
      spaces = '';
      // A bracket of the sentence around it closes: the run does not go on behind it.
      if (isStray(current, current.length - 1, CLOSING, OPENING)) end();
    } else {
      end();
      add(piece, false);
    }
  }
  end();
  return runs;
}

const OPENING = '([{«“';
const CLOSING = ')]}»”';

/** Signs at the ends of a run that belong to the sentence around it: stops, and brackets whose other half is not in it. */
function withoutStrays(run: string): { readonly before: string; readonly kept: string; readonly after: string } {
  let start = 0;
  let end = run.length;
  while (start < end && isStray(run, start, OPENING, CLOSING)) start += 1;
  while (end > start && ('.,;:!?…'.includes(run[end - 1]!) || isStray(run, end - 1, CLOSING, OPENING))) end -= 1;
  return { before: run.slice(0, start), kept: run.slice(start, end), after: run.slice(end) };
}

function isStray(run: string, at: number, kinds: string, others: string): boolean {
  const kind = kinds.indexOf(run[at]!);
  return kind >= 0 && !run.includes(others[kind]!);
}
