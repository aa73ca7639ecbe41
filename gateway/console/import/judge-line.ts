import * as v from 'valibot';
import { createTaskSchema } from '../../../schema/tasks/create-task.ts';
import { importText as words } from '../text/english-import.ts';
import { type CellContext, readCell, UNREADABLE } from './read-cell.ts';
import { COLUMN_NAMES, type ColumnName, columnOf } from './task-columns.ts';

/** The body of POST /tasks. */
export type Order = Readonly<Record<string, unknown>>;

/** A line as the engine would take it, and what is wrong with it: by column where a column has the fault. */
export interface Judged {
  readonly order: Order;
  readonly faults: readonly { readonly column: ColumnName | null; readonly words: string }[];
}

type Fault = Judged['faults'][number];
/** Both shapes of the API are taken; this one leaves out the name, which is then the code. */
const DEFAULT_TYPE = 'delivery';

/** Reads lines by their columns, and judges them by the schema of the API. */
export function lineJudge(
  columns: readonly (ColumnName | null)[],
  context: CellContext,
): (cells: readonly string[]) => Judged {
  const schema = createTaskSchema({ cash: true, now: context.now });
  const given = new Set(columns.filter((column) => column !== null));
  return (cells) => {
    const { order, faults } = readLine(cells, columns, context);
    const isRead = (path: string) => !faults.some(({ column }) => column && covers(columnOf(column).path, path));
    const issues = issuesOf(v.safeParse(schema, order).issues ?? []).filter(({ path }) => isRead(path));
    return { order, faults: [...faults, ...issues.map((issue) => faultOf(issue, given))] };
  };
}

function readLine(cells: readonly string[], columns: readonly (ColumnName | null)[], context: CellContext): Judged {
  const order: Record<string, unknown> = { type: DEFAULT_TYPE };
  const faults: Fault[] = [];
  for (const [at, column] of columns.entries()) {
    const cell = cells[at]?.trim() ?? '';
    if (column === null || cell === '') continue;
    const { path, kind } = columnOf(column);
    const value = readCell(kind, cell, context);
    if (value === UNREADABLE) faults.push({ column, words: phrased(column, words.unreadable[kind]!) });
    else put(order, path, value);
  }
  if (order['scheduledAt'] !== undefined) order['timeToServe'] = 'scheduled';
  return { order, faults };
}

function put(order: Record<string, unknown>, path: string, value: unknown): void {
  const [first, second] = path.split('.') as [string, string | undefined];
  const inner = order[first] as object | undefined;
  if (Array.isArray(value) && path.endsWith('ocation')) {
    const [latitude, longitude] = value as number[];
    order[first] = { ...inner, latitude, longitude };
  } else order[first] = second === undefined ? value : { ...inner, [second]: value };
}

interface Issue {
  readonly path: string;
  readonly phrase: string;
}

function issuesOf(issues: readonly v.BaseIssue<unknown>[]): Issue[] {
  return issues.map((issue) => ({
    path: issue.path?.map(({ key }) => String(key)).join('.') ?? '',
    phrase: issue.kind === 'schema' && issue.received === 'undefined' ? 'is missing' : issue.message,
  }));
}

/** Whether a column fills a field: a pin fills both of its numbers. */
function covers(own: string, path: string): boolean {
  return own === path || (own.endsWith('ocation') && path.startsWith(`${own}.`) && /tude$/.test(path));
}

function faultOf({ path, phrase }: Issue, given: ReadonlySet<ColumnName>): Fault {
  const whole = words.needs[path];
  const fits = (own: string) =>
    whole === undefined ? covers(own, path.replace(/\.\d+$/, '')) : own.startsWith(`${path}.`);
  const fitting = COLUMN_NAMES.filter((name) => fits(columnOf(name).path));
  const column = fitting.find((name) => given.has(name)) ?? null;
  const named = column ?? fitting[0];
  return { column, words: whole ?? (named ? phrased(named, phrase) : words.fault(path, phrase)) };
}

function phrased(column: ColumnName, phrase: string): string {
  return words.fault(words.columns[column], phrase);
}
