import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PageRoom, PageTooLargeError } from '../../../../engine/org/lists/page-room.ts';
import type { TaskText } from '../../../../engine/org/lists/task-texts.ts';
import { LIMITS } from '../../../../schema/limits.ts';

const half = 'x'.repeat(LIMITS.listPageChars / 2);
const textOf = (id: number, json: string) => ({ id, json }) as TaskText;

test('a page has room for as much text as its limit says, and for no more', () => {
  const room = new PageRoom();
  for (const id of [1, 2]) assert.equal(room.take(textOf(id, half)).id, id);
  assert.throws(() => room.take(textOf(3, '{}')), PageTooLargeError);
});

test('a task counts once, also when the statement that read it is repeated', () => {
  const room = new PageRoom();
  for (const id of [1, 2, 1, 2]) room.take(textOf(id, half));
  assert.throws(() => room.take(textOf(3, '{}')), PageTooLargeError);
});
