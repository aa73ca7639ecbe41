import { readPage } from '../../docs/pages.ts';

/** A command that a page shows behind `$ `, and the answer that it prints below. */
export interface Exchange {
  /** The page and the line of the command. */
  readonly place: string;
  readonly command: string;
  /** Empty where the page shows none. `…` stands for what is left out. */
  readonly answer: string;
}

/** The exchanges in the code blocks of a page, in order. */
export function exchangesOf(path: string): Exchange[] {
  const exchanges: { place: string; command: string; answer: string }[] = [];
  /** The fence that opened the block of this line. One with a language opens a program or a file. */
  let fence: string | undefined;
  for (const [index, line] of readPage(path).split('\n').entries()) {
    const isInside = fence === '```';
    if (line.startsWith('```')) {
      fence = fence === undefined ? line : undefined;
    } else if (isInside && line.startsWith('$ ')) {
      exchanges.push({ place: `${path}:${index + 1}`, command: line.slice(2), answer: '' });
    } else if (isInside && exchanges.length > 0) {
      exchanges.at(-1)!.answer += `${line}\n`;
    }
  }
  return exchanges;
}

/** Texts that differ from start to start: times, secrets, made codes, the name of the log's history, durations; the comments of a stream. */
const CHANGING: readonly (readonly [RegExp, string])[] = [
  [/^:.*\n/gm, ''],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>'],
  [/\b(whsec|da|dr|di|dk_live|evt_test)_[\w+/=-]*/g, '$1_'],
  [/\bTSK-[0-9A-Z]{10}\b/g, 'TSK-'],
  [/"history":"\w+"/g, '"history":""'],
  [/\b[0-9a-z]{10}(?=-\d)|(?<=\bevt_)[0-9a-z]{10}(?=_\d)/g, '<history>'],
  [/(\/checkout\/[\d.]+)\.[\w-]+/g, '$1.'],
  [/"durationMs":\d+/g, '"durationMs":0'],
];

/** The first part of a printed answer that is not in the answer that came, or undefined when all are, in order. */
export function findMissing(printed: string, came: string): string | undefined {
  const text = withoutChanging(came);
  let from = 0;
  for (const [index, piece] of printed.split('…').entries()) {
    const wanted = withoutChanging(piece).trim();
    const at = text.indexOf(wanted, from);
    if (at === -1 || (index === 0 && text.slice(0, at).trim() !== '')) return wanted;
    from = at + wanted.length;
  }
  const isWhole = !printed.trimEnd().endsWith('…');
  return isWhole && text.slice(from).trim() !== '' ? `the end of the answer behind ${text.slice(0, from)}` : undefined;
}

function withoutChanging(text: string): string {
  return CHANGING.reduce((left, [pattern, instead]) => left.replace(pattern, instead), text);
}
