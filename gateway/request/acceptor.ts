import * as v from 'valibot';
import type { Absence, KnownAction, KnownSchema, Piped, Wrapping } from './known-schemas.ts';

/**
 * Reads inputs as their schemas do, in a fraction of the time. Valibot prepares for each field to say what is wrong with it,
 * and most requests are right. An acceptor says no more than REFUSED; then valibot judges, whose word counts.
 */
export const REFUSED = Symbol('refused');
type Read = (input: unknown) => unknown;

/** The output of the schema for an input, or REFUSED. Fields that are undefined count as absent. */
export function acceptorOf<Output>(
  schema: v.GenericSchema<unknown, Output>,
): (input: unknown) => Output | typeof REFUSED {
  return readerOf(schema) as (input: unknown) => Output | typeof REFUSED;
}

const readers = new WeakMap<object, Read>();

function readerOf(schema: v.GenericSchema): Read {
  let read = readers.get(schema);
  if (!read) {
    read = makeReader(schema);
    readers.set(schema, read);
  }
  return read;
}

function makeReader(schema: v.GenericSchema): Read {
  if ('fallback' in schema) return byValibot(schema);
  const { pipe } = schema as Piped;
  return pipe ? inTurn(pipe.filter(({ kind }) => kind !== 'metadata').map(stepOf)) : bySchema(schema as KnownSchema);
}

function stepOf(item: v.PipeItem<unknown, unknown, v.BaseIssue<unknown>>): Read {
  return item.kind === 'schema' ? readerOf(item as v.GenericSchema) : byAction(item as KnownAction);
}

function inTurn(steps: readonly Read[]): Read {
  return (input) => {
    let value = input;
    for (const step of steps) {
      value = step(value);
      if (value === REFUSED) return REFUSED;
    }
    return value;
  };
}

function bySchema(schema: KnownSchema): Read {
  switch (schema.type) {
    case 'string':
      return (input) => (typeof input === 'string' ? input : REFUSED);
    case 'number':
      return (input) => (typeof input === 'number' && !Number.isNaN(input) ? input : REFUSED);
    case 'boolean':
      return (input) => (typeof input === 'boolean' ? input : REFUSED);
    case 'unknown':
      return (input) => input;
    case 'picklist': {
      const options = new Set<unknown>(schema.options);
      return (input) => (options.has(input) ? input : REFUSED);
    }
    case 'nullish':
    case 'nullable':
    case 'optional':
      return withoutValue(schema);
    case 'array':
      return ofItems(readerOf(schema.item));
    case 'union':
      return ofFirst(schema.options.map(readerOf));
    case 'object':
      return ofFields(schema.entries);
    case 'strict_object': {
      const read = ofFields(schema.entries);
      return (input) => (hasOnly(input, schema.entries) ? read(input) : REFUSED);
    }
    default:
      return byValibot(schema as v.GenericSchema);
  }
}

function byAction(action: KnownAction): Read {
  switch (action.type) {
    case 'check':
      return (value) => (action.requirement(value) ? value : REFUSED);
    case 'max_length':
      return (value) => ((value as string).length <= action.requirement ? value : REFUSED);
    case 'min_length':
      return (value) => ((value as string).length >= action.requirement ? value : REFUSED);
    case 'regex':
      return (value) => (action.requirement.test(value as string) ? value : REFUSED);
    case 'transform':
      return action.operation;
    default:
      return byValibot(action);
  }
}

/** Any other part as valibot itself reads it. */
function byValibot(part: v.GenericSchema | KnownAction): Read {
  const run = (value: unknown) => part['~run']({ typed: true, value } as never, v.getGlobalConfig());
  return (input) => {
    const { issues, value } = run(input);
    return issues ? REFUSED : value;
  };
}

function withoutValue(schema: Wrapping): Read {
  if (schema.default !== undefined) return byValibot(schema as v.GenericSchema);
  const read = readerOf(schema.wrapped);
  const { type } = schema;
  const [mayBeNull, mayBeUndefined] = [type !== 'optional', type !== 'nullable'];
  return (input) => {
    if (input === null && mayBeNull) return null;
    return input === undefined && mayBeUndefined ? undefined : read(input);
  };
}

function ofItems(read: Read): Read {
  return (input) => {
    if (!Array.isArray(input)) return REFUSED;
    const items: unknown[] = [];
    for (const item of input) {
      const value = read(item);
      if (value === REFUSED) return REFUSED;
      items.push(value);
    }
    return items;
  };
}

function ofFirst(options: readonly Read[]): Read {
  return (input) => {
    for (const read of options) {
      const value = read(input);
      if (value !== REFUSED) return value;
    }
    return REFUSED;
  };
}

const MAY_BE_ABSENT: ReadonlySet<string> = new Set(['nullish', 'optional', 'exact_optional']);

function absenceText({ type, default: standIn }: Absence): 'refuse' | 'leave out' | 'read' {
  if (!MAY_BE_ABSENT.has(type)) return 'refuse';
  return standIn === undefined ? 'leave out' : 'read';
}

/**
 * Compiled: a body has few of the fields that it may have, and a name that stands in the code is looked up sooner than one
 * in a list.
 */
function ofFields(entries: v.ObjectEntries): Read {
  const fields = Object.entries(entries);
  const texts = fields.map(([name, schema], index) => {
    const key = JSON.stringify(name);
    const absent = absenceText(schema as Absence);
    return `given = input[${key}];
      if (given !== undefined || ${absent === 'read'}) {
        value = reads[${index}](given);
        if (value === REFUSED) return REFUSED;
        output[${key}] = value;
      } ${absent === 'refuse' ? 'else return REFUSED;' : ''}`;
  });
  const compile = new Function(
    'reads',
    'REFUSED',
    `return (input) => {
      if (typeof input !== 'object' || input === null) return REFUSED;
      const output = {};
      let given, value;
      ${texts.join('\n')}
      return output;
    };`,
  );
  return compile(
    fields.map(([, schema]) => readerOf(schema as v.GenericSchema)),
    REFUSED,
  );
}

function hasOnly(input: unknown, entries: v.ObjectEntries): boolean {
  if (typeof input !== 'object' || input === null) return false;
  for (const name in input) if (!(name in entries)) return false;
  return true;
}
