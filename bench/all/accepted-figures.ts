import { readFileSync, writeFileSync } from 'node:fs';
import { type Figure, shownOf } from './figure.ts';

/** The table of bench/README.md: figures that were accepted, by what they claim. */

const FILE = new URL('../README.md', import.meta.url);
const [BEGIN, END] = ['<!-- accepted figures -->', '<!-- end -->'];
const HEADER = ['| Scenario | Target | Measured | Date | Machine |', '|---|---|---|---|---|'];
/** Cells of a row that was written before rows told their machine. */
const OLD_CELLS = 4;

/** The key of a figure: two scenarios may claim the same. */
export function keyOf({ scenario, claim }: Pick<Figure, 'scenario' | 'claim'>): string {
  return `${scenario}: ${claim}`;
}

/** Figures by their keys. */
export function readAccepted(): ReadonlyMap<string, string> {
  const rows = tableOf(readFileSync(FILE, 'utf8')).slice(HEADER.length);
  return new Map(
    rows.map(cellsOf).map(([scenario, claim, measured]) => [keyOf({ scenario: scenario!, claim: claim! }), measured!]),
  );
}

/** Replaces the figures of the scenarios that were run; those of others stay. */
export function writeAccepted(figures: readonly Figure[], date: string, machine: string): void {
  writeFileSync(FILE, withAccepted(readFileSync(FILE, 'utf8'), figures, date, machine));
}

/** The text of bench/README.md with these figures. */
export function withAccepted(text: string, figures: readonly Figure[], date: string, machine: string): string {
  const run = new Set(figures.map(({ scenario }) => scenario));
  const others = tableOf(text)
    .slice(HEADER.length)
    .filter((row) => !run.has(cellsOf(row)[0]!))
    .map((row) => (cellsOf(row).length === OLD_CELLS ? `${row} unknown |` : row));
  const rows = figures.map(
    (figure) => `| ${[figure.scenario, figure.claim, shownOf(figure), date, machine].join(' | ')} |`,
  );
  const [before, after] = [text.slice(0, text.indexOf(BEGIN) + BEGIN.length), text.slice(text.indexOf(END))];
  return [before, '', ...HEADER, ...others, ...rows, '', after].join('\n');
}

function cellsOf(row: string): string[] {
  return row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}

function tableOf(text: string): string[] {
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`bench/README.md lacks ${BEGIN} … ${END}`);
  return text
    .slice(begin + BEGIN.length, end)
    .split('\n')
    .filter((line) => line.startsWith('|'));
}
