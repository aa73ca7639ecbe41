import type { Json } from '../../../gateway/openapi/json-schema.ts';
import { type Direction, schemaNarrowings } from './schema-narrowings.ts';

type Reference = { readonly $ref?: string };

interface Parameter extends Reference {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Json;
}

interface Content extends Reference {
  readonly required?: boolean;
  readonly content?: Readonly<Record<string, { readonly schema?: Json }>>;
  readonly headers?: Readonly<Record<string, Json>>;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}

type Item = { readonly parameters?: readonly Parameter[] } & Readonly<Record<string, Operation>>;

interface Document extends Json {
  readonly paths: Readonly<Record<string, Item>>;
  readonly webhooks: Readonly<Record<string, Item>>;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/**
 * Lists what a document has removed or narrowed since another, by which a client of the other would fail: calls,
 * names of operations and models, parameters, fields, values that requests take, and promises of responses.
 */
export function documentNarrowings(released: Json, document: Json): string[] {
  const [before, after] = [released as Document, document as Document];
  const found: string[] = [];
  const known = new Map<string, readonly string[]>();
  for (const [kind, sent] of [
    ['paths', 'request'],
    // The service sends these itself.
    ['webhooks', 'response'],
  ] as const) {
    for (const [path, item] of Object.entries(before[kind])) {
      for (const method of METHODS.filter((name) => item[name])) {
        const place = `${method.toUpperCase()} ${path}`;
        const now = after[kind][path];
        if (now?.[method]) found.push(...operationNarrowings({ before, after, known, sent, place }, method, item, now));
        else found.push(`${place}: is gone`);
      }
    }
  }
  return [...new Set(found)];
}

interface Call {
  readonly before: Document;
  readonly after: Document;
  readonly known: Map<string, readonly string[]>;
  /** The direction of its request. */
  readonly sent: Direction;
  readonly place: string;
}

function* operationNarrowings(call: Call, method: string, item: Item, nowItem: Item): Generator<string> {
  const [old, now] = [item[method]!, nowItem[method]!];
  if (old.operationId !== now.operationId) yield `${call.place}: ${old.operationId} is now ${now.operationId}`;
  if (call.sent === 'request') yield* parameterNarrowings(call, [item, old], [nowItem, now]);
  if (old.requestBody && now.requestBody) {
    const { requestBody } = now;
    if (requestBody.required && !old.requestBody.required) yield `${call.place}: the body is now required`;
    yield* contentNarrowings({ ...call, place: `${call.place} body` }, call.sent, old.requestBody, requestBody);
  } else if (old.requestBody) yield `${call.place}: the body is gone`;
  else if (now.requestBody?.required) yield `${call.place}: the body is now required`;
  if (call.sent === 'response') return;
  for (const [status, response] of Object.entries(old.responses)) {
    const place = `${call.place} ${status}`;
    const found = now.responses[status];
    if (found) yield* contentNarrowings({ ...call, place }, 'response', ...both(call, response, found));
    // A refusal that no longer comes does not hurt.
    else if (Number(status) < 400) yield `${place}: is gone`;
  }
}

type WithParameters = { readonly parameters?: readonly Parameter[] };

function* parameterNarrowings(
  call: Call,
  before: readonly WithParameters[],
  after: readonly WithParameters[],
): Generator<string> {
  const key = (parameter: Parameter) => `${parameter.in} parameter ${parameter.name}`;
  const listed = (document: Document, some: readonly WithParameters[]) =>
    new Map(
      some
        .flatMap(({ parameters = [] }) => parameters.map((parameter) => resolved(document, parameter)))
        .map((parameter) => [key(parameter), parameter]),
    );
  const [old, now] = [listed(call.before, before), listed(call.after, after)];
  for (const [name, parameter] of old) {
    const found = now.get(name);
    const place = `${call.place} ${name}`;
    if (!found) yield `${place}: is gone`;
    else yield* schemaNarrowings({ ...call, direction: 'request' }, place, parameter.schema, ofOne(parameter, found));
  }
  for (const [name, { required }] of now)
    if (required && !old.get(name)?.required) yield `${call.place} ${name}: is now required`;
}

/** A single value is sent in the same way where a list of such values is taken. */
function ofOne({ schema: before }: Parameter, { schema: after }: Parameter): Json {
  return after['type'] === 'array' && before['type'] !== 'array' ? (after['items'] as Json) : after;
}

function* contentNarrowings(call: Call, direction: Direction, old: Content, now: Content): Generator<string> {
  for (const [media, { schema }] of Object.entries(old.content ?? {})) {
    const found = now.content?.[media];
    if (!found) yield `${call.place}: ${media} is gone`;
    else if (schema && found.schema) yield* schemaNarrowings({ ...call, direction }, call.place, schema, found.schema);
  }
  for (const name of Object.keys(old.headers ?? {}))
    if (!now.headers?.[name]) yield `${call.place}: the header ${name} is gone`;
}

function both<T extends Reference>(call: Call, old: T, now: T): [T, T] {
  return [resolved(call.before, old), resolved(call.after, now)];
}

function resolved<T extends Reference>(document: Json, part: T): T {
  if (part.$ref === undefined) return part;
  return part.$ref
    .slice(2)
    .split('/')
    .reduce<unknown>((inner, name) => (inner as Json)[name], document) as T;
}
