import Papa from 'papaparse';

/** A line of a table, by the number that a spreadsheet shows beside it. */
export interface Line {
  readonly line: number;
  readonly cells: readonly string[];
}

const DELIMITERS = [',', ';', '\t'];
/** How a workbook begins. A text may begin with the first two, which are `PK`. */
const ZIP = [0x50, 0x4b, 0x03, 0x04];

/**
 * The lines of a table that was copied from a spreadsheet or saved as CSV, without the empty ones. `openQuote` tells that a quote in
 * them is never closed, so that what follows it cannot be trusted.
 */
export function parseLines(text: string): { readonly lines: readonly Line[]; readonly openQuote: boolean } {
  const { data, errors } = Papa.parse<string[]>(text.replace(/[\r\n]+$/, ''), { delimitersToGuess: DELIMITERS });
  const lines = data
    .map((cells, index): Line => ({ line: index + 1, cells: cells.map((cell) => cell.trim()) }))
    .filter(({ cells }) => cells.some((cell) => cell !== ''));
  return { lines, openQuote: errors.some(({ code }) => code === 'MissingQuotes') };
}

/** The text of a file in UTF-8, in UTF-16 or, as older spreadsheets write it, in Windows-1252. Undefined for a workbook. */
export function decodeFile(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes;
  if (ZIP.every((byte, at) => bytes[at] === byte)) return undefined;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
