import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { CanonicalJson } from '../../../gateway/request/canonical-json.ts';
import { rounds } from '../../support/runner/rounds.ts';

const SEED = 20_261_122;

/** The expected text, built in the plainest way. */
function canonicalText(value: unknown): string {
  if (typeof value === 'number') return `${value}`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => `${canonicalText(item)},`).join('')}]`;
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonicalText(field)},`).join('')}}`;
}

test('any JSON value is written with its fields in order and without white space', () => {
  const canonical = new CanonicalJson();
  const stringUnit = fc.constantFrom('grapheme' as const, 'binary' as const);
  const json = stringUnit.chain((unit) => fc.jsonValue({ maxDepth: 4, stringUnit: unit }));
  fc.assert(
    fc.property(json, (value) => {
      assert.equal(canonical.bytesOf(value).toString(), canonicalText(value));
    }),
    { seed: SEED, numRuns: rounds(1_000) },
  );
});

test('characters that must be escaped or are not ASCII are written as JSON writes them, at every place in a string', () => {
  const canonical = new CanonicalJson();
  const awkward = ['"', '\\', '\n', '\0', '\x1f', '\x7f', '\x80', 'é', '€', '😀', '\u2028', '~', ' '];
  for (const char of awkward) {
    for (const text of [char, `ab${char}`, `${char}ab`, `a${char}${char}b`]) {
      // JSON.parse makes Infinity of 1e400.
      const value = { [text]: [text, Number.POSITIVE_INFINITY, -0, 1e21, true, false, null] };
      assert.equal(canonical.bytesOf(value).toString(), canonicalText(value), JSON.stringify(text));
    }
  }
  // Half a surrogate pair has no UTF-8 of its own: JSON escapes it.
  assert.equal(canonical.bytesOf('a\ud800').toString(), '"a\\ud800"');
});

test('a body of any size is written whole, and the next one, smaller, as well', () => {
  const canonical = new CanonicalJson();
  const large = [
    'a'.repeat(16_381),
    'a'.repeat(16_382),
    'a'.repeat(16_383),
    '€'.repeat(100_000),
    '\n'.repeat(50_000),
    'a'.repeat(5_000_000),
    Array.from({ length: 100_000 }, () => 1e20),
    Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`field ${index}`, { é: index }])),
  ];
  for (const value of large) {
    assert.ok(canonical.bytesOf(value).equals(Buffer.from(canonicalText(value))));
    assert.equal(canonical.bytesOf({ b: 1, a: 'x' }).toString(), '{"a":"x","b":1,}');
  }
});

test('deeper than 500 levels everything counts as the same', () => {
  const canonical = new CanonicalJson();
  const nested = (levels: number, inmost: unknown): unknown =>
    Array.from({ length: levels }).reduce((inner) => [inner], inmost);
  const textOf = (value: unknown) => canonical.bytesOf(value).toString();
  assert.notEqual(textOf(nested(501, 1)), textOf(nested(501, 2)));
  assert.equal(textOf(nested(501, [1])), textOf(nested(501, [2])));
  assert.equal(textOf(nested(50_000, 1)), textOf(nested(60_000, 2)));
});
