import { readFileSync } from 'node:fs';
import type { Json } from './json-schema.ts';

/** A call of an operation and its answer. tests/api/openapi/examples.test.ts had it, and finds out when it is no longer true. */
interface Exchange {
  /** The request line. */
  readonly call: string;
  /** The JSON body, or the text of a form. */
  readonly request?: unknown;
  readonly status: number;
  /** Where the answer leads on to, instead of a body. */
  readonly location?: string;
  /** The media type of the body. */
  readonly media?: string;
  /** JSON, or the beginning of a text; absent for other bytes. */
  readonly response?: unknown;
}

/** By operation. The compiled gateway lies as deep as this file. */
const FILE = new URL('../../docs/examples.json', import.meta.url);

type Parts = Readonly<Record<string, Json>>;

interface Part {
  readonly $ref?: string;
  content?: Parts;
  readonly headers?: Record<string, Json>;
}

interface Operation {
  readonly operationId: string;
  readonly requestBody?: Part;
  readonly responses: Record<string, Part>;
}

/** The parts of a document that several operations share. */
export interface Shared {
  readonly responses: Parts;
  readonly headers: Parts;
}

/**
 * Shows in each operation the exchange that there is. Its response is then its own, although others have the same. An
 * exchange that the operation no longer allows has no place until it is recorded again.
 */
export function addExamples(operations: readonly Json[], shared: Shared): void {
  const exchanges = JSON.parse(readFileSync(FILE, 'utf8')) as Readonly<Record<string, Exchange>>;
  for (const { operationId, requestBody, responses } of operations as unknown as readonly Operation[]) {
    const { call: summary, request, status = 0, location, media = '', response: value } = exchanges[operationId] ?? {};
    if (request !== undefined) show(Object.values(requestBody?.content ?? {})[0], { summary, value: request });
    const { $ref } = responses[status] ?? {};
    if ($ref !== undefined) responses[status] = structuredClone(shared.responses[nameIn($ref)] as Part);
    const response = responses[status] ?? {};
    const answer = response.content?.[media];
    show(answer, value === undefined ? { summary } : { summary, value });
    // The reference opens with the first media type.
    if (answer) response.content = { [media]: answer, ...response.content };
    if (location !== undefined && response.headers)
      response.headers['Location'] = leadingTo(location, summary!, shared.headers['Location']!);
  }
}

/** Swagger UI shows the example of a header's schema, and no other. */
function leadingTo(location: string, summary: string, header: Json): Json {
  const schema = { ...(header['schema'] as Json), example: location };
  return { ...header, schema, examples: { exchange: { summary, value: location } } };
}

function nameIn(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

function show(part: Json | undefined, exchange: Json): void {
  if (part) part['examples'] = { exchange };
}
