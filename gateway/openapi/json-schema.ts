import { type JsonSchema, toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { findShown } from '../../schema/fields/shown-as.ts';

export type Json = Record<string, unknown>;

/** Returns the JSON Schema of a schema: of what clients send (`input`), or of the parsed value. */
export function jsonSchema(schema: v.GenericSchema, typeMode: 'input' | 'output' = 'output'): Json {
  const { $schema: _, ...rest } = toJsonSchema(schema, {
    typeMode,
    errorMode: 'ignore',
    overrideSchema: ({ valibotSchema, jsonSchema: words }) => typedDefault(withShown(words, valibotSchema)),
    overrideAction: ({ valibotAction, jsonSchema: words }) => withShown(words, valibotAction),
  }) as Json;
  return rest;
}

/** Adds notes to a part of a schema. A keyword noted as undefined is removed. */
function withShown(words: JsonSchema, part: object): JsonSchema {
  const shown = findShown(part);
  if (!shown) return words;
  return Object.fromEntries(Object.entries({ ...words, ...shown }).filter(([, word]) => word !== undefined));
}

/** Converts the default of a text parameter to the type that it is parsed to. */
function typedDefault(words: JsonSchema): JsonSchema {
  const { type, default: given } = words;
  return type === 'integer' && typeof given === 'string' ? { ...words, default: Number(given) } : words;
}
