import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as v from 'valibot';
import { acceptorOf, REFUSED } from '../../../gateway/request/acceptor.ts';
import { Router } from '../../../gateway/router.ts';
import { ROUTES } from '../../support/contract/described-api.ts';

const SEED = 20_261_127;
const DRAWN_INPUTS = 200;
const CHANGED_EXAMPLES = 100;

/** Values at the edges of what schemas judge. */
const TEXTS = [
  'Ada',
  'Adam',
  '',
  ' ',
  'a\u0000b',
  '\ud800',
  'x'.repeat(300),
  '+442079460001',
  'ada@example.com',
  'EUR',
  'true',
];
const TIMES = ['2030-01-01T10:00:00Z', '2030-01-01T10:00:00', '0999-01-01T00:00:00Z', '09:30', '2030-02-30'];
const ADDRESSES = ['https://example.com/hook', 'http://127.0.0.1', '1', '12,5', '17', 'delivery', 'DELIVERY', 'new'];
const NUMBERS = [0, 1, -1, 1.5, 51.5, 90.01, 181, 2_147_483_648, Number.MAX_SAFE_INTEGER, 1e300, -0];
const OTHERS: readonly unknown[] = [null, true, false, [], {}, [1], [null], { a: 1 }, { constructor: 1 }];
/** A query holds texts, and lists of them. */
const OF_A_QUERY: readonly unknown[] = [...TEXTS, ...TIMES, ...ADDRESSES, ['1', '2'], ['new'], []];
const OF_A_BODY: readonly unknown[] = [...OF_A_QUERY, ...NUMBERS, ...OTHERS];

interface Part {
  readonly type: string;
  readonly wrapped?: Part;
  readonly item?: Part;
  readonly value?: Part;
  readonly options?: readonly unknown[];
  readonly entries?: Readonly<Record<string, Part>>;
}

/** Draws inputs and changes to them, the same ones for a seed. */
class Draw {
  readonly #anything: readonly unknown[];
  #state = SEED;

  constructor(anything: readonly unknown[]) {
    this.#anything = anything;
  }

