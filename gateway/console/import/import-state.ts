import { computed } from '@preact/signals';
import { newKey } from '../page/new-key.ts';
import { ofUser } from '../page/of-user.ts';
import { nowMs, timeZone } from '../page/state.ts';
import { importText as words } from '../text/english-import.ts';
import { momentIn, wallClock } from '../time/wall-clock.ts';
import { type Judged, lineJudge } from './judge-line.ts';
import { parseLines } from './parse-lines.ts';
import type { CellContext } from './read-cell.ts';
import { type ColumnName, columnsIn } from './task-columns.ts';

/** How far a line has come at the engine. `undecided`: it was sent, and nobody knows whether it is a task; `existing`: a person has found the task. */
export type Sent =
  | { readonly kind: 'no' | 'sending' | 'existing' }
  | { readonly kind: 'created'; readonly taskId: number; readonly code: string }
  | { readonly kind: 'refused' | 'undecided'; readonly words: string };

export interface ImportLine {
  readonly line: number;
  readonly cells: readonly string[];
  readonly sent: Sent;
}

/** A table of tasks, as it is mended and sent. */
export interface Table {
  /** Tells it from the next table, whose lines have the same numbers. */
  readonly key: string;
  readonly headings: readonly string[];
  readonly columns: readonly (ColumnName | null)[];
  readonly lines: readonly ImportLine[];
  /** Oddities of the table as a whole. */
  readonly notes: readonly string[];
}

const MOST_LINES = 5_000;

/** The typed text, and the table that it became; both stay when the sheet is closed. */
export const pasted = ofUser('');
export const table = ofUser<Table | null>(null);

export function discardTable(): void {
  pasted.value = '';
  table.value = null;
}

/** Makes a table of a text. Returns why it cannot be one. */
export function openTable(text: string): string | undefined {
  const { lines, openQuote } = parseLines(text);
  const first = columnsIn(lines[0]?.cells ?? []);
  const hasHeadings = first.some((column) => column !== null);
  const rows = hasHeadings ? lines.slice(1) : lines;
  if (rows.length === 0) return words.nothing;
  if (rows.length > MOST_LINES) return words.tooLarge(MOST_LINES);
  const width = Math.max(...lines.map(({ cells }) => cells.length));
  const at = Array.from({ length: width }, (_, index) => index);
  table.value = {
    key: newKey(),
    headings: at.map((index) => (hasHeadings ? (lines[0]!.cells[index] ?? '') : '')),
    columns: at.map((index) => first[index] ?? null),
    lines: rows.map(({ line, cells }) => ({ line, cells, sent: { kind: 'no' } })),
    notes: [openQuote ? words.openQuote : '', hasHeadings ? '' : words.noHeadings].filter(Boolean),
  };
  return undefined;
}

const columns = computed(() => table.value?.columns ?? []);
/** The organization's day. */
const today = computed(() => wallClock(nowMs.value, timeZone.value).slice(0, 10));
/** Another zone and another day give cells another meaning: all lines are judged again. */
const judge = computed(() => {
  const zone = timeZone.value;
  const context: CellContext = {
    momentOf: (local) => momentIn(local, zone),
    today: today.value,
    now: () => nowMs.peek(),
  };
  return { judgeCells: lineJudge(columns.value, context), known: new WeakMap<readonly string[], Judged>() };
});

/** A line with its state, as the sheet shows it. */
export interface JudgedLine extends ImportLine {
  readonly order: Judged['order'];
  readonly faults: Judged['faults'];
  readonly state: keyof typeof words.states;
}

/** Only lines whose cells have changed are judged again, as long as the judge is the same. */
export const judgedLines = computed((): readonly JudgedLine[] => {
  const { judgeCells, known } = judge.value;
  const codes = new Map<unknown, number>();
  return (table.value?.lines ?? []).map((line) => {
    const judged = known.get(line.cells) ?? judgeCells(line.cells);
    known.set(line.cells, judged);
    const { code } = judged.order as { code?: string };
    const twin = code === undefined ? undefined : codes.get(code);
    if (code !== undefined && twin === undefined) codes.set(code, line.line);
    const faults =
      twin === undefined ? judged.faults : [...judged.faults, { column: 'code' as const, words: words.twice(twin) }];
    return {
      ...line,
      order: judged.order,
      faults: isSettled(line) ? [] : faults,
      state: stateOf(line, faults.length > 0),
    };
  });
});

/** Whether a line is with the engine, so that nobody may change it any more. */
function isSettled({ sent }: ImportLine): boolean {
  return sent.kind !== 'no' && sent.kind !== 'refused';
}

function stateOf({ sent }: ImportLine, isWrong: boolean): JudgedLine['state'] {
  if (sent.kind === 'refused') return isWrong ? 'wrong' : 'refused';
  if (sent.kind === 'no') return isWrong ? 'wrong' : 'ready';
  return sent.kind;
}

export function isMended({ state }: JudgedLine): boolean {
  return state !== 'wrong' && state !== 'refused';
}

/** A line that is changed is no longer refused. */
export function changeCell(line: number, at: number, cell: string): void {
  changeLines((each) => {
    if (each.line !== line) return each;
    const cells = Array.from({ length: Math.max(each.cells.length, at + 1) }, (_, index) => each.cells[index] ?? '');
    return { ...each, cells: cells.with(at, cell), sent: { kind: 'no' } };
  });
}

export function changeLines(change: (line: ImportLine) => ImportLine): void {
  const now = table.peek();
  if (now) table.value = { ...now, lines: now.lines.map(change) };
}

/** Names a column. The one that had the name before gives it up. */
export function nameColumn(at: number, name: ColumnName | null): void {
  const now = table.peek();
  if (!now) return;
  table.value = { ...now, columns: now.columns.map((had, index) => (index === at ? name : had === name ? null : had)) };
}
