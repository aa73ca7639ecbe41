import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentBook } from '../../../../engine/org/state/books/agent-book.ts';
import { shownAgent as shown, wholeAgent as whole } from './agent-fixture.ts';

const READ = { ticket: 0, sequence: 0 };
const NOBODY: ReadonlySet<number> = new Set();

test('the agent that a task shows is found by tasks, and is not found as an agent to change', () => {
  const book = new AgentBook();
  book.absorbShown(shown(1));
  assert.deepEqual([book.findShown(1), book.find(1)], [shown(1), undefined]);
  book.absorb([whole(1)], []);
  assert.deepEqual([book.findShown(1), book.find(1)], [whole(1), whole(1)]);
});

test('a record that was read never replaces one that was decided', () => {
  const book = new AgentBook();
  book.put(whole(1, 'Grace'), { ticket: 4, sequence: 9 });
  book.absorbShown(shown(1));
  book.absorb([whole(1)], []);
  assert.equal(book.findShown(1)?.firstName, 'Grace');
  book.tell(1, 10);
  assert.equal(book.basisOf(1)?.ticket, 4);
  assert.equal(book.basisOf(1)?.sequence, 10);
});

test('an address is taken by an agent in memory, or when the last look found it so', () => {
  const book = new AgentBook();
  book.put(whole(1), READ);
  assert.ok(book.isEmailTaken('agent1@test.EXAMPLE'));
  book.absorb([], ['agent2@test.example']);
  assert.ok(book.isEmailTaken('AGENT2@test.example'));
  book.absorb([], []);
  assert.ok(!book.isEmailTaken('agent2@test.example'), 'asked for again, and free');
  assert.ok(book.isEmailTaken('agent1@test.example'));
});

test('too many agents leave memory, except those of tasks and those that are not durable', () => {
  const book = new AgentBook();
  for (let id = 1; id <= 10; id++) book.put(whole(id), { ticket: id === 3 ? 7 : 0, sequence: 0 });
  book.evict(10, 6, () => assert.fail('not that many'));
  book.evict(5, 6, () => new Set([1]));
  const left = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].filter((id) => book.find(id));
  assert.deepEqual(left, [1, 3, 9, 10]);
  assert.ok(!book.isEmailTaken('agent2@test.example'));
  book.evict(0, 7, () => NOBODY);
  assert.equal(book.find(3), undefined);
});
