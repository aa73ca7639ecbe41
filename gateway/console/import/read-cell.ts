/** Clock and calendar of the organization. */
export interface CellContext {
  /** The moment of a local time such as `2031-05-01T14:30`; null for what is none. */
  readonly momentOf: (local: string) => number | null;
  /** The organization's day, as `2031-05-01`. */
  readonly today: string;
  readonly now: () => number;
}

export type CellKind = 'text' | 'type' | 'phone' | 'number' | 'degrees' | 'pin' | 'amount' | 'time' | 'flag' | 'list';

/** A cell that cannot be read as what it should be. */
export const UNREADABLE = Symbol('unreadable');

const FLAGS: Readonly<Record<string, boolean>> = {
  yes: true,
  y: true,
  true: true,
  '1': true,
  x: true,
  no: false,
  n: false,
  false: false,
  '0': false,
};
const ISO = /^(\d{4}-\d{2}-\d{2})[T ](\d{1,2}:\d{2})(?::\d{2})?$/;
const DOTTED = /^(\d{1,2})\.(\d{1,2})\.(\d{4}) (\d{1,2}:\d{2})(?::\d{2})?$/;
const CLOCK = /^(\d{1,2}:\d{2})$/;
const ZONED = /(?:Z|[+-]\d{2}:?\d{2})$/;

const READERS: Readonly<Record<CellKind, (cell: string, context: CellContext) => unknown>> = {
  text: (cell) => cell,
  type: (cell) => cell.toLowerCase().replace('-', '').replaceAll(/\s+/g, '_'),
  phone: (cell) => cell.replace(/^00(?=[1-9])/, '+'),
  number: (cell) => (/^\d+$/.test(cell) ? Number(cell) : UNREADABLE),
  degrees: (cell) => degreesIn(cell),
  pin: pinOf,
  amount: amountOf,
  time: timeOf,
  flag: (cell) => FLAGS[cell.toLowerCase()] ?? UNREADABLE,
  list: (cell) =>
    cell
      .split(/[,;|]/)
      .map((each) => each.trim())
      .filter(Boolean),
};

/** The value of a cell for the API, or UNREADABLE. */
export function readCell(kind: CellKind, cell: string, context: CellContext): unknown {
  return READERS[kind](cell, context);
}

function degreesIn(cell: string): number | typeof UNREADABLE {
  return /^-?\d+(?:[.,]\d+)?$/.test(cell) ? Number(cell.replace(',', '.')) : UNREADABLE;
}

function pinOf(cell: string): readonly [latitude: number, longitude: number] | typeof UNREADABLE {
  const parts = cell.split(/\s*[,;]\s*|\s+/);
  const [latitude = UNREADABLE, longitude = UNREADABLE] = parts.map(degreesIn);
  const isPin = parts.length === 2 && latitude !== UNREADABLE && longitude !== UNREADABLE;
  return isPin ? [latitude, longitude] : UNREADABLE;
}

/** A comma before three digits may separate thousands or decimals: nobody knows which. */
function amountOf(cell: string): string | typeof UNREADABLE {
  const isClear = /^\d+(?:\.\d+|,\d{1,2}|,\d{4,})?$/.test(cell);
  return isClear ? cell.replace(',', '.') : UNREADABLE;
}

/** A moment with its zone, or a time of the organization's clock; without a date it is of today. */
function timeOf(cell: string, { momentOf, today }: CellContext): string | typeof UNREADABLE {
  if (ZONED.test(cell)) return cell;
  const [, date, time] = ISO.exec(cell) ?? dotted(cell) ?? [undefined, today, CLOCK.exec(cell)?.[1]];
  const moment = time === undefined ? null : momentOf(`${date}T${time.padStart(5, '0')}`);
  return moment === null ? UNREADABLE : new Date(moment).toISOString();
}

function dotted(cell: string): readonly [unknown, string, string] | undefined {
  const [, day, month, year, time] = DOTTED.exec(cell) ?? [];
  if (day === undefined) return undefined;
  return [cell, `${year}-${month!.padStart(2, '0')}-${day.padStart(2, '0')}`, time!];
}
