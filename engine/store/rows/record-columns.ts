import { isoFromPostgres } from '../postgres.ts';
import { encodeField } from './encode-line.ts';

/** Whether a field of a record is a time: Postgres writes those in a form of its own. */
type Fields<T> = { readonly [K in keyof T]-?: 'plain' | 'time' };

/** The columns of a table that make a record, in one order for all who ask for them. */
export interface RecordColumns<T> {
  /** The fields of the record, in the same order. */
  readonly names: readonly string[];
  /** The columns of a row `alias`, as a select list. */
  list(alias: string): string;
  /** The record of a row that came as an array of values, its columns beginning at `start`. */
  ofValues(row: readonly unknown[], start: number): T;
  /** The columns of a row `alias` as one JSON array, which Postgres writes in half the time of an object. */
  json(alias: string): string;
  ofJson(values: readonly unknown[]): T;
  /** The record of a whole row that Postgres wrote as a JSON object. */
  ofObject(row: Readonly<Record<string, unknown>>): T;
  /** The values of a record in the order of its columns, as a line that `commit_group` takes has them. */
  encode(record: T): string;
}

/**
 * Names the fields of a record. A list holds thousands of them: their literals are compiled once, since an object that
 * grows field by field costs several times its size.
 */
export function recordColumns<T>(fields: Fields<T>): RecordColumns<T> {
  const names = Object.keys(fields) as (keyof T & string)[];
  const columns = names.map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  const list = (alias: string) => columns.map((column) => `${alias}.${column}`).join(', ');
  const literal = (valueText: (name: keyof T & string, index: number) => string) =>
    `return { ${names.map((name, index) => `${name}: ${valueText(name, index)}`).join(', ')} };`;
  const fromJson = (parameter: string, valueText: (index: number) => string) => {
    const text = (name: keyof T & string, index: number) =>
      fields[name] === 'time' ? `toIso(${valueText(index)})` : valueText(index);
    return new Function('toIso', parameter, literal(text)).bind(undefined, isoOrNull);
  };
  // Times are our own texts and need no quotation marks. Nulls are left to the join, which writes nothing for them.
  const field = (name: keyof T & string) =>
    fields[name] === 'time' ? `record.${name}` : `(value = record.${name}) === null ? null : encodeField(value)`;
  return {
    names,
    list,
    ofValues: new Function(
      'row',
      'start',
      literal((_, index) => `row[start + ${index}]`),
    ) as RecordColumns<T>['ofValues'],
    json: (alias) => `json_build_array(${list(alias)})`,
    ofJson: fromJson('values', (index) => `values[${index}]`),
    ofObject: fromJson('row', (index) => `row.${columns[index]}`),
    encode: new Function('encodeField', 'record', `let value; return [${names.map(field).join(', ')}].join(',');`).bind(
      undefined,
      encodeField,
    ),
  };
}

/** JSON has times as text: to_char in SQL would take longer than all the rest of a row. */
function isoOrNull(time: string | null): string | null {
  return time === null ? null : isoFromPostgres(time);
}
