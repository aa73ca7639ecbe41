import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TaskBook } from '../../../../engine/org/state/books/task-book.ts';
import type { LiveTask } from '../../../../engine/org/state/live.ts';
import { boundsOfState } from '../../../../engine/org/state/memory-bounds.ts';
import type { TaskRecord, TaskStatus } from '../../../../schema/tasks/task.ts';

const BOUNDS = { ...boundsOfState(0, 0), tasks: 50, passingTasks: 10 };

/** A task in memory; `ticket` 2 is not durable yet. */
function taskOf(
  id: number,
  status: TaskStatus,
  family: Partial<TaskRecord> = {},
  ticket = 1,
): Omit<LiveTask, 'uses' | 'wasRead' | 'shown'> {
  const task = { id, code: `T${id}`, status, parentId: null, childIds: null, ...family } as TaskRecord;
  return { task, location: null, pickupLocation: null, packages: [], ticket, sequence: 1 };
}

/** The ids that are left after an eviction, in the order of their making. */
function leftOf(book: TaskBook, ids: readonly number[]): number[] {
  const gone: number[] = [];
  book.evict(BOUNDS, 1, ({ task }) => gone.push(task.id));
  const left = ids.filter((id) => book.has(id));
  assert.equal(gone.length + left.length, ids.length);
  for (const id of gone) assert.equal(book.hasCode(`T${id}`), false);
  return left;
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

test('of ended tasks the longest unused leave past their bound; open ones that were read, and ended ones that were read twice, stay', () => {
  const book = new TaskBook();
  for (const id of range(1, 20)) book.put(taskOf(id, id % 2 === 0 ? 'completed' : 'cancelled'));
  for (const id of range(21, 40)) book.put(taskOf(id, 'assigned'));
  for (const id of [...range(21, 40), 1, 1, 2, 3, 3, 3]) book.noteRead(book.find(id)!);
  // 18 pass, and two places are made beside the ten.
  assert.deepEqual(leftOf(book, range(1, 40)), [1, 2, 3, ...range(14, 40)]);
  assert.deepEqual(leftOf(book, [1, 2, 3, ...range(14, 40)]), [1, 2, 3, ...range(14, 40)], 'nothing more leaves');
});

test('a task that was changed stays; it passes from its end on, and again after a change of it', () => {
  const book = new TaskBook();
  for (const status of ['accepted', 'in_transit'] as const) for (const id of range(1, 11)) book.put(taskOf(id, status));
  assert.equal(leftOf(book, range(1, 11)).length, 11);
  for (const id of range(1, 11)) book.put(taskOf(id, 'completed'));
  for (const id of range(1, 11)) for (let read = 0; read < 2; read++) book.noteRead(book.find(id)!);
  assert.equal(leftOf(book, range(1, 11)).length, 11);
  for (const id of range(1, 11)) book.put(taskOf(id, 'completed'));
  assert.deepEqual(leftOf(book, range(1, 11)), range(4, 11));
});

test('a task that is not durable stays, and so does a job with such a part', () => {
  const book = new TaskBook();
  for (const id of range(1, 9)) book.put(taskOf(id, 'completed', {}, 2));
  book.put(taskOf(10, 'completed', { childIds: [11, 12] }));
  book.put(taskOf(11, 'completed', { parentId: 10 }));
  book.put(taskOf(12, 'completed', { parentId: 10 }, 2));
  book.put(taskOf(13, 'completed', { childIds: [14] }));
  book.put(taskOf(14, 'completed', { parentId: 13 }));
  assert.deepEqual(leftOf(book, range(1, 14)), range(1, 12), 'the other job left with its part');
});

test('where there are too many in all, open tasks leave too', () => {
  const book = new TaskBook();
  for (const id of range(1, 51)) {
    book.put(taskOf(id, 'new'));
    book.noteRead(book.find(id)!);
  }
  assert.deepEqual(leftOf(book, range(1, 51)), range(12, 51));
});

test('new tasks that nobody asks for pass, too', () => {
  const book = new TaskBook();
  for (const id of range(1, 11)) book.put(taskOf(id, 'new'));
  assert.deepEqual(leftOf(book, range(1, 11)), range(4, 11));
});

test('a task that was read has another turn to stay, and only one', () => {
  const book = new TaskBook();
  const change = (from: number, to: number) => {
    for (const id of [...range(from, to), ...range(from, to)]) book.put(taskOf(id, 'new'));
  };
  change(1, 51);
  book.noteRead(book.find(1)!);
  assert.deepEqual(leftOf(book, range(1, 51)), [1, ...range(13, 51)]);
  change(52, 130);
  assert.equal(book.has(1), true);
  assert.deepEqual(leftOf(book, [1, ...range(13, 130)]), range(91, 130));
});
