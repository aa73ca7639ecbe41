import { isUtf8 } from 'node:buffer';
import * as v from 'valibot';
import { violationsOf } from '../../schema/fields/violations.ts';
import type { BodySchema, Identity } from '../route.ts';
import { acceptorOf, REFUSED } from './acceptor.ts';

/** The parsed part of a request, or all its violations. */
export type Parsed<T> = { readonly value: T } | { readonly violations: readonly string[] };

const PATH_ID = /^[1-9]\d{0,15}$/;

/** Parses path parameters. They are ids: positive safe integers, digits only. */
export function parseParams(params: Readonly<Record<string, string>>): Parsed<Readonly<Record<string, number>>> {
  const violations: string[] = [];
  const value: Record<string, number> = {};
  for (const [name, text] of Object.entries(params)) {
    value[name] = Number(text);
    if (!PATH_ID.test(text) || !Number.isSafeInteger(value[name]))
      violations.push(`${name} must be a positive integer`);
  }
  return violations.length > 0 ? { violations } : { value };
}

/** Parses a JSON body. Returns the reason when it is none. */
export function parseJson(body: Buffer): { readonly json: unknown } | { readonly malformed: string } {
  if (body.length === 0) return { malformed: 'The request has no body' };
  if (!isUtf8(body)) return { malformed: 'The body is not UTF-8' };
  try {
    return { json: JSON.parse(body.toString('utf8')) };
  } catch {
    return { malformed: 'The body is not valid JSON' };
  }
}

function parseBody(json: unknown, schema: v.GenericSchema): Parsed<unknown> {
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    return { violations: ['the body must be an object'] };
  return parsedBy(schema, json);
}

/** Judges an input by a schema. */
export function parsedBy(schema: v.GenericSchema, input: unknown): Parsed<unknown> {
  const accepted = acceptorOf(schema)(input);
  if (accepted !== REFUSED) return { value: accepted };
  const result = v.safeParse(schema, input);
  return result.success ? { value: result.output } : { violations: violationsOf(result.issues) };
}

/** Parses the body of a route in the same way. */
export function parseBodyOf(
  { schema, schemaFor, complaintsFor }: BodySchema,
  identity: Identity,
  json: unknown,
): Parsed<unknown> {
  const parsed = parseBody(json, schemaFor?.(identity) ?? schema);
  return 'violations' in parsed && complaintsFor ? parseBody(json, complaintsFor(identity)) : parsed;
}

const JSON_MEDIA = /^application\/json\s*(;|$)/i;

export function isJsonMedia(contentType: string | undefined): boolean {
  return contentType !== undefined && JSON_MEDIA.test(contentType);
}

/** Whether a body is what the forms of our pages send. */
export function isFormMedia(contentType: string | undefined): boolean {
  return contentType !== undefined && /^\s*application\/x-www-form-urlencoded\s*(;|$)/i.test(contentType);
}

const ENTITY_TAG = /(?:W\/)?"[^"]*"|\*/g;

/**
 * Returns the tags of If-Match or If-None-Match as they were sent; an empty list when the header holds no valid tag.
 */
export function entityTagsOf(header: string | undefined): readonly string[] | undefined {
  return header === undefined ? undefined : (header.match(ENTITY_TAG) ?? []);
}

/** Whether If-None-Match names the tag. It compares weakly, because a cache on the way may have marked the tag as weak. */
export function isKnownTag(ifNoneMatch: string | undefined, etag: string): boolean {
  const known = entityTagsOf(ifNoneMatch) ?? [];
  return known.some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag);
}
