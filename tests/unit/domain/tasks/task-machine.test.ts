import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allowedNext, canBecome } from '../../../../engine/domain/tasks/task-machine.ts';
import { isTerminal, TASK_STATUSES } from '../../../../schema/tasks/task.ts';

/** docs/contract.md §3 "Transitions": rows are from, columns to, in lifecycle order. */
// biome-ignore format: read by columns
const TABLE = {
  //                    new  await  assgn  accpt  trans  compl  cancl
  new:                 ['-', 'yes', 'yes', '-',   '-',   '-',   'yes'],
  awaiting_assignment: ['-', '-',   'yes', '-',   '-',   '-',   'yes'],
  assigned:            ['-', 'yes', '-',   'yes', '-',   '-',   'yes'],
  accepted:            ['-', 'yes', '-',   '-',   'yes', '-',   'yes'],
  in_transit:          ['-', '-',   '-',   '-',   '-',   'yes', 'yes'],
  completed:           ['-', '-',   '-',   '-',   '-',   '-',   '-'],
  cancelled:           ['-', '-',   '-',   '-',   '-',   '-',   '-'],
} as const;

for (const from of TASK_STATUSES) {
  for (const [column, to] of TASK_STATUSES.entries()) {
    const may = TABLE[from][column] === 'yes';
    test(`a task in ${from} ${may ? 'may' : 'may not'} become ${to}`, () => {
      assert.equal(canBecome(from, to), may);
      assert.equal(allowedNext(from).includes(to), may);
    });
  }
}

test('exactly the terminal statuses lead nowhere', () => {
  for (const status of TASK_STATUSES) assert.equal(allowedNext(status).length === 0, isTerminal(status), status);
});

test('allowed statuses come in lifecycle order', () => {
  for (const from of TASK_STATUSES) {
    const places = allowedNext(from).map((to) => TASK_STATUSES.indexOf(to));
    assert.deepEqual(
      places,
      [...places].sort((a, b) => a - b),
      from,
    );
  }
});
