import type { BoundingBox } from '../../../schema/fleet/position.ts';
import { hasTrigrams, likePattern, phoneDigitsOf, withoutSeparators } from '../../domain/search-text.ts';
import type { Parameters } from '../parameters.ts';
import { numberArray } from '../postgres.ts';

/** Behind the name and in front of the phone number in `customers.search_text` (0005-customers.sql). */
const [NAME_END, PHONE_MARK] = ['\u001f', '\u001e'];
/** Digits at the end of a phone number or another text that few texts share. */
const SELECTIVE_DIGITS = 7;
/** A text that ends with so many digits is looked for by them alone. */
const ENDS_SELECTIVELY = /\d{5,}$/;
/** Strips in a degree of latitude (0034-findable-pages.sql). */
const STRIPS_PER_DEGREE = 50;
/** A box with more of them is looked for among all tasks of the organization. */
const MOST_STRIPS = 1_000;

/** Task `t` is found by a search: a task at hand. */
export function isFoundText(search: string, parameters: Parameters): string {
  const { text, ofCustomer } = patternsOf(search, parameters);
  return `(${foldedText('t.code')} COLLATE "C" LIKE ${text} OR ${foldedText('t.name')} COLLATE "C" LIKE ${text}
      OR ${oneByOne(`customers c
        WHERE c.organization_id = $1::bigint AND c.id = t.customer_id AND ${ofCustomer}`)}
      OR ${oneByOne(`packages p
        WHERE p.organization_id = $1::bigint AND p.task_id = t.id AND p.barcode IS NOT NULL AND ${hasBarcode(text)}`)})`;
}

/** The tasks that a search finds, by `id` and `created_at`, each once. */
export function foundText(search: string, parameters: Parameters): string {
  const { text, ofCustomer } = patternsOf(search, parameters);
  // Without a trigram, the index would be read from end to end.
  const ofBarcode = hasTrigrams([search]) ? isFoundBarcode(search, text, parameters) : hasBarcode(text);
  return `SELECT e.task_id AS id, e.created_at FROM findable_pages g
        CROSS JOIN LATERAL unnest(g.task_ids, g.created_ats, g.texts) e (task_id, created_at, text)
        WHERE g.organization_id = $1::bigint AND findable_page_text(g.texts) COLLATE "C" LIKE ${text}
          AND e.text LIKE ${text} AND ${isUpToDate('e')}
      UNION SELECT x.task_id, x.created_at FROM fresh_findables($1::bigint) x WHERE x.text LIKE ${text}
      UNION SELECT o.id, o.created_at FROM tasks o WHERE o.organization_id = $1::bigint AND o.customer_id = ANY (ARRAY(
        SELECT c.id FROM customers c WHERE c.organization_id = $1::bigint AND ${ofCustomer}))
      UNION SELECT o.id, o.created_at FROM tasks o WHERE o.organization_id = $1::bigint AND o.id = ANY (ARRAY(
        SELECT p.task_id FROM packages p WHERE p.organization_id = $1::bigint AND p.task_id IS NOT NULL
          AND p.barcode IS NOT NULL AND ${ofBarcode}))`;
}

/** The location of task `t` lies in a box. */
export function isWithinText(box: BoundingBox, parameters: Parameters): string {
  return oneByOne(`locations l
      WHERE l.organization_id = $1::bigint AND l.id = t.location_id AND ${boxText(box, parameters, 'l')}`);
}

/** The tasks whose location lies in a box, by `id` and `created_at`. */
export function withinText(box: BoundingBox, parameters: Parameters): string {
  const strips = stripsOf(box);
  const inStrips = strips ? `${STRIP} = ANY (${parameters.add(numberArray(strips), 'int[]')})` : 'true';
  return `SELECT l.task_id AS id, l.created_at FROM findable_places l
        WHERE l.organization_id = $1::bigint AND ${inStrips} AND ${boxText(box, parameters, 'l')} AND ${isUpToDate('l')}
      UNION ALL SELECT x.task_id, x.created_at FROM fresh_findables($1::bigint) x WHERE ${boxText(box, parameters, 'x')}`;
}

/** No later change of the task waits to be listed (schema/functions/findables.sql). */
function isUpToDate(alias: string): string {
  return `${alias}.task_id NOT IN (SELECT r.task_id FROM relisted_tasks($1::bigint) r)`;
}

