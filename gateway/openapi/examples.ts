import { readFileSync } from 'node:fs';
import type { Json } from './json-schema.ts';

/** A call of an operation and its answer. tests/api/openapi/examples.test.ts had it, and finds out when it is no longer true. */
interface Exchange {
  /** The request line. */
  readonly call: string;
  readonly request?: unknown;
  readonly status: number;
  readonly response: unknown;
}

/** By operation. The compiled gateway lies as deep as this file. */
const FILE = new URL('../../docs/examples.json', import.meta.url);

interface Part {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, Json>>;
}

interface Operation {
  readonly operationId: string;
  readonly requestBody?: Part;
  readonly responses: Record<string, Part>;
}

/** Shows in each operation the exchange that there is. Its response is then its own, although others have the same. */
export function addExamples(operations: readonly Json[], sharedResponses: Readonly<Record<string, Json>>): void {
  const exchanges = JSON.parse(readFileSync(FILE, 'utf8')) as Readonly<Record<string, Exchange>>;
  for (const { operationId, requestBody, responses } of operations as unknown as readonly Operation[]) {
    const exchange = exchanges[operationId];
    if (!exchange) continue;
    const { call: summary, request, status, response: value } = exchange;
    if (request !== undefined) show(requestBody!, { summary, value: request });
    const { $ref } = responses[status]!;
    const response = $ref === undefined ? responses[status]! : structuredClone(sharedResponses[nameIn($ref)]!);
    responses[status] = response;
    show(response, { summary, value });
  }
}

function nameIn(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

function show({ content }: Part, exchange: Json): void {
  Object.values(content!)[0]!['examples'] = { exchange };
}
