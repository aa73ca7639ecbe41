import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import * as v from 'valibot';
import {
  email,
  freeObject,
  id,
  isStorableText,
  parseIsoTime,
  queryId,
  queryInteger,
  requiredText,
} from '../../../schema/fields/fields.ts';

const SEED = 20_261_122;

const accepts = (schema: v.GenericSchema, value: unknown) => v.safeParse(schema, value).success;

test('any moment that the API can show survives every way of writing it', () => {
  const moments = fc.date({
    min: new Date('1000-01-02T00:00:00Z'),
    max: new Date('9999-12-30T00:00:00Z'),
    noInvalidDate: true,
  });
  const offsets = fc.integer({ min: -23 * 60, max: 23 * 60 });
  fc.assert(
    fc.property(moments, offsets, (moment, minutes) => {
      const local = new Date(moment.getTime() + minutes * 60_000).toISOString().slice(0, -1);
      const two = (value: number) => String(value).padStart(2, '0');
      const zone = `${minutes < 0 ? '-' : '+'}${two(Math.floor(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`;
      assert.equal(parseIsoTime(`${local}${zone}`), moment.toISOString());
      assert.equal(parseIsoTime(moment.toISOString()), moment.toISOString());
    }),
    { seed: SEED },
  );
});

for (const [input, parsed] of [
  ['2031-01-01T00:00Z', '2031-01-01T00:00:00.000Z'],
  ['2031-01-01T00:00:00,5Z', '2031-01-01T00:00:00.500Z'],
  ['2031-01-01T00:00:00.999999999Z', '2031-01-01T00:00:00.999Z'],
  ['2031-01-01T00:00:00+0200', '2030-12-31T22:00:00.000Z'],
  ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000Z'],
  ['2100-02-29T00:00:00Z', undefined],
  ['1000-01-01T00:00:00Z', '1000-01-01T00:00:00.000Z'],
  ['0999-12-31T23:59:59Z', undefined],
  ['0099-01-01T00:00:00Z', undefined],
  ['0031-01-01T00:00:00Z', undefined],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ['9999-12-31T23:59:59.999-00:01', undefined],
  ['2031-01-01T00:00:00+24:00', undefined],
  ['2031-01-01T00:00:00+02:60', undefined],
  ['2031-01-01T00:00:00z', undefined],
  ['2031-01-01t00:00:00Z', undefined],
  [' 2031-01-01T00:00:00Z', undefined],
  ['2031-01-01T00:00:00Z\n', undefined],
  ['2031-W01-1T00:00:00Z', undefined],
  ['2031-04-31T12:00:00Z', undefined],
  ['2031-13-01T12:00:00Z', undefined],
  ['2031-00-10T12:00:00Z', undefined],
  ['2031-06-01T24:00:00Z', undefined],
  ['2031-06-01T12:60:00Z', undefined],
  ['2031-06-30T23:59:60Z', undefined],
  ['2031-06-01T12:00:00', undefined],
  ['2031-06-01', undefined],
  ['2031-06-01 12:00:00Z', undefined],
  ['20310601T120000Z', undefined],
  ['+275760-09-13T00:00:00Z', undefined],
  ['275760-09-13T00:00:00Z', undefined],
  ['-000001-01-01T00:00:00Z', undefined],
  ['1924992000000', undefined],
  ['', undefined],
  ['２０３１-01-01T00:00:00Z', undefined],
] as const) {
  test(`the time ${JSON.stringify(input)} is ${parsed ?? 'refused'}`, () => {
    assert.equal(parseIsoTime(input), parsed);
  });
}

test('text is storable when it holds neither NUL nor half a surrogate pair', () => {
  for (const text of ['', 'a', '\u0001', '\u{1f69a}', '\ufeff', '\uffff'])
    assert.ok(isStorableText(text), JSON.stringify(text));
  for (const text of ['\u0000', 'a\u0000', '\ud800', '\udc00', '\udc00\ud800', 'a\ud83db'])
    assert.ok(!isStorableText(text), JSON.stringify(text));
});

test('an id is a positive safe integer', () => {
  for (const value of [1, 42, Number.MAX_SAFE_INTEGER]) assert.ok(accepts(id, value), String(value));
  for (const value of [0, -0, -1, 1.5, Number.MAX_SAFE_INTEGER + 1, Infinity, Number.NaN, '1', null, true, [1], 1n]) {
    assert.ok(!accepts(id, value), String(value));
  }
});

test('an id in a query is digits only and safe', () => {
  for (const text of ['1', '9007199254740991']) assert.equal(v.parse(queryId, text), Number(text));
  for (const text of ['0', '-1', '1.0', '+1', '1e3', '0x1', ' 1', '', '9007199254740992', '99999999999999999', '١']) {
    assert.ok(!accepts(queryId, text), text);
  }
});

test('an integer in a query lies within its bounds, both included', () => {
  const schema = queryInteger(1, 100);
  for (const [text, fits] of [
    ['1', true],
    ['100', true],
    ['0', false],
    ['101', false],
    ['1.5', false],
    ['', false],
  ] as const) {
    assert.equal(accepts(schema, text), fits, text);
  }
});

test('an e-mail address is checked by its syntax', () => {
  for (const address of ['a@b.io', "o'neil+x@mail.example.com", 'a.b.c@x-y.example', `${'a'.repeat(64)}@example.com`]) {
    assert.ok(accepts(email, address), address);
  }
  for (const address of [
    '',
    'a',
    'a@',
    '@b.io',
    'a@b',
    'a@b.c',
    'a b@c.io',
    'a@b..io',
    '.a@b.io',
    'a.@b.io',
    'a@-b.io',
    'a@b.io\n',
    'a@b@c.io',
    'ä@b.io',
    'a@b.io\u0000',
  ]) {
    assert.ok(!accepts(email, address), JSON.stringify(address));
  }
});

test('a free object is kept exactly when JSON and Postgres can hold it unchanged', () => {
  const deep = (depth: number): unknown => (depth === 0 ? 1 : { a: deep(depth - 1) });
  for (const value of [
    {},
    { a: null, b: [1, 'x', true, { c: [] }] },
    { a: [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 0.1, 1e-300] },
    JSON.parse('{"__proto__":{"x":1}}'),
    deep(32),
  ]) {
    assert.equal(v.parse(freeObject, value), value);
  }
  for (const value of [
    [],
    null,
    'x',
    1,
    { a: Infinity },
    { a: Number.NaN },
    { a: [2 ** 53] },
    { a: { b: -(2 ** 53) } },
    { a: 1e300 },
    { '\u0000': 1 },
    { a: ['\ud800'] },
    deep(33),
    { a: 'é'.repeat(8_200) },
  ]) {
    assert.ok(!accepts(freeObject, value));
  }
});

test('a text that shows nothing is as empty as none, and one that shows something stays as it is', () => {
  const schema = requiredText(255);
  for (const blank of [
    '',
    ' ',
    '\t\n',
    '\u00a0\u3000',
    '\u200b',
    '\u200b \u2060',
    '\ufeff',
    '\u202e\u202c',
    '\u200d',
    '\u00ad',
  ]) {
    const { issues } = v.safeParse(schema, blank);
    assert.deepEqual(
      issues?.map(({ message }) => message),
      ['must not be empty'],
      JSON.stringify(blank),
    );
  }
  const family = '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}';
  for (const shown of ['x', '\u200bx', family, '\u200f\u05d3\u05e0\u05d4', '\u0645\u06cc\u200c\u062e', '.', '\u0301'])
    assert.equal(v.parse(schema, shown), shown);
});
