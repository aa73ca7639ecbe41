import { readFileSync, writeFileSync } from 'node:fs';
import type { Json } from '../../../gateway/openapi/json-schema.ts';

/** The OpenAPI document of the last release, without its texts: calls and fields are compared, words may change. */
const RELEASED = 'schema/released/openapi.json';

export function readReleased(): Json {
  return JSON.parse(readFileSync(RELEASED, 'utf8')) as Json;
}

/** Keeps a document as that of the last release, with a line for each path, webhook and component. */
export function keepReleased(document: Json): void {
  const { openapi, info, paths, webhooks, components } = withoutTexts(document) as Readonly<Record<string, Json>>;
  const linesOf = (some: Json) =>
    Object.entries(some)
      .map(([name, part]) => `${JSON.stringify(name)}:${JSON.stringify(part)}`)
      .join(',\n');
  const { headers, parameters, responses, schemas } = components as Readonly<Record<string, Json>>;
  const parts = Object.entries({ headers, parameters, responses, schemas });
  writeFileSync(
    RELEASED,
    `{"openapi":${JSON.stringify(openapi)},"info":${JSON.stringify(info)},
"paths":{\n${linesOf(paths!)}\n},
"webhooks":{\n${linesOf(webhooks!)}\n},
"components":{
${parts.map(([kind, some]) => `"${kind}":{\n${linesOf(some!)}\n}`).join(',\n')}
}}
`,
  );
}

const TEXTS = /^(description|summary|title|examples?|tags|x-.*)$/;
/** Maps whose keys are names, not words of JSON Schema or OpenAPI. */
const MAPS = new Set(['properties', 'paths', 'webhooks', 'headers', 'parameters', 'responses', 'schemas']);

function withoutTexts(part: unknown, isMap = false): unknown {
  if (Array.isArray(part)) return part.map((inner) => withoutTexts(inner));
  if (typeof part !== 'object' || part === null) return part;
  const kept = Object.entries(part).filter(([name]) => isMap || !TEXTS.test(name));
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutTexts(inner, !isMap && MAPS.has(name))]));
}
