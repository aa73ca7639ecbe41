import type { Json } from './json-schema.ts';

/** One reason for a status. */
export interface Ending {
  readonly reason: string;
  /** The schema of the body; absent when there is none. */
  readonly media?: string;
  readonly schema?: Json;
  /** The names of header components. */
  readonly headers?: readonly string[];
}

interface Response {
  readonly reasons: string[];
  readonly schemas: Map<string, Json[]>;
  readonly headers: Set<string>;
}

/** Collects responses. The descriptions that several places give for one status become one response. */
export class ResponseList {
  readonly #responses = new Map<string, Response>();

  add(status: string, { reason, media, schema, headers = [] }: Ending): void {
    const empty: Response = { reasons: [], schemas: new Map(), headers: new Set() };
    const response = this.#responses.get(status) ?? empty;
    this.#responses.set(status, response);
    if (!response.reasons.join(', ').includes(reason)) response.reasons.push(reason);
    for (const name of headers) response.headers.add(name);
    if (media === undefined) return;
    const schemas = response.schemas.get(media) ?? [];
    response.schemas.set(media, schemas);
    if (schema && !schemas.some((known) => JSON.stringify(known) === JSON.stringify(schema))) schemas.push(schema);
  }

  /** Returns the responses in OpenAPI form. */
  toJson(): Record<string, Json> {
    return Object.fromEntries(
      [...this.#responses].map(([status, { reasons, schemas, headers: own }]) => [
        status,
        {
          description: reasons.join('; '),
          ...(schemas.size > 0 ? { content: contentOf(schemas) } : {}),
          ...referencesTo([...own]),
        },
      ]),
    );
  }
}

function contentOf(schemas: ReadonlyMap<string, readonly Json[]>): Json {
  return Object.fromEntries([...schemas].map(([media, some]) => [media, mediaOf(some)]));
}

function mediaOf(schemas: readonly Json[]): Json {
  if (schemas.length === 0) return {};
  return { schema: schemas.length === 1 ? schemas[0] : { oneOf: schemas } };
}

function referencesTo(headers: readonly string[]): Json {
  if (headers.length === 0) return {};
  return { headers: Object.fromEntries(headers.map((name) => [name, { $ref: `#/components/headers/${name}` }])) };
}