/** As searchable_text(): that is STRICT, so that Postgres calls it instead of its expression, at four times the cost. */
function foldedText(column: string): string {
  return `fold_case(translate(${column}, E'\\x1e\\x1f', ''))`;
}

/** There is such a row. It is looked up for each task: the planner would gather all such rows for EXISTS. */
function oneByOne(rows: string): string {
  return `coalesce((SELECT true FROM ${rows} LIMIT 1), false)`;
}

function patternsOf(search: string, parameters: Parameters) {
  const text = withoutSeparators(search);
  const digits = phoneDigitsOf(search);
  const folded = (pattern: string) => `fold_case(${parameters.add(pattern, 'text')}) COLLATE "C"`;
  const part = selectivePartOf(text);
  const ofCustomer = [ofName(text, part, folded)];
  if (digits !== '') ofCustomer.push(ofPhone(digits, folded));
  return { text: folded(likePattern(text)), ofCustomer: `(${ofCustomer.join(' OR ')})` };
}

/**
 * The part of a text that an index of trigrams is asked for, where the whole would take longer: the index looks for every
 * row that its rarest trigram has in the list of each other one, and the first letters of numbers and barcodes are those
 * of nearly all others. The whole is then compared in a form that no index has.
 */
function selectivePartOf(text: string): string | undefined {
  const part = ENDS_SELECTIVELY.exec(text)?.[0].slice(-SELECTIVE_DIGITS);
  return part === text ? undefined : part;
}

function ofName(text: string, part: string | undefined, folded: (pattern: string) => string): string {
  const isNamed = (column: string, name: string) => `${column} LIKE ${folded(`${likePattern(name)}${NAME_END}%`)}`;
  if (part === undefined) return isNamed('c.search_text', text);
  return `(${isNamed('c.search_text', part)} AND ${isNamed("(c.search_text || '')", text)})`;
}

/** By the last digits too: the list of a country's or a network's digits is that of nearly all customers. */
function ofPhone(digits: string, folded: (pattern: string) => string): string {
  if (digits.length <= SELECTIVE_DIGITS) return `c.search_text LIKE ${folded(`%${PHONE_MARK}${likePattern(digits)}`)}`;
  const last = folded(`%${PHONE_MARK}${likePattern(digits.slice(-SELECTIVE_DIGITS))}`);
  return `(c.search_text LIKE ${last} AND split_part(c.search_text, '${PHONE_MARK}', 2) LIKE ${folded(likePattern(digits))})`;
}

function hasBarcode(text: string): string {
  return `${foldedText('p.barcode')} COLLATE "C" LIKE ${text}`;
}

/** The same, as the index packages_barcode_trigrams has it. */
function isFoundBarcode(search: string, text: string, parameters: Parameters): string {
  const isListed = (pattern: string) => `searchable_text(p.barcode) COLLATE "C" LIKE ${pattern}`;
  const part = selectivePartOf(withoutSeparators(search));
  if (part === undefined) return isListed(text);
  return `${isListed(parameters.add(likePattern(part), 'text'))} AND ${hasBarcode(text)}`;
}

/** As the index findable_places_strip has it. */
const STRIP = `floor(l.latitude * ${STRIPS_PER_DEGREE})::int`;

function stripsOf({ south, north }: BoundingBox): number[] | undefined {
  const [first, last] = [Math.floor(south * STRIPS_PER_DEGREE), Math.floor(north * STRIPS_PER_DEGREE)];
  if (last - first >= MOST_STRIPS) return undefined;
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** The same as isInBox. The parts for the antimeridian and the poles are left out of boxes that lie elsewhere. */
function boxText({ west, south, east, north }: BoundingBox, parameters: Parameters, alias: string): string {
  const [left, right] = [west, east].map((degrees) => parameters.add(degrees, 'float8'));
  const isBetween = (longitude: string) =>
    west <= east
      ? `${longitude} BETWEEN ${left} AND ${right}`
      : `(${longitude} >= ${left} OR ${longitude} <= ${right})`;
  const ways = [isBetween(`${alias}.longitude`)];
  if (west > east || west === -180 || east === 180)
    ways.push(`(abs(${alias}.longitude) = 180 AND ${isBetween(`-${alias}.longitude`)})`);
  if (south === -90 || north === 90) ways.push(`abs(${alias}.latitude) = 90`);
  const latitudes = `${parameters.add(south, 'float8')} AND ${parameters.add(north, 'float8')}`;
  return `${alias}.latitude BETWEEN ${latitudes} AND (${ways.join(' OR ')})`;
}
