import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CodeBook } from '../../../engine/org/code-book.ts';

const SEED = 31;
const PAGE = 3;
const FETCHES_BEFORE = 4;

/** An actor's tasks: those in memory, and all that are durable. */
class Tasks {
  readonly memory = new Set<string>();
  readonly durable = new Set<string>();

  make(code: string): void {
    this.memory.add(code);
  }

  /** A task becomes durable, and leaves memory. */
  evict(book: CodeBook, code: string): void {
    if (!this.memory.delete(code)) return;
    this.durable.add(code);
    book.note(code);
  }

  /** What a fetch of codes reads along; of what is in memory Postgres may have some. */
  fetch(book: CodeBook, written: readonly string[]): void {
    const behind = book.nextPage();
    if (behind === undefined) return;
    for (const code of written) if (this.memory.has(code)) this.durable.add(code);
    const after = [...this.durable].filter((code) => code > behind).sort();
    book.absorb(after.slice(0, PAGE));
  }
}

const code = fc.stringMatching(/^[a-f]{1,2}$/);
const step = fc.oneof(
  fc.record({ kind: fc.constant('make' as const), code }),
  fc.record({ kind: fc.constant('evict' as const), code }),
  fc.record({ kind: fc.constant('fetch' as const), written: fc.array(code, { maxLength: 4 }) }),
);

test('what a task has that is not in memory is never taken for new, whenever pages are read', () => {
  let completed = 0;
  fc.assert(
    fc.property(
      fc.uniqueArray(code, { maxLength: 12 }),
      fc.array(step, { minLength: 30, maxLength: 60 }),
      (before, steps) => {
        const book = new CodeBook({ page: PAGE, codes: 1_000 });
        const tasks = new Tasks();
        for (const one of before) tasks.durable.add(one);
        for (const one of steps) {
          if (one.kind === 'make' && !tasks.durable.has(one.code)) tasks.make(one.code);
          else if (one.kind === 'evict') tasks.evict(book, one.code);
          else if (one.kind === 'fetch') tasks.fetch(book, one.written);
          for (const known of tasks.durable) assert.ok(tasks.memory.has(known) || book.mayKnow(known), known);
        }
        if (!book.mayKnow('never given')) completed += 1;
      },
    ),
    { seed: SEED, numRuns: 2_000 },
  );
  assert.ok(completed > 200, `only ${completed} books were read to their end`);
});

test('the book is read once codes are given again and again, page by page, and no more when it is complete', () => {
  const book = new CodeBook({ page: PAGE, codes: 1_000 });
  const asked = (times: number) => Array.from({ length: times }, () => book.nextPage());
  assert.deepEqual(asked(FETCHES_BEFORE), Array(FETCHES_BEFORE).fill(undefined));
  assert.equal(book.nextPage(), '');
  book.absorb(['a', 'b', 'c']);
  assert.ok(book.mayKnow('z'), 'it may be on the next page');
  assert.equal(book.nextPage(), 'c');
  book.absorb(['d']);
  assert.deepEqual(asked(3), [undefined, undefined, undefined]);
  assert.deepEqual(
    ['a', 'd', 'z'].map((one) => book.mayKnow(one)),
    [true, true, false],
  );
});

test('an organization without tasks has a book that is complete', () => {
  const book = new CodeBook();
  for (let time = 0; time <= FETCHES_BEFORE; time++) book.nextPage();
  book.absorb([]);
  assert.equal(book.mayKnow('a'), false);
  book.note('a');
  assert.equal(book.mayKnow('a'), true);
});

test('beyond its bound the book is given up for good, and any code may be known', () => {
  for (const grow of [
    (book: CodeBook) => book.absorb(['d', 'e']),
    (book: CodeBook) => {
      book.absorb(['d']);
      book.note('e');
    },
  ]) {
    const book = new CodeBook({ page: PAGE, codes: 4 });
    for (let time = 0; time <= FETCHES_BEFORE; time++) book.nextPage();
    book.absorb(['a', 'b', 'c']);
    grow(book);
    book.note('f');
    assert.deepEqual([book.mayKnow('z'), book.nextPage()], [true, undefined]);
  }
});
