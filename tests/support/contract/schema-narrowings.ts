import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../../../gateway/openapi/json-schema.ts';

/** The direction of a value: clients must still be able to send what they sent, and to read what they read. */
export type Direction = 'request' | 'response';

/** Two documents, and how to follow their references. */
export interface Sides {
  readonly direction: Direction;
  readonly before: Json;
  readonly after: Json;
  /** The narrowings of models by direction and names: each model stands in many places and is compared once. */
  readonly known: Map<string, readonly string[]>;
}

interface Schema extends Json {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/** The upper and lower bounds, and the direction in which each grows narrower. */
const BOUNDS = { minimum: 1, minLength: 1, minItems: 1, maximum: -1, maxLength: -1, maxItems: -1 } as const;

/**
 * Lists what a schema no longer accepts (`request`) or no longer promises (`response`). A response may show further
 * fields, values and kinds of objects: clients must accept these.
 */
export function* schemaNarrowings(sides: Sides, place: string, before: Json, after: Json): Generator<string> {
  const [old, now] = [resolved(sides.before, before), resolved(sides.after, after)];
  if (old.name && old.name !== now.name)
    yield `${place}: the model ${old.name} has another name, ${now.name ?? 'none'}`;
  if (!old.name || !now.name) return yield* partNarrowings(sides, old.name ?? place, old.schema, now.schema);
  const key = `${sides.direction} ${old.name} ${now.name}`;
  // Known as without faults while it is compared: a model may hold itself.
  if (!sides.known.has(key)) {
    sides.known.set(key, []);
    sides.known.set(key, [...partNarrowings(sides, old.name, old.schema, now.schema)]);
  }
  yield* sides.known.get(key)!;
}

function* partNarrowings(sides: Sides, place: string, old: Schema, now: Schema): Generator<string> {
  const [branches, nowBranches] = [branchesOf(old), branchesOf(now)];
  if (branches.length > 1 || nowBranches.length > 1) return yield* unionNarrowings(sides, place, branches, nowBranches);
  yield* typeNarrowings(sides.direction, place, old, now);
  yield* valueNarrowings(sides.direction, place, old, now);
  yield* fieldNarrowings(sides, place, old, now);
  if (old.items && now.items) yield* schemaNarrowings(sides, `${place}[]`, old.items, now.items);
}

function resolved(document: Json, given: Json): { readonly name?: string; readonly schema: Schema } {
  const { $ref } = given as Schema;
  if ($ref === undefined) return { schema: given };
  const name = $ref.slice('#/components/schemas/'.length);
  const { schemas } = document['components'] as { readonly schemas: Readonly<Record<string, Schema>> };
  if (!schemas[name]) throw new Error(`${$ref} leads nowhere`);
  return { name, schema: joined(document, schemas[name]) };
}

/** An object that is made of several, as one. */
function joined(document: Json, schema: Schema): Schema {
  const { allOf } = schema as { readonly allOf?: readonly Schema[] };
  if (!allOf) return schema;
  const parts = allOf.map((part) => resolved(document, part).schema);
  return {
    type: 'object',
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required = [] }) => required),
  };
}

function branchesOf(schema: Schema): readonly Schema[] {
  return schema.anyOf ?? schema.oneOf ?? [schema];
}

/** Each branch must have one that stands for it. */
function* unionNarrowings(
  sides: Sides,
  place: string,
  before: readonly Schema[],
  after: readonly Schema[],
): Generator<string> {
  for (const [index, branch] of before.entries()) {
    const found = after.map((other) => [...schemaNarrowings(sides, `${place} (${index})`, branch, other)]);
    if (!found.some((narrowings) => narrowings.length === 0))
      yield found.toSorted((a, b) => a.length - b.length)[0]?.join('; ') ?? `${place}: a branch is gone`;
  }
  const isNullNew = after.some(({ type }) => type === 'null') && !before.some(({ type }) => type === 'null');
  if (sides.direction === 'response' && isNullNew) yield `${place}: may be null`;
}

function* typeNarrowings(direction: Direction, place: string, old: Schema, now: Schema): Generator<string> {
  const [before, after] = [typesOf(old), typesOf(now)];
  const [narrow, wide] = direction === 'request' ? [after, before] : [before, after];
  if (narrow.length > 0 && (wide.length === 0 || wide.some((type) => !covers(narrow, type))))
    yield `${place}: the type ${before.join(' or ') || 'any'} is now ${after.join(' or ') || 'any'}`;
  const [bound, free] = direction === 'request' ? [now, old] : [old, now];
  for (const word of ['format', 'pattern'])
    if (bound[word] !== undefined && bound[word] !== free[word])
      yield `${place}: the ${word} ${String(old[word])} is now ${String(now[word])}`;
}

function covers(types: readonly string[], type: string): boolean {
  return types.includes(type) || (type === 'integer' && types.includes('number'));
}

function typesOf({ type }: Schema): readonly string[] {
  return type === undefined ? [] : [type].flat();
}

function* valueNarrowings(direction: Direction, place: string, old: Schema, now: Schema): Generator<string> {
  const [before, after] = [valuesOf(old), valuesOf(now)];
  if (direction === 'response') {
    if (before && !after) yield `${place}: the values are no longer listed`;
    return;
  }
  const missing = after && (before ?? ['other values']).filter((value) => !after.includes(value));
  if (missing && missing.length > 0) yield `${place}: no longer accepts ${missing.join(', ')}`;
  for (const [word, sign] of Object.entries(BOUNDS)) {
    const [was, is] = [old[word], now[word]] as readonly (number | undefined)[];
    if (is !== undefined && (was === undefined || (is - was) * sign > 0)) yield `${place}: ${word} is now ${is}`;
  }
}

function valuesOf(schema: Schema): readonly unknown[] | undefined {
  return 'const' in schema ? [schema.const] : schema.enum;
}

function* fieldNarrowings(sides: Sides, place: string, old: Schema, now: Schema): Generator<string> {
  const [before, after] = [old.required ?? [], now.required ?? []];
  const asked = sides.direction === 'request' ? after : before;
  const given = sides.direction === 'request' ? before : after;
  for (const name of asked.filter((field) => !given.includes(field)))
    if (sides.direction === 'request') yield `${place}.${name}: is now required`;
    else if (now.properties?.[name]) yield `${place}.${name}: may now be absent`;
  for (const [name, field] of Object.entries(old.properties ?? {})) {
    const found = now.properties?.[name];
    if (found) yield* schemaNarrowings(sides, `${place}.${name}`, field, found);
    else yield `${place}.${name}: is gone`;
  }
  const [open, stillOpen] = [old['additionalProperties'], now['additionalProperties']];
  if (!isDeepStrictEqual(open, stillOpen)) yield `${place}: further fields are ${JSON.stringify(stillOpen)}`;
}
