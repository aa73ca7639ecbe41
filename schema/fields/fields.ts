import * as v from 'valibot';
import { LIMITS } from '../limits.ts';
import { integerShown, shownAs } from './shown-as.ts';

/**
 * The kinds of fields that requests are made of. Messages are phrases that follow the field's path:
 * "customer.name" + "must not be empty".
 */

const NUL = '\u0000';

/** Postgres text holds neither NUL nor half a surrogate pair; such strings are refused, never altered. */
export function isStorableText(text: string): boolean {
  return !text.includes(NUL) && text.isWellFormed();
}

const VISIBLE = /[^\p{Cf}\p{Z}\s]/u;

/** Whether a text shows nothing: spaces of any kind, and marks without a width such as joiners and directions. */
export function isBlank(text: string): boolean {
  return !VISIBLE.test(text);
}

/** The beginning of a text, no character of it torn. */
export function cutText(text: string, maxChars: number): string {
  const isTorn = (text.charCodeAt(maxChars - 1) & 0xfc00) === 0xd800;
  return text.slice(0, isTorn ? maxChars - 1 : maxChars);
}

const storable = v.check<string, string>(isStorableText, 'must not contain NUL or unpaired surrogates');

/** JSON Schema, and so the document, counts code points, where `length` counts an emoji twice. */
export function hasAtMost(maxChars: number, text: string): boolean {
  if (text.length <= maxChars) return true;
  return text.length <= 2 * maxChars && [...text].length <= maxChars;
}

export function atMostChars(maxChars: number) {
  return shownAs(
    v.check<string, string>((text) => hasAtMost(maxChars, text), `must be at most ${maxChars} characters`),
    { maxLength: maxChars },
  );
}

function text(maxChars: number) {
  return v.pipe(v.string('must be a string'), atMostChars(maxChars), storable);
}

export function requiredText(maxChars: number) {
  return v.pipe(
    text(maxChars),
    shownAs(
      v.check<string, string>((value) => !isBlank(value), 'must not be empty'),
      { minLength: 1 },
    ),
  );
}

export const shortText = text(LIMITS.shortTextChars);
export const longText = text(LIMITS.longTextChars);

/** Bounds are included, and safe integers. */
export function integerBetween(min: number, max: number, message: string) {
  return v.pipe(
    v.number('must be a number'),
    shownAs(
      v.check<number, string>((value) => Number.isInteger(value) && value >= min && value <= max, message),
      integerShown(min, max),
    ),
  );
}

export const id = integerBetween(1, Number.MAX_SAFE_INTEGER, 'must be a positive integer');

export const idList = v.pipe(
  v.array(id, 'must be an array'),
  v.maxLength(LIMITS.listItems, `must hold at most ${LIMITS.listItems} items`),
);

export const boolean = v.boolean('must be a boolean');

export function oneOf<const T extends readonly string[]>(values: T) {
  return v.picklist(values, `must be one of: ${values.join(', ')}`);
}

export function numberBetween(min: number, max: number) {
  return v.pipe(
    v.number('must be a number'),
    shownAs(
      v.check<number, string>((value) => value >= min && value <= max, `must be between ${min} and ${max}`),
      { minimum: min, maximum: max },
    ),
  );
}

const DECIMAL = /^-?\d{1,3}(?:\.\d{1,20})?$/;

/** A coordinate in degrees, also as the text in which answers have it. */
export function degreesBetween(min: number, max: number) {
  const isBetween = v.check<number, string>(
    (value) => value >= min && value <= max,
    `must be between ${min} and ${max}`,
  );
  const text = v.pipe(v.string(), v.regex(DECIMAL), v.transform(Number), isBetween);
  return v.union([numberBetween(min, max), text], 'must be a number or a decimal string');
}

export const notNegative = v.pipe(
  v.number('must be a number'),
  shownAs(
    v.check<number, string>((value) => Number.isFinite(value) && value >= 0, 'must be a number of 0 or more'),
    { minimum: 0 },
  ),
);

const isPositiveInteger = (value: number) => Number.isSafeInteger(value) && value >= 1;

/** A positive integer up to a bound, which its refusal names with its unit. */
export function positiveIntegerUpTo(most: number, unit = '') {
  return v.pipe(
    v.number('must be a number'),
    v.check(isPositiveInteger, 'must be a positive integer'),
    shownAs(
      v.check<number, string>(
        (value) => !isPositiveInteger(value) || value <= most,
        `must be at most ${most}${unit && ` ${unit}`}`,
      ),
      integerShown(1, most),
    ),
  );
}

export const positiveInteger = positiveIntegerUpTo(2_147_483_647);

/** Syntax of RFC 5321 in the form that mail servers accept: one @, a dot-atom, a domain of labels. */
const EMAIL =
  /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z][A-Za-z0-9-]{0,61}[A-Za-z0-9]$/;

export const email = v.pipe(
  v.string('must be a string'),
  v.maxLength(LIMITS.emailChars, `must be at most ${LIMITS.emailChars} characters`),
  v.regex(EMAIL, 'must be an e-mail address'),
);

const ISO_TIME = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+-]\d{2}:?\d{2})$/;
const LATEST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const EARLIEST_YEAR = 1000;
const EARLIEST_MS = Date.UTC(EARLIEST_YEAR, 0, 1);

