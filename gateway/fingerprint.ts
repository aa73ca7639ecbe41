import { hash } from 'node:crypto';
import { encodeValue } from '../engine/store/encode-record.ts';

/** The same for every way to write the same JSON value: keys in order, no white space. */
export function fingerprintOf(json: unknown): string {
  return hash('sha256', canonicalText(json, 0), 'base64url' as 'base64');
}

/** Deeper than this, where only fields that nobody reads can be, the call stack might not do. */
const MAX_DEPTH = 500;

function canonicalText(value: unknown, depth: number): string {
  if (typeof value !== 'object' || value === null) return encodeValue(value);
  // What is nested this deep counts as the same.
  if (depth > MAX_DEPTH) return '…';
  let text = '';
  if (Array.isArray(value)) {
    for (const item of value) text += `${canonicalText(item, depth + 1)},`;
    return `[${text}]`;
  }
  const fields = value as Record<string, unknown>;
  for (const name of sorted(Object.keys(fields)))
    text += `${encodeValue(name)}:${canonicalText(fields[name], depth + 1)},`;
  return `{${text}}`;
}

/** Up to here, sorting by insertion takes less time than preparing `sort`. */
const FEW_NAMES = 32;

function sorted(names: string[]): string[] {
  if (names.length > FEW_NAMES) return names.sort();
  for (let next = 1; next < names.length; next++) {
    const name = names[next]!;
    let place = next;
    for (; place > 0 && names[place - 1]! > name; place--) names[place] = names[place - 1]!;
    names[place] = name;
  }
  return names;
}
