import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as v from 'valibot';
import { jsonSchema } from '../../../../gateway/openapi/json-schema.ts';
import type { ApiRoute, BodySchema, Route } from '../../../../gateway/route.ts';
import { parseIsoTime } from '../../../../schema/fields/fields.ts';
import { isIdempotencyKey } from '../../../../schema/fields/idempotency-key.ts';
import { LIMITS } from '../../../../schema/limits.ts';
import { nameOf, operationOf, ROUTES } from '../../../api/guards/route-table.ts';
import { taskInput } from '../../../support/api-client.ts';

/** Compares the fields of the OpenAPI document with the values that the schemas accept. */

interface Described {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
  readonly items?: Described;
  readonly anyOf?: readonly Described[];
  readonly properties?: Readonly<Record<string, Described>>;
}

const queryOf = (route: Route) => operationOf(route).parameters.filter((parameter) => parameter.in === 'query');

test('a number of a query is described as an integer, with its bounds and its default', () => {
  let numbers = 0;
  for (const route of ROUTES) {
    for (const { name, schema } of queryOf(route)) {
      const entry = route.query!.schema.entries[name];
      if (!entry) continue;
      const isList = route.query!.lists.has(name);
      const read = (text: string) => v.safeParse(entry, isList ? [text] : text);
      const place = `${nameOf(route)} ${name}`;
      const output = [read('7').output].flat()[0];
      const described: Described = (isList ? (schema as Described).items : schema) ?? {};
      assert.equal(described.type === 'integer', typeof output === 'number', place);
      if (typeof output !== 'number') continue;
      numbers++;
      const { minimum, maximum } = described as Required<Described>;
      const taken = [minimum - 1, minimum, maximum, maximum + 1].map((value) => read(String(value)).success);
      assert.deepEqual(taken, [false, true, true, false], place);
      assert.equal((schema as Described).default, v.safeParse(entry, undefined).output, place);
    }
  }
  assert.ok(numbers > 40);
});

test('the key in the name of a parameter is described', () => {
  const list = queryOf(ROUTES.find((route) => nameOf(route) === 'GET /tasks')!);
  const { schema } = list.find(({ name }) => name === 'integrationData.{key}')!;
  assert.match((schema as { description: string }).description, /^A text, number or boolean at the top level/);
});

test('a parameter that has to be there is described as required', () => {
  const required = ROUTES.flatMap((route) =>
    queryOf(route).flatMap((parameter) => (parameter.required ? [`${nameOf(route)} ${parameter.name}`] : [])),
  );
  assert.deepEqual(required, ['GET /packages barcode', 'GET /tasks/print/receipts ids']);
});

/** A nullable field as the field that it is otherwise. */
function withoutNull(field: Described): Described {
  if (typeof field.type === 'string' || !field.type) return field;
  return { ...field, type: field.type.find((type) => type !== 'null')! };
}

function* fieldsOf(schema: Described, path = ''): Generator<readonly [path: string, field: Described]> {
  for (const inner of [...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])]) yield* fieldsOf(inner, path);
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    for (const one of field.anyOf ?? [field])
      if (one.type !== 'null') yield [`${path}.${name}`, withoutNull(one.items ?? one)];
    yield* fieldsOf(field, `${path}.${name}`);
  }
}

/** All fields of queries and of bodies. */
function* sentFields(): Generator<readonly [place: string, field: Described]> {
  for (const route of ROUTES) {
    for (const { name, schema } of queryOf(route))
      yield [`${nameOf(route)} ${name}`, (schema as Described).items ?? schema];
    if (route.kind === 'api' && route.body)
      for (const [path, field] of fieldsOf(jsonSchema(route.body.schema, 'input'))) yield [nameOf(route) + path, field];
  }
}

const SENT = [...sentFields()];

/**
 * Names that callers give to their own records, a position in the log, and a field that is refused in a child with any
 * value.
 */
const NO_IDS = /(deviceId|externalId|lastEventId|children\.parentId)$/;

test('ids that are sent are integers from 1 on', () => {
  const ids = SENT.filter(([place]) => /[ .](id|ids|\w+Ids?)$/.test(place) && !NO_IDS.test(place));
  for (const [place, { type, format, minimum }] of ids)
    assert.deepEqual([type, format, minimum], ['integer', 'int64', 1], place);
  assert.ok(ids.length > 40);
});

test('moments that are sent are described as such', () => {
  const moments = SENT.filter(([place]) => /([a-z](At|From|To|Start|End)|[ .](from|to|at))$/.test(place));
  for (const [place, { type, format }] of moments) assert.deepEqual([type, format], ['string', 'date-time'], place);
  assert.ok(moments.length > 20);
});

test('degrees that are sent have their bounds', () => {
  const degrees = SENT.filter(([place]) => /itude$/.test(place) && !place.endsWith('altitude'));
  const numbers = degrees.filter(([, { type }]) => type !== 'string');
  for (const [place, { type, minimum, maximum }] of numbers) {
    const most = place.endsWith('latitude') ? 90 : 180;
    assert.deepEqual([type, minimum, maximum], ['number', -most, most], place);
  }
  assert.ok(numbers.length > 20);
});

