import { ERROR_TEXTS } from '../../schema/error-texts.ts';
import { FIELD_TEXTS } from '../../schema/field-texts.ts';
import type { Route } from '../route.ts';
import { addExamples } from './examples.ts';
import type { Json } from './json-schema.ts';
import { openApiDocument } from './openapi-document.ts';
import { OPERATION_TEXTS } from './operation-texts.ts';
import { PARAMETER_TEXTS } from './parameter-texts.ts';

type Parts = Readonly<Record<string, Json>>;

/**
 * The whole document: pages for people too, a text for each operation, field and parameter, for each code of a refusal
 * when it comes and what to do, and an exchange of each operation. The reference at /docs shows it and the types of the
 * client are made from it. /openapi.json has the same calls and models without these, because generators read that one
 * and it must stay below 250 KB.
 */
export function referenceDocument(routes: readonly Route[], version: string): Json {
  const document = structuredClone(openApiDocument(routes, version));
  const { schemas, parameters, responses, headers } = document['components'] as Readonly<Record<string, Parts>>;
  for (const [name, schema] of Object.entries(schemas!)) describeFields(name, schema);
  for (const parameter of Object.values(parameters!)) describeParameter(parameter);
  for (const response of Object.values(responses!)) describeCodes(response);
  const paths = Object.values(document['paths'] as Readonly<Record<string, Parts>>);
  const operations = paths.flatMap((item) => Object.values(item));
  for (const operation of operations) {
    const own = operation as Json & { readonly parameters: readonly Json[]; readonly responses: Parts };
    own['description'] = OPERATION_TEXTS[own['operationId'] as string];
    for (const parameter of own.parameters) describeParameter(parameter);
    for (const response of Object.values(own.responses)) describeCodes(response);
  }
  addExamples(operations, { responses: responses!, headers: headers! });
  dropUnused('responses', responses!, JSON.stringify([paths, document['webhooks']]));
  dropUnused('headers', headers!, JSON.stringify([paths, document['webhooks'], responses]));
  return document;
}

/** Removes the shared parts that the text names no more: operations with an example have a response of their own. */
function dropUnused(kind: string, parts: Record<string, Json>, text: string): void {
  for (const name of Object.keys(parts)) if (!text.includes(`"#/components/${kind}/${name}"`)) delete parts[name];
}

/** Whether a route is in /openapi.json: a page for people is no call for a client. */
export function isForClients(route: Route): boolean {
  return route.kind === 'api' || route.place === 'api' || route.guard.kind === 'operational';
}

/** Adds a text to each field of a model. */
export function describeFields(model: string, part: unknown): void {
  if (typeof part !== 'object' || part === null) return;
  const { properties } = part as { readonly properties?: Parts };
  for (const [name, field] of Object.entries(properties ?? {})) {
    const text = FIELD_TEXTS[`${model}.${name}`] ?? FIELD_TEXTS[name];
    if (text !== undefined) field['description'] ??= text;
  }
  for (const inner of Object.values(part)) describeFields(model, inner);
}

function describeParameter(parameter: Json): void {
  const { name, in: place, schema } = parameter as { name: string; in: string; schema?: Json };
  if (schema === undefined || schema['description'] !== undefined) return;
  const text = parameterText(place, name);
  if (text !== undefined) parameter['description'] ??= text;
}

export function parameterText(place: string, name: string): string | undefined {
  return PARAMETER_TEXTS[`${place} ${name}`] ?? PARAMETER_TEXTS[name];
}

const CODE = /\b[A-Z]+(?:_[A-Z]+)*\b/g;

/** Adds `x-code` to a response: each code that its description names, with when it comes and what to do. */
function describeCodes(response: Json): void {
  const { description = '' } = response as { readonly description?: string };
  const codes = new Set(description.match(CODE)?.filter(isErrorCode));
  if (codes.size === 0) return;
  response['x-code'] = [...codes].map((code) => ({ code, ...ERROR_TEXTS[code] }));
  const lines = [...codes].map((code) => `- \`${code}\`: ${ERROR_TEXTS[code].when}. ${ERROR_TEXTS[code].remedy}`);
  response['description'] = `${description}\n\n${lines.join('\n')}`;
}

function isErrorCode(word: string): word is keyof typeof ERROR_TEXTS {
  return Object.hasOwn(ERROR_TEXTS, word);
}
