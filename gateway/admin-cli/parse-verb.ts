import { parseArgs } from 'node:util';
import { UsageError } from './admin-errors.ts';
import { ROUTE_VERBS } from './route-verbs.ts';
import { STORE_VERBS } from './store-verbs.ts';
import { ID, ORGANIZATION, type Parameter, type Value, type Values, type Verb } from './verb.ts';

const NOUNS = [
  'organizations',
  'channels',
  'webhooks',
  'users',
  'agents',
  'payments',
  'audit',
  'secrets',
  'shards',
  'queues',
  'history',
];

/** Every command, in the order of the help. */
export const VERBS: readonly Verb[] = NOUNS.flatMap((noun) =>
  [...ROUTE_VERBS, ...STORE_VERBS].filter((verb) => verb.noun === noun),
);

export type Order =
  | { readonly kind: 'help'; readonly verbs: readonly Verb[] }
  | {
      readonly kind: 'run';
      readonly verb: Verb;
      readonly values: Values;
      /** The field whose value is yet to be read from standard input. */
      readonly fromStdin: string | undefined;
      readonly isJson: boolean;
      /** The super admin to act as, by e-mail address. */
      readonly as: string | undefined;
    };

/** The order after `npm run admin --`. Throws UsageError for anything that it does not understand. */
export function parseVerb(args: readonly string[]): Order {
  const isHelp = args.includes('--help') || args.includes('-h');
  const [noun, name] = args.slice(0, 2).filter((arg) => !arg.startsWith('-'));
  const ofNoun = VERBS.filter((verb) => verb.noun === noun);
  const verb = ofNoun.find((each) => each.verb === name);
  if (isHelp || args.length === 0) return { kind: 'help', verbs: verb ? [verb] : ofNoun.length > 0 ? ofNoun : VERBS };
  if (noun === undefined) throw new UsageError('The noun and the verb come first.');
  if (ofNoun.length === 0) throw new UsageError(`There is no noun "${noun}": ${NOUNS.join(', ')}.`);
  if (!verb) {
    const known = ofNoun.map((each) => each.verb).join(', ');
    throw new UsageError(`${noun} ${name === undefined ? 'has' : `has no "${name}", but`} ${known}.`);
  }
  const { options, rest } = readOptions(verb, args);
  const given = takeId(verb, rest, options);
  const values: Record<string, Value> = {};
  let fromStdin: string | undefined;
  for (const parameter of verb.parameters) {
    const { name, kind, isRequired } = parameter;
    const text = given[name];
    const field = fieldOf(parameter);
    if (text === undefined && isRequired) throw new UsageError(`--${name} is missing.`);
    if (text === undefined) continue;
    if (kind === 'stdin' && field in values) throw new UsageError(`Give either --${field} or --${name}.`);
    if (kind === 'stdin') fromStdin = field;
    else values[field] = readValue(parameter, kind, text);
  }
  assertChange(verb, values);
  const as = given['as'] as string | undefined;
  return { kind: 'run', verb, values, fromStdin, isJson: given['json'] === true, as };
}

type Options = Record<string, string | boolean | undefined>;

function readOptions(verb: Verb, args: readonly string[]): { options: Options; rest: string[] } {
  const own = verb.parameters.map(
    ({ name, kind }) => [name, { type: kind === 'stdin' ? 'boolean' : 'string' }] as const,
  );
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { ...Object.fromEntries(own), json: { type: 'boolean' }, as: { type: 'string' } },
    });
    return { options: values, rest: positionals.slice(2) };
  } catch (error) {
    // Node's advice about positional arguments does not help here.
    throw new UsageError((error as Error).message.replace(/\. To specify[\s\S]*/, '.'));
  }
}

/** Throws UsageError for a change that changes nothing. */
function assertChange(verb: Verb, values: Values): void {
  if (!('route' in verb) || !verb.route.startsWith('PATCH ')) return;
  const changeable = verb.parameters.filter((parameter) => parameter !== ID && parameter !== ORGANIZATION);
  if (changeable.some((parameter) => fieldOf(parameter) in values)) return;
  const names = changeable.map(({ name }) => `--${name}`).join(', ');
  throw new UsageError(`${verb.noun} ${verb.verb} needs something to change: ${names}.`);
}

/** `channels show 7` is short for `channels show --id 7`. */
function takeId(verb: Verb, rest: readonly string[], options: Options): Options {
  const [id, ...more] = rest;
  if (id === undefined) return options;
  if (more.length > 0 || !verb.parameters.includes(ID) || options['id'] !== undefined)
    throw new UsageError(`"${rest.join(' ')}" is too much.`);
  return { ...options, id };
}

export function fieldOf({ name, field }: Parameter): string {
  return field ?? name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

const WANTED = { number: 'a whole number', boolean: 'true or false', json: 'a JSON object', ids: 'ids, as in 1,2,3' };

function readValue({ name, orNull }: Parameter, kind: keyof typeof WANTED | 'text', text: string | boolean): Value {
  if (kind === 'text') return `${text}`;
  const value = orNull && text === 'null' ? null : readers[kind](`${text}`);
  if (value === undefined) throw new UsageError(`--${name}: "${text}" is not ${WANTED[kind]}.`);
  return value;
}

const integer = (text: string) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined);
const readers: Readonly<Record<keyof typeof WANTED, (text: string) => Value | undefined>> = {
  number: integer,
  boolean: (text) => ({ true: true, false: false })[text],
  ids(text) {
    const ids = text.split(',').map(integer);
    return ids.includes(undefined) ? undefined : (ids as number[]);
  },
  json(text) {
    try {
      const value = JSON.parse(text) as unknown;
      return typeof value === 'object' && !Array.isArray(value) ? (value as Value) : undefined;
    } catch {
      return undefined;
    }
  },
};
