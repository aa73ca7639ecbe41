import { isDeepStrictEqual } from 'node:util';
import { type JsonSchema, toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { findBase, findName } from '../../schema/fields/named.ts';
import { findShown } from '../../schema/fields/shown-as.ts';

export type Json = Record<string, unknown>;

type TypeMode = 'input' | 'output';

/** The named schemas of the document: each is described once, and everything else refers to it. */
export class Models {
  readonly #schemas = new Map<string, Json>();
  /** Words for schemas that were converted already: many operations answer with the same ones. */
  readonly #converted = { input: new Map<v.GenericSchema, Json>(), output: new Map<v.GenericSchema, Json>() };

  /** Keeps a schema under its name and returns a reference to it. Throws when the name means something else already. */
  add(name: string, schema: Json): Json {
    const known = this.#schemas.get(name);
    if (known && !isDeepStrictEqual(known, schema)) throw new Error(`Two schemas have the name ${name}`);
    this.#schemas.set(name, schema);
    return { $ref: `#/components/schemas/${name}` };
  }

  /** The words for a schema, converted by `convert` once. */
  once(schema: v.GenericSchema, typeMode: TypeMode, convert: () => Json): Json {
    const known = this.#converted[typeMode].get(schema) ?? convert();
    this.#converted[typeMode].set(schema, known);
    return known;
  }

  toJson(): Json {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

/**
 * Returns the JSON Schema of a schema: of what clients send (`input`), or of the parsed value. With `models`, a schema
 * that has a name goes there and leaves a reference.
 */
export function jsonSchema(schema: v.GenericSchema, typeMode: TypeMode = 'output', models?: Models): Json {
  const convert = () => converted(schema, typeMode, models);
  return models ? models.once(schema, typeMode, convert) : convert();
}

function converted(schema: v.GenericSchema, typeMode: TypeMode, models: Models | undefined): Json {
  const { $schema: _, ...rest } = toJsonSchema(schema, {
    typeMode,
    errorMode: 'ignore',
    overrideSchema({ valibotSchema, jsonSchema: words }) {
      const shown = tidied(flatNullable(typedDefault(withShown(words, valibotSchema))));
      const name = models && findName(valibotSchema);
      return name ? (models.add(name, withBase(shown, valibotSchema, models)) as JsonSchema) : shown;
    },
    overrideAction: ({ valibotAction, jsonSchema: words }) => withShown(words, valibotAction),
  }) as Json;
  return rest;
}

/** An object that begins with the fields of another one, as that one and its own fields. */
function withBase(words: JsonSchema, schema: v.GenericSchema, models: Models): Json {
  const base = findBase(schema) as v.ObjectSchema<v.ObjectEntries, undefined> | undefined;
  if (!base) return { ...words };
  const { properties = {}, required = [] } = words;
  const own = Object.entries(properties).filter(([name]) => !(name in base.entries));
  return {
    allOf: [
      jsonSchema(base, 'output', models),
      {
        type: 'object',
        properties: Object.fromEntries(own),
        required: required.filter((name) => !(name in base.entries)),
      },
    ],
  };
}

/** Adds notes to a part of a schema. A keyword noted as undefined is removed. */
function withShown(words: JsonSchema, part: object): JsonSchema {
  const shown = findShown(part);
  if (!shown) return words;
  return Object.fromEntries(Object.entries({ ...words, ...shown }).filter(([, word]) => word !== undefined));
}

/** Leaves out an empty list of required fields. */
function tidied({ required, ...words }: JsonSchema): JsonSchema {
  return required && required.length > 0 ? { ...words, required } : words;
}

/** Joins a nullable schema: `{anyOf: [{type: 'string'}, {type: 'null'}]}` → `{type: ['string', 'null']}`. */
function flatNullable(words: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = words;
  const [one, other] = (anyOf ?? []) as readonly JsonSchema[];
  if (anyOf?.length !== 2 || other?.type !== 'null' || typeof one?.type !== 'string' || one.enum) return words;
  return { ...one, type: [one.type, 'null'], ...rest };
}

/** Converts the default of a text parameter to the type that it is parsed to. */
function typedDefault(words: JsonSchema): JsonSchema {
  const { type, default: given } = words;
  return type === 'integer' && typeof given === 'string' ? { ...words, default: Number(given) } : words;
}
