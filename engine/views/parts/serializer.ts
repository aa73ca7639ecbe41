import { toJsonSchema } from '@valibot/to-json-schema';
import fastJsonStringify from 'fast-json-stringify';
import type * as v from 'valibot';

type JsonSchema = { [key: string]: unknown };
type AnySchema = Extract<Parameters<typeof fastJsonStringify>[0], { [key: string]: unknown }>;

/**
 * Compiles the serializer of a schema. Compile once, at start: compiling takes milliseconds, serializing takes
 * microseconds. Fields that are not in the schema are left out.
 */
export function compileSerializer<T extends v.GenericSchema>(schema: T): (value: v.InferOutput<T>) => string {
  const serialize = compilePieces(schema);
  return (value) => inOnePiece(serialize(value));
}

/**
 * Compiles a serializer like `compileSerializer`, for text that becomes part of a larger text. The caller flattens the
 * whole text with `inOnePiece`.
 */
export function compilePieces<T extends v.GenericSchema>(schema: T): (value: v.InferOutput<T>) => string {
  const jsonSchema = toJsonSchema(schema, { typeMode: 'output', errorMode: 'ignore' }) as JsonSchema;
  return fastJsonStringify(forSerializing(jsonSchema) as AnySchema) as (value: v.InferOutput<T>) => string;
}

/**
 * Returns the same text, flattened. Concatenation leaves a tree of pieces in memory. A stored tree takes several times
 * the size of its text, and each use walks it again. Reading one character flattens it.
 */
export function inOnePiece(text: string): string {
  if (text.charCodeAt(0) === 0) throw new Error('JSON does not begin with NUL');
  return text;
}

/**
 * Rewrites a JSON schema so that the serializer's code is fast. "X or null" becomes a nullable X, not a union that is
 * checked at run time. An enumeration becomes plain text, because its members need no escaping.
 */
function forSerializing(schema: JsonSchema): JsonSchema {
  const { $schema: _, ...rest } = schema;
  const union = rest['anyOf'] as JsonSchema[] | undefined;
  if (union) {
    const members = union.filter((member) => member['type'] !== 'null');
    if (members.length === 1) return { ...forSerializing(members[0]!), nullable: true };
  }
  if (rest['enum']) return { type: 'string', format: 'unsafe' };
  return Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, convert(key, value)]));
}

function convert(key: string, value: unknown): unknown {
  if (key === 'properties') {
    const properties = value as Record<string, JsonSchema>;
    return Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, forSerializing(property)]));
  }
  if ((key === 'items' || key === 'additionalProperties') && typeof value === 'object') {
    return forSerializing(value as JsonSchema);
  }
  return value;
}
