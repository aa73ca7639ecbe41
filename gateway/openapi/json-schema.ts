import { type JsonSchema, toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { findShown } from '../../schema/fields/shown-as.ts';

export type Json = Record<string, unknown>;

/** A schema in the words of JSON Schema: of what is sent (`input`), or of what comes of it. */
export function jsonSchema(schema: v.GenericSchema, typeMode: 'input' | 'output' = 'output'): Json {
  const { $schema: _, ...rest } = toJsonSchema(schema, {
    typeMode,
    errorMode: 'ignore',
    overrideSchema: ({ valibotSchema, jsonSchema: words }) => typedDefault(withShown(words, valibotSchema)),
    overrideAction: ({ valibotAction, jsonSchema: words }) => withShown(words, valibotAction),
  }) as Json;
  return rest;
}

/** With what is noted of a part; a word that is noted as undefined is taken away. */
function withShown(words: JsonSchema, part: object): JsonSchema {
  const shown = findShown(part);
  if (!shown) return words;
  return Object.fromEntries(Object.entries({ ...words, ...shown }).filter(([, word]) => word !== undefined));
}

/** The default of what arrives as text, as what it is read as. */
function typedDefault(words: JsonSchema): JsonSchema {
  const { type, default: given } = words;
  return type === 'integer' && typeof given === 'string' ? { ...words, default: Number(given) } : words;
}
