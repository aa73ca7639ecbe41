import { readFileSync, writeFileSync } from 'node:fs';
import type { Json } from '../../../gateway/openapi/json-schema.ts';

/**
 * The documents of the last release, without their texts: calls, messages and fields are compared, words may change.
 */
const FOLDER = 'schema/released';

export function readReleased(name: 'openapi' | 'asyncapi'): Json {
  return JSON.parse(readFileSync(`${FOLDER}/${name}.json`, 'utf8')) as Json;
}

/** Keeps the documents as those of the last release. */
export function keepReleased(openApi: Json, asyncApi: Json): void {
  const { openapi, info, paths, webhooks, components } = withoutTexts(openApi) as Parts;
  const { headers, parameters, responses, schemas } = components as Parts;
  write('openapi', { openapi, info, paths, webhooks, components: { headers, parameters, responses, schemas } });
  const { asyncapi, info: about, channels, operations, components: shared } = withoutTexts(asyncApi) as Parts;
  const { messages, schemas: payloads } = shared as Parts;
  write('asyncapi', { asyncapi, info: about, channels, operations, components: { messages, schemas: payloads } });
}

type Parts = Readonly<Record<string, Json>>;

const LISTED = new Set(['paths', 'webhooks', 'channels', 'operations']);

/** With a line for each path, webhook, channel, operation and component. */
function write(name: string, { components, ...document }: Json): void {
  const head = Object.entries(document).map(
    ([key, part]) => `${JSON.stringify(key)}:${LISTED.has(key) ? listOf(part as Json) : JSON.stringify(part)}`,
  );
  const parts = Object.entries(components as Parts).map(([kind, some]) => `${JSON.stringify(kind)}:${listOf(some)}`);
  writeFileSync(`${FOLDER}/${name}.json`, `{${head.join(',\n')},\n"components":{\n${parts.join(',\n')}\n}}\n`);
}

function listOf(some: Json): string {
  const lines = Object.entries(some).map(([name, part]) => `${JSON.stringify(name)}:${JSON.stringify(part)}`);
  return `{\n${lines.join(',\n')}\n}`;
}

const TEXTS = /^(description|summary|title|examples?|tags|x-.*)$/;
/** Maps whose keys are names, not words of JSON Schema, OpenAPI or AsyncAPI. */
const MAPS = new Set([
  ...['properties', 'paths', 'webhooks', 'headers', 'parameters', 'responses', 'schemas'],
  ...['channels', 'operations', 'messages'],
]);

function withoutTexts(part: unknown, isMap = false): unknown {
  if (Array.isArray(part)) return part.map((inner) => withoutTexts(inner));
  if (typeof part !== 'object' || part === null) return part;
  const kept = Object.entries(part).filter(([name]) => isMap || !TEXTS.test(name));
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutTexts(inner, !isMap && MAPS.has(name))]));
}
