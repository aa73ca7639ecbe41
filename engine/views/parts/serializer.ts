import { toJsonSchema } from '@valibot/to-json-schema';
import fastJsonStringify from 'fast-json-stringify';
import type * as v from 'valibot';

type JsonSchema = { [key: string]: unknown };
type AnySchema = Extract<Parameters<typeof fastJsonStringify>[0], { [key: string]: unknown }>;

/**
 * Compiles the serializer of a schema. Compile once, at start: compiling costs milliseconds, the serializer
 * microseconds. Fields that the schema does not name are left out.
 */
export function compileSerializer<T extends v.GenericSchema>(schema: T): (value: v.InferOutput<T>) => string {
  const serialize = compilePieces(schema);
  return (value) => inOnePiece(serialize(value));
}

/** As compileSerializer, for texts that become part of another one: the whole is to be made one piece. */
export function compilePieces<T extends v.GenericSchema>(schema: T): (value: v.InferOutput<T>) => string {
  const jsonSchema = toJsonSchema(schema, { typeMode: 'output', errorMode: 'ignore' }) as JsonSchema;
  return fastJsonStringify(forSerializing(jsonSchema) as AnySchema) as (value: v.InferOutput<T>) => string;
}

/**
 * The same text, no longer as the tree of its pieces that putting it together has left: texts that are kept for a while
 * would keep the tree, several times their size, and each use would walk it anew. Looking at a character makes one
 * piece of it.
 */
export function inOnePiece(text: string): string {
  if (text.charCodeAt(0) === 0) throw new Error('JSON does not begin with NUL');
  return text;
}

/**
 * The same schema in the words that make fast code: "X or null" as a nullable X instead of a union that is told
 * apart at run time, and enumerations, whose members need no escaping, as plain text.
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
