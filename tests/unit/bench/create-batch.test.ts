import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBatch } from '../../../bench/scenarios/create-batch.ts';

test('an answer to a batch counts only when it reports every item as created', () => {
  const answer = (statuses: readonly string[]) => {
    const items = statuses.map((status, index) =>
      status === 'created' ? { index, status, task: { id: index + 1, status: 'new' } } : { index, status, error: {} },
    );
    const created = statuses.filter((status) => status === 'created').length;
    return JSON.stringify({ data: { items, created, failed: statuses.length - created } });
  };
  const { isAnswer } = createBatch(3);
  assert.equal(isAnswer(answer(['created', 'created', 'created'])), true);
  assert.equal(isAnswer(answer(['created', 'failed', 'created'])), false);
  assert.equal(isAnswer(answer(['created', 'created'])), false);
  assert.equal(isAnswer('{"data":{"items":[],"created":3,"failed":0}}'), false);
});

test('a batch holds as many tasks as were asked for, with other new customers each time it is sent', () => {
  const seat = { connection: 1, connections: 4, seed: 7 };
  const batches = createBatch(32).requestsFor(seat);
  const newcomers = new Set<string>();
  for (const { body, stamps } of batches) {
    const { tasks } = JSON.parse(body!) as { tasks: unknown[] };
    assert.deepEqual([tasks.length, stamps.length], [32, 2]);
    for (const { text, next } of stamps) {
      assert.equal(body!.indexOf(text), body!.lastIndexOf(text), 'one place to stamp');
      for (const phone of [text, next(), next()]) {
        assert.equal(phone.length, text.length);
        newcomers.add(phone);
      }
    }
  }
  assert.equal(newcomers.size, batches.length * 2 * 3);
});
