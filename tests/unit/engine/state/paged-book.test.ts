import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { PagedBook } from '../../../../engine/org/state/books/paged-book.ts';
import { LIMITS } from '../../../../schema/limits.ts';
import { rounds } from '../../../support/runner/rounds.ts';

const SEED = 31;
const PAGE = 3;
const KEPT_MS = 90;
const START = 1_000;

/** An actor's records: those in memory, and when each that is durable left it for the last time, or was written. */
class Records {
  readonly memory = new Set<string>();
  readonly durable = new Map<string, number>();
  nowMs = START;

  make(name: string): void {
    this.memory.add(name);
  }

  /** A record becomes durable, and leaves memory. */
  evict(book: PagedBook, name: string): void {
    if (!this.memory.delete(name)) return;
    this.durable.set(name, this.nowMs);
    book.note(name, this.nowMs);
  }

  /** The names that a fetch reads; Postgres may have some of those in memory. */
  fetch(book: PagedBook, written: readonly string[]): void {
    const behind = book.nextPage();
    if (behind === undefined) return;
    for (const name of written) if (this.memory.has(name)) this.durable.set(name, this.nowMs);
    const after = [...this.durable.keys()].filter((name) => name > behind).sort();
    book.absorb(after.slice(0, PAGE), this.nowMs);
  }

  /** Records that are kept for `keptMs` cease to be when that is over. */
  pass(ms: number, keptMs: number): void {
    this.nowMs += ms;
    for (const [name, at] of this.durable) if (at <= this.nowMs - keptMs) this.durable.delete(name);
  }
}

const name = fc.stringMatching(/^[a-d]{1,2}$/);
const step = fc.oneof(
  fc.record({ kind: fc.constant('make' as const), name }),
  fc.record({ kind: fc.constant('evict' as const), names: fc.array(name, { maxLength: 12 }) }),
  fc.record({ kind: fc.constant('fetch' as const), written: fc.array(name, { maxLength: 4 }) }),
  fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(KEPT_MS / 3) }),
);

for (const [kind, keptMs] of [
  ['for ever', undefined],
  ['for a while', KEPT_MS],
] as const) {
  test(`the name of a record that is kept ${kind} never counts as new, whenever pages are read`, () => {
    let completed = 0;
    fc.assert(
      fc.property(
        fc.uniqueArray(name, { maxLength: 12 }),
        fc.array(step, { minLength: 30, maxLength: 60 }),
        (before, steps) => {
          const book = new PagedBook({ page: PAGE, names: 1_000, ...(keptMs && { keptMs }) });
          const records = new Records();
          for (const one of before) records.durable.set(one, START);
          for (const one of steps) {
            if (one.kind === 'make' && !records.durable.has(one.name)) records.make(one.name);
            else if (one.kind === 'evict') for (const gone of one.names) records.evict(book, gone);
            else if (one.kind === 'fetch') records.fetch(book, one.written);
            else if (one.kind === 'pass') records.pass(one.ms, keptMs ?? Number.POSITIVE_INFINITY);
            for (const known of records.durable.keys())
              assert.ok(records.memory.has(known) || book.mayKnow(known), known);
          }
          if (!book.mayKnow('never given')) completed += 1;
        },
      ),
      { seed: SEED, numRuns: rounds(2_000) },
    );
    assert.ok(completed > 200, `only ${completed} books were read to their end`);
  });
}

test('the book is read once names are given again and again, page by page, and no more when it is complete', () => {
  const book = new PagedBook({ page: PAGE, names: 1_000 });
  const asked = (times: number) => Array.from({ length: times }, () => book.nextPage());
  assert.deepEqual(asked(LIMITS.fetchesBeforeBook), Array(LIMITS.fetchesBeforeBook).fill(undefined));
  assert.equal(book.nextPage(), '');
  book.absorb(['a', 'b', 'c'], START);
  assert.ok(book.mayKnow('z'), 'it may be on the next page');
  assert.equal(book.nextPage(), 'c');
  book.absorb(['d'], START);
  assert.deepEqual(asked(3), [undefined, undefined, undefined]);
  assert.deepEqual(
    ['a', 'd', 'z'].map((one) => book.mayKnow(one)),
    [true, true, false],
  );
});

test('an organization without records has a book that is complete', () => {
  const book = readBook({ page: PAGE, names: 1_000 }, []);
  assert.equal(book.mayKnow('a'), false);
  book.note('a', START);
  assert.equal(book.mayKnow('a'), true);
});

test('beyond its bound the book is given up for good, and any name may be known', () => {
  for (const grow of [
    (book: PagedBook) => book.absorb(['d', 'e'], START),
    (book: PagedBook) => {
      book.absorb(['d'], START);
      book.note('e', START);
    },
  ]) {
    const book = readBook({ page: PAGE, names: 4 }, ['a', 'b', 'c']);
    grow(book);
    book.note('f', START);
    assert.deepEqual([book.mayKnow('z'), book.nextPage()], [true, undefined]);
  }
});

test('names that are no longer needed leave the book, so that it lasts however long it is in use', () => {
  const book = readBook({ page: PAGE, names: 4, keptMs: KEPT_MS }, ['a', 'b']);
  book.note('c', START + KEPT_MS - 1);
  book.note('d', START + KEPT_MS);
  assert.deepEqual(
    ['a', 'b', 'c', 'd'].map((one) => book.mayKnow(one)),
    [true, true, true, true],
  );
  for (let day = 2; day < 10; day++) book.note(`${day}`, START + day * KEPT_MS);
  assert.deepEqual(
    ['a', 'd', '7', '8', '9', 'z'].map((one) => book.mayKnow(one)),
    [false, false, false, true, true, false],
  );
});

/** A book whose first page has been read. */
function readBook(bounds: ConstructorParameters<typeof PagedBook>[0], page: readonly string[]): PagedBook {
  const book = new PagedBook(bounds);
  for (let time = 0; time <= LIMITS.fetchesBeforeBook; time++) book.nextPage();
  book.absorb(page, START);
  return book;
}