test('ids and moments that are shown are described as those that are sent', () => {
  const shown = ROUTES.flatMap((route) =>
    route.kind === 'api'
      ? [...fieldsOf(jsonSchema(route.success.data))].map(([path, field]) => [route, path, field] as const)
      : [],
  );
  let [ids, moments] = [0, 0];
  for (const [route, path, { type, format }] of shown) {
    const place = nameOf(route) + path;
    if (/\.(id|[a-z]+Ids?)$/.test(path) && !/\.(externalId|eventId|deviceId)$/.test(path) && type !== 'string') {
      ids++;
      assert.deepEqual([type, format], ['integer', 'int64'], place);
    }
    if (/[a-z]At$|\.at$/.test(path)) {
      moments++;
      assert.deepEqual([type, format], ['string', 'date-time'], place);
    }
  }
  assert.ok(ids > 100 && moments > 100);
});

const bodyOf = (name: string) => (ROUTES.find((route) => nameOf(route) === name) as ApiRoute).body!;

/** The schema of the body as the document has it, compiled once: those of tasks are large. */
const describedOf = lazily(({ schema, described = schema }: BodySchema) => {
  const formats = { int64: true, 'date-time': (text: string) => parseIsoTime(text) !== undefined } as const;
  return new Ajv2020({ formats, allowUnionTypes: true }).compile(jsonSchema(described, 'input'));
});

function lazily<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new WeakMap<Key, Value>();
  return (key) => {
    const value = made.get(key) ?? make(key);
    made.set(key, value);
    return value;
  };
}

/** Whether the document takes the body. */
const takes = (schema: BodySchema, body: unknown): boolean => describedOf(schema)(body);

const withPlace = (change: object) => taskInput({ location: { address: 'A', latitude: 1, longitude: 2, ...change } });

for (const [what, body, isTaken] of [
  ['an id of 0', taskInput({ channelId: 0 }), false],
  ['an id of 1.5', taskInput({ channelId: 1.5 }), false],
  ['an id past 2^53−1', taskInput({ channelId: 2 ** 53 }), false],
  ['the greatest id', taskInput({ channelId: Number.MAX_SAFE_INTEGER }), true],
  ['a list with an id of 0', taskInput({ packageIds: [1, 0] }), false],
  ['the north pole', withPlace({ latitude: 90 }), true],
  ['north of the north pole', withPlace({ latitude: 90.001 }), false],
  ['the far end of the west', withPlace({ longitude: -180 }), true],
  ['beyond the far end of the west', withPlace({ longitude: -180.001 }), false],
  ['an empty address', withPlace({ address: '' }), false],
  ['a moment with an offset', taskInput({ readyAt: '2031-01-01T00:00:00+02:00' }), true],
  ['a moment without a zone', taskInput({ readyAt: '2031-01-01T00:00:00' }), false],
  ['a duration of 0', taskInput({ estimatedDuration: 0 }), false],
  ['half a minute', taskInput({ estimatedDuration: 0.5 }), false],
  ['the longest duration', taskInput({ estimatedDuration: LIMITS.estimatedDurationMinutes }), true],
  ['a longer duration', taskInput({ estimatedDuration: LIMITS.estimatedDurationMinutes + 1 }), false],
  ['half a package', taskInput({ packages: [{ name: 'x', quantity: 0.5 }] }), false],
  ['a negative weight', taskInput({ packages: [{ name: 'x', weight: -1 }] }), false],
  ['a list in place of an object', taskInput({ integrationData: [] }), false],
] as const) {
  test(`the document ${isTaken ? 'takes' : 'refuses'} a task with ${what}, as its schema does`, () => {
    const single = bodyOf('POST /tasks');
    const judged = v.safeParse(single.schema, body).success;
    const inBatch = takes(bodyOf('POST /tasks/batch'), { tasks: [taskInput(), body] });
    assert.deepEqual([judged, takes(single, body), inBatch], [isTaken, isTaken, isTaken]);
  });
}

for (const [what, key, isTaken] of [
  ['of one character', 'k', true],
  ['of 255 characters', 'k'.repeat(255), true],
  ['of 256 characters', 'k'.repeat(256), false],
  ['of no character', '', false],
  ['beyond ASCII', 'clé', false],
  ['that is a number', 7, false],
  ['of null, which is none', null, true],
] as const) {
  test(`the document ${isTaken ? 'takes' : 'refuses'} an item of a batch with a key ${what}`, () => {
    const item = { ...taskInput(), idempotencyKey: key };
    assert.equal(takes(bodyOf('POST /tasks/batch'), { tasks: [item] }), isTaken);
    if (typeof key === 'string') assert.equal(isIdempotencyKey(key), isTaken);
  });
}