  /** Evenly from 0 up to 1 (mulberry32). */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let bits = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  }

  oneOf<T>(values: readonly T[]): T {
    return values[Math.floor(this.fraction() * values.length)]!;
  }

  /** Mostly of the shape that the schema wants. */
  inputOf(part: Part): unknown {
    if (this.fraction() < 0.03) return this.oneOf(this.#anything);
    const { type, wrapped, item, value, options, entries } = part;
    if (entries) return this.#object(entries);
    if (wrapped) return this.fraction() < 0.1 ? null : this.inputOf(wrapped);
    if (item) return Array.from({ length: Math.floor(this.fraction() * 3) }, () => this.inputOf(item));
    if (type === 'record' && value) return { note: this.inputOf(value) };
    if (options) {
      const option = this.oneOf(options);
      return typeof option === 'object' && option !== null ? this.inputOf(option as Part) : option;
    }
    if (type === 'number') return this.oneOf(NUMBERS);
    if (type === 'boolean') return this.fraction() < 0.5;
    if (type === 'string') return this.oneOf(this.fraction() < 0.5 ? TEXTS : [...TIMES, ...ADDRESSES]);
    return this.oneOf(this.#anything);
  }

  #object(entries: Readonly<Record<string, Part>>): Record<string, unknown> {
    const object: Record<string, unknown> = this.fraction() < 0.05 ? { unknown: 1 } : {};
    const rareness = Object.keys(entries).length > 8 ? 0.25 : 0.6;
    for (const [name, part] of Object.entries(entries)) {
      const isOptional = part.type === 'nullish' || part.type === 'optional';
      if (this.fraction() < (isOptional ? rareness : 0.97)) object[name] = this.inputOf(part);
    }
    return object;
  }

  /** The same with one value replaced, left out, or put where there was none. */
  changed(value: unknown): unknown {
    if (typeof value !== 'object' || value === null || this.fraction() < 0.1) return this.oneOf(this.#anything);
    if (Array.isArray(value)) return value.map((item) => (this.fraction() < 0.5 ? this.changed(item) : item));
    const copy: Record<string, unknown> = { ...value };
    const name = this.oneOf([...Object.keys(copy), 'note']);
    if (this.fraction() < 0.3) delete copy[name];
    else copy[name] = this.changed(copy[name]);
    return copy;
  }
}

/** Asserts that both make the same of an input; whether they accept it. */
function isAccepted(schema: v.GenericSchema, input: unknown): boolean {
  const judged = v.safeParse(schema, input);
  const accepted = acceptorOf(schema)(input);
  if (judged.success) assert.deepStrictEqual(accepted, judged.output);
  else assert.equal(accepted, REFUSED, JSON.stringify(input));
  return judged.success;
}

const bodies = ROUTES.flatMap((route) => (route.kind === 'api' && route.body ? [route.body.schema] : []));
/** This one asks the clock, which these routes do not have. */
const CLOCKED = '/agents/:id/trail';
const queries = ROUTES.flatMap(({ path, query }) => (query && path !== CLOCKED ? [query.schema] : []));

/** Parts that no route has, or that meet their bounds seldom. */
const RARE = [
  v.object({ a: v.unknown(), b: v.nullable(v.string()) }),
  v.object({ a: v.nullish(v.number(), 7), b: v.nullable(v.number(), 7), c: v.optional(v.boolean(), true) }),
  v.object({ a: v.exactOptional(v.string()) }),
  v.strictObject({ a: v.number(), b: v.optional(v.number()) }),
  v.pipe(v.string(), v.minLength(1), v.maxLength(3)),
  v.pipe(v.array(v.unknown()), v.minLength(1), v.maxLength(1)),
  v.union([v.pipe(v.number(), v.integer()), v.pipe(v.string(), v.transform(Number), v.number()), v.boolean()]),
  v.record(v.string(), v.nullable(v.number())),
  v.pipe(v.fallback(v.string(), 'none'), v.title('a title')),
];

for (const [of, schemas, anything] of [
  ['a body', bodies, OF_A_BODY],
  ['rare parts', RARE, OF_A_BODY],
  ['a query', queries, OF_A_QUERY],
] as const) {
  test(`an acceptor makes of ${of} what its schema makes of it`, () => {
    const draw = new Draw(anything);
    let [accepted, refused] = [0, 0];
    for (const schema of new Set<v.GenericSchema>(schemas)) {
      for (let i = 0; i < DRAWN_INPUTS; i++) {
        if (isAccepted(schema, draw.inputOf(schema as unknown as Part))) accepted += 1;
        else refused += 1;
      }
    }
    assert.ok(accepted > 500 && refused > 500, `${accepted} accepted, ${refused} refused`);
  });
}

test('an acceptor makes of the bodies in the documentation, and of changed ones, what its schema makes of them', () => {
  const draw = new Draw(OF_A_BODY);
  const router = new Router(ROUTES);
  const file = new URL('../../../docs/examples.json', import.meta.url);
  const examples = Object.values(
    JSON.parse(readFileSync(file, 'utf8')) as Record<string, { readonly call: string; readonly request?: unknown }>,
  );
  let read = 0;
  for (const { call, request } of examples) {
    const [method = '', target = ''] = call.split(' ');
    const match = router.match(method, target.split('?')[0]!);
    if (typeof request !== 'object' || match.kind !== 'found' || match.route.kind !== 'api') continue;
    const { schema } = match.route.body!;
    assert.ok(isAccepted(schema, request), call);
    for (let i = 0; i < CHANGED_EXAMPLES; i++) isAccepted(schema, draw.changed(request));
    read += 1;
  }
  assert.ok(read > 40, `${read} bodies`);
});