/** ISO 8601 with a zone or offset to ISO 8601 UTC in milliseconds; undefined when it is no real moment. */
export function parseIsoTime(input: string): string | undefined {
  const match = ISO_TIME.exec(input);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second = '0', fraction = '0', zone = 'Z'] = match;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  const millisecond = Math.floor(Number(`0.${fraction}`) * 1000);
  const local = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
    millisecond,
  );
  const back = new Date(local);
  // Date.UTC reads the years 0 to 99 as 1900 to 1999, and rolls days that do not exist over.
  if (back.getUTCFullYear() !== Number(year)) return undefined;
  if (back.getUTCMonth() !== Number(month) - 1 || back.getUTCDate() !== Number(day)) return undefined;
  const offset = zoneOffsetMs(zone);
  if (offset === undefined) return undefined;
  const utc = local - offset;
  return utc >= EARLIEST_MS && utc <= LATEST_MS ? new Date(utc).toISOString() : undefined;
}

/** Whether a field, as it came, is a moment that has passed. False for what is no moment: its own rule refuses that. */
export function isPast(value: unknown, now: () => number): boolean {
  const moment = typeof value === 'string' ? parseIsoTime(value) : undefined;
  return moment !== undefined && Date.parse(moment) <= now();
}

function zoneOffsetMs(zone: string): number | undefined {
  if (zone === 'Z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(-2));
  if (hours > 23 || minutes > 59) return undefined;
  return (zone[0] === '-' ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

export const isoTime = v.pipe(
  shownAs(v.string('must be a string'), { format: 'date-time' }),
  v.rawTransform<string, string>(({ dataset, addIssue, NEVER }) => {
    const moment = parseIsoTime(dataset.value);
    if (moment !== undefined) return moment;
    // Other systems send these for "no bound at all": they are date-times, after all.
    const isEarly = ISO_TIME.test(dataset.value) && Number(dataset.value.slice(0, 4)) < EARLIEST_YEAR;
    addIssue({
      message: isEarly
        ? `must not lie before the year ${EARLIEST_YEAR}`
        : 'must be an ISO 8601 date-time with a zone or offset',
    });
    return NEVER;
  }),
);

const MAX_JSON_DEPTH = 32;

const STORABLE_JSON = `must hold only storable text and finite numbers, nested at most ${MAX_JSON_DEPTH} deep`;
const WHOLE_NUMBERS = `must hold whole numbers of at most ${Number.MAX_SAFE_INTEGER}: write longer ones as text`;

/** Why a parsed JSON value cannot be stored and read back unchanged. */
function jsonFault(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'string') return isStorableText(value) ? undefined : STORABLE_JSON;
  if (typeof value === 'number') return numberFault(value);
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth >= MAX_JSON_DEPTH) return STORABLE_JSON;
  for (const [key, item] of Object.entries(value)) {
    const fault = isStorableText(key) ? jsonFault(item, depth + 1) : STORABLE_JSON;
    if (fault) return fault;
  }
  return undefined;
}

/** The parser has rounded whole numbers beyond the safe ones: an order's number would come back as another. */
function numberFault(value: number): string | undefined {
  if (!Number.isFinite(value)) return STORABLE_JSON;
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? WHOLE_NUMBERS : undefined;
}

/** An object of the caller's own, kept as it is. */
export const freeObject = v.pipe(
  shownAs(
    v.custom<Record<string, unknown>>(
      (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
      'must be an object',
    ),
    { type: 'object' },
  ),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const fault = jsonFault(dataset.value);
    // A value that is nested too deep cannot be written out, so it has no size.
    if (fault) addIssue({ message: fault });
    else if (Buffer.byteLength(JSON.stringify(dataset.value)) > LIMITS.integrationDataBytes)
      addIssue({ message: `must be at most ${LIMITS.integrationDataBytes} bytes of JSON` });
  }),
);

/** Query parameters arrive as text. */
export const queryId = digitsBetween(1, Number.MAX_SAFE_INTEGER, 'must be a positive integer');

export function queryInteger(min: number, max: number) {
  const range =
    max === Number.MAX_SAFE_INTEGER ? `an integer of ${min} or more` : `an integer between ${min} and ${max}`;
  return digitsBetween(min, max, `must be ${range}`);
}

function digitsBetween(min: number, max: number, message: string) {
  return v.pipe(
    v.string(),
    shownAs(
      v.check<string, string>(
        (value) => /^\d{1,16}$/.test(value) && Number(value) >= min && Number(value) <= max,
        message,
      ),
      integerShown(min, max),
    ),
    v.transform(Number),
  );
}

export const queryFlag = v.pipe(
  shownAs(v.picklist(['true', 'false'], 'must be true or false'), { type: 'boolean', enum: undefined }),
  v.transform((text) => text === 'true'),
);

/** Ids of a query, repeated or with commas. */
export const queryIds = v.pipe(
  v.array(queryId),
  v.maxLength(LIMITS.listItems, `must hold at most ${LIMITS.listItems} items`),
);

/** A comma list or repeats of one parameter: any of them. */
export function queryList<const T extends readonly string[]>(values: T) {
  return v.array(oneOf(values));
}
