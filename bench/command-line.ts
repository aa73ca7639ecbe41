import { parseArgs } from 'node:util';
import { HelpRequest, UsageError } from './stand/run-to-end.ts';

/**
 * The reading of one option. `read` gets all values that were given for it, and throws an Error that names a valid one.
 */
interface Option<Value> {
  readonly type: 'string' | 'boolean';
  readonly read: (given: readonly string[]) => Value;
}
type Spec = Readonly<Record<string, Option<unknown>>>;
type Values<S extends Spec> = { readonly [Name in keyof S]: S[Name] extends Option<infer Value> ? Value : never };

interface Read<S extends Spec> {
  readonly values: Values<S>;
  readonly positionals: readonly string[];
}

/**
 * Reads `--name value` as `spec` says. Throws UsageError, which ends with `usage`, for anything that it does not
 * understand, and HelpRequest with the usage alone for --help.
 */
export function readOptions<S extends Spec>(
  args: readonly string[],
  usage: string,
  spec: S,
  { allowPositionals = false } = {},
): Read<S> {
  const types = { ...spec, help: flag() };
  const options = Object.fromEntries(Object.entries(types).map(([name, { type }]) => [name, { type, multiple: true }]));
  try {
    const parsed = parseArgs({ args: [...args], options, allowPositionals });
    if (parsed.values['help'] !== undefined) throw new HelpRequest(usage);
    const values = Object.entries(spec).map(([name, { read }]) => {
      const given = parsed.values[name] ?? [];
      try {
        return [name, read(Array.isArray(given) ? given.map(String) : [String(given)])];
      } catch (error) {
        throw new Error(`--${name}: ${(error as Error).message}`);
      }
    });
    return { values: Object.fromEntries(values) as Values<S>, positionals: parsed.positionals };
  } catch (error) {
    throw error instanceof HelpRequest ? error : usageError((error as Error).message, usage);
  }
}

export function usageError(problem: string, usage: string): UsageError {
  return new UsageError(`${problem}\n\n${usage}`);
}

export function wholeNumber(fallback: number, most: number, least = 1): Option<number> {
  return numberOption(fallback, least, most, 'whole number');
}

/** Undefined when it is not given. */
export function optionalNumber(least: number, most: number): Option<number | undefined> {
  return { type: 'string', read: (given) => readNumber(onlyOne(given), least, most, 'number') };
}

export function optionalWholeNumber(most: number): Option<number | undefined> {
  return { type: 'string', read: (given) => readNumber(onlyOne(given), 1, most, 'whole number') };
}

/** Several with commas between them. */
export function optionalWholeNumbers(most: number): Option<readonly number[] | undefined> {
  const read = (text: string) => readNumber(text, 1, most, 'whole number')!;
  return { type: 'string', read: (given) => onlyOne(given)?.split(',').map(read) };
}

export function anyNumber(fallback: number, least: number, most: number): Option<number> {
  return numberOption(fallback, least, most, 'number');
}

export function optionalText(): Option<string | undefined> {
  return { type: 'string', read: onlyOne };
}

/** A text that `read` converts; `fallback` when it is not given. */
export function readText<Value>(fallback: string, read: (text: string) => Value): Option<Value> {
  return { type: 'string', read: (given) => read(onlyOne(given) ?? fallback) };
}

/** The address of a running instance; undefined when it is not given. */
export function optionalBaseUrl(): Option<string | undefined> {
  return {
    type: 'string',
    read(given) {
      const url = onlyOne(given);
      if (url !== undefined && !/^https?:\/\/[^/]+\/?$/.test(url))
        throw new Error(`"${url}" is no address like http://127.0.0.1:8080.`);
      return url?.replace(/\/$/, '');
    },
  };
}

/** May be given several times. */
export function texts(): Option<readonly string[]> {
  return { type: 'string', read: (given) => given };
}

export function optionalChoice<Choice extends string>(choices: readonly Choice[]): Option<Choice | undefined> {
  return {
    type: 'string',
    read(given) {
      const text = onlyOne(given);
      const choice = choices.find((name) => name === text);
      if (text !== undefined && choice === undefined) throw new Error(`"${text}" is none of ${choices.join(', ')}.`);
      return choice;
    },
  };
}

export function flag(): Option<boolean> {
  return { type: 'boolean', read: (given) => given.length > 0 };
}

type NumberKind = 'number' | 'whole number';

function numberOption(fallback: number, least: number, most: number, kind: NumberKind): Option<number> {
  return { type: 'string', read: (given) => readNumber(onlyOne(given), least, most, kind) ?? fallback };
}

function readNumber(text: string | undefined, least: number, most: number, kind: NumberKind): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  const isOfKind = text.trim() !== '' && (kind === 'number' || Number.isInteger(value));
  if (!(isOfKind && value >= least && value <= most))
    throw new Error(`"${text}" is no ${kind} from ${least} to ${most}.`);
  return value;
}

function onlyOne(given: readonly string[]): string | undefined {
  if (given.length > 1) throw new Error(`given ${given.length} times.`);
  return given[0];
}
