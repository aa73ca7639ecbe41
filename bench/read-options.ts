import { parseArgs } from 'node:util';
import { UsageError } from './stand/run-to-end.ts';

/** How one option is read. `read` gets all that was given for it, and throws an Error that names what would do. */
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
 * Reads `--name value` as `spec` has it. Throws UsageError, which ends with `usage`, for anything that it does not
 * understand; for --help it is the usage alone.
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
    if (parsed.values['help'] !== undefined) throw new UsageError(usage);
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
    throw error instanceof UsageError ? error : usageError((error as Error).message, usage);
  }
}

export function usageError(problem: string, usage: string): UsageError {
  return new UsageError(`${problem}\n\n${usage}`);
}

export function wholeNumber(fallback: number, most: number, least = 1): Option<number> {
  return numberOption(fallback, least, most, 'whole number');
}

export function anyNumber(fallback: number, least: number, most: number): Option<number> {
  return numberOption(fallback, least, most, 'number');
}

export function optionalText(): Option<string | undefined> {
  return { type: 'string', read: onlyOne };
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

function numberOption(fallback: number, least: number, most: number, kind: 'number' | 'whole number'): Option<number> {
  return {
    type: 'string',
    read(given) {
      const text = onlyOne(given);
      if (text === undefined) return fallback;
      const value = Number(text);
      const isOfKind = text.trim() !== '' && (kind === 'number' || Number.isInteger(value));
      if (!(isOfKind && value >= least && value <= most))
        throw new Error(`"${text}" is no ${kind} from ${least} to ${most}.`);
      return value;
    },
  };
}

function onlyOne(given: readonly string[]): string | undefined {
  if (given.length > 1) throw new Error(`given ${given.length} times.`);
  return given[0];
}
