import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { fingerprintOf } from '../../../gateway/request/fingerprint.ts';

const SEED = 20_261_122;

test('the same fields in any order have the same fingerprint, few of them or many', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 2 })), {
        maxLength: 80,
        size: 'max',
        selector: ([name]) => name,
      }),
      fc.infiniteStream(fc.nat()),
      (fields, ranks) => {
        const shuffled = fields.map((field) => ({ field, rank: ranks.next().value! })).sort((a, b) => a.rank - b.rank);
        const other = objectOf(shuffled.map(({ field }) => field));
        assert.equal(fingerprintOf({ inner: [other] }), fingerprintOf({ inner: [objectOf(fields)] }));
      },
    ),
    { seed: SEED },
  );
});

test('bodies that say something else have another fingerprint', () => {
  const bodies = [
    null,
    {},
    [],
    [[]],
    [{}],
    { a: 1 },
    { a: '1' },
    { a: [1] },
    { a: null },
    { b: 1 },
    { a: 1, b: 2 },
    { a: 2, b: 1 },
    { a: { b: 1 } },
    { 'a":1,"b': 2 },
    { a: [1, 2] },
    { a: [2, 1] },
    { a: ['1,2'] },
    { a: ['1', '2'] },
    { ['__proto__']: 1 },
  ];
  assert.equal(new Set(bodies.map(fingerprintOf)).size, bodies.length);
});

test('a fingerprint is what it was in the release before: those of a day are kept', () => {
  const body = { b: [1.5, 'é "quoted"', null], a: { d: true, c: '' } };
  assert.equal(fingerprintOf(body), '90tOvGIZShXUzjXmZKYT4IsS_hGKN2NfVa94Pbah2hY');
});

/** As JSON.parse makes it: `__proto__` is a field like any other. */
function objectOf(fields: readonly (readonly [string, unknown])[]): unknown {
  return JSON.parse(`{${fields.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`);
}
