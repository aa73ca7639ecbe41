import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ShownTasks } from '../../../../engine/org/apply/shown-tasks.ts';
import type { OrgState } from '../../../../engine/org/state/org-state.ts';
import { etagOf } from '../../../../engine/views/parts/etag.ts';
import { encodeTask } from '../../../../engine/views/task-view.ts';
import { OWN_AGENT, type Shape, stateWith, TASK } from '../decide/decide-fixture.ts';
import { wholeAgent } from '../state/agent-fixture.ts';

const TICKET = 1;

/** The answer, held against a fresh encoding. */
function readIn(shownTasks: ShownTasks, state: OrgState, taskId = TASK) {
  const live = state.findTask(taskId)!;
  state.noteRead(live);
  const shown = shownTasks.of(state, live);
  assert.equal(shown.json, encodeTask(state.bundleOf(live)));
  assert.equal(shown.etag, etagOf(shown.json));
  return shown;
}

const charsOf = (state: OrgState) => encodeTask(state.bundleOf(state.findTask(TASK)!)).length;

test('the answer to a read is made once, and again after each change of what it shows', () => {
  const state = stateWith('by an agent', 'assigned');
  const shownTasks = new ShownTasks(1_000_000);
  const first = readIn(shownTasks, state);
  assert.equal(readIn(shownTasks, state), first);

  const { task } = state.findTask(TASK)!;
  state.apply({ kind: 'put-task', task: { ...task, notes: 'Ring twice', version: 5 } }, TICKET);
  const changed = readIn(shownTasks, state);
  assert.match(changed.json, /Ring twice/);

  const customer = state.findCustomer(task.customerId!)!;
  state.apply({ kind: 'put-customer', customer: { ...customer, lastName: 'Byron' } }, TICKET);
  assert.match(readIn(shownTasks, state).json, /Byron/);

  state.apply({ kind: 'put-agent', agent: wholeAgent(OWN_AGENT, 'Grace') }, TICKET);
  assert.match(readIn(shownTasks, state).json, /Grace/);
});

test('a job is never kept, as its children change on their own', () => {
  const state = stateWith('a job', 'new');
  const shownTasks = new ShownTasks(1_000_000);
  readIn(shownTasks, state);
  assert.equal(shownTasks.chars, 0);
});

test('the texts of all organizations together stay below the bound, and the longest unread leaves first', () => {
  const shapes: readonly Shape[] = ['unserved', 'by an external courier', 'a child'];
  const states = shapes.map((shape) => stateWith(shape, 'assigned'));
  const chars = states.map(charsOf);
  const shownTasks = new ShownTasks(chars[0]! + chars[1]! + chars[2]! - 1);
  const [first, second] = states.map((state) => readIn(shownTasks, state));
  assert.ok(shownTasks.chars <= chars[0]! + chars[1]! + chars[2]! - 1);
  assert.notEqual(readIn(shownTasks, states[0]!), first, 'the first one left for the third');
  assert.notEqual(readIn(shownTasks, states[1]!), second, 'and the second one for the first');
});

test('where there is no room, the answer of a task that nobody asked for before is not kept, and pushes out none', () => {
  const [asked, passing] = [stateWith('unserved', 'assigned'), stateWith('by an agent', 'completed')];
  const shownTasks = new ShownTasks(Math.max(charsOf(asked), charsOf(passing)));
  const first = readIn(shownTasks, asked);
  const once = readIn(shownTasks, passing);
  assert.equal(readIn(shownTasks, asked), first);
  const twice = readIn(shownTasks, passing);
  assert.notEqual(twice, once);
  assert.notEqual(readIn(shownTasks, asked), first, 'asked for again, the other one took its place');
});

test('an answer leaves in the second round of sweeps after its last use, and the memory of a record with the record', () => {
  const state = stateWith('unserved', 'assigned');
  const shownTasks = new ShownTasks(1_000_000);
  const first = readIn(shownTasks, state);
  shownTasks.sweep();
  assert.notEqual(readIn(shownTasks, state), first, 'one that was given once has left in the first round');
  const second = readIn(shownTasks, state);
  shownTasks.sweep();
  assert.equal(readIn(shownTasks, state), second, 'one that was used stays');
  const { task } = state.findTask(TASK)!;
  state.apply({ kind: 'put-task', task: { ...task, notes: 'Ring twice', version: 5 } }, TICKET);
  for (const chars of [charsOf(state) - 'Ring twice'.length, 0]) {
    shownTasks.sweep();
    assert.ok(Math.abs(shownTasks.chars - chars) < 20, `${shownTasks.chars}`);
  }
});

test('an answer is put in the place of unused ones before used ones, and of used ones when most are', () => {
  const shapes: readonly Shape[] = ['unserved', 'by an agent', 'a child'];
  const [one, other, third] = shapes.map((shape) => stateWith(shape, 'assigned'));
  const shownTasks = new ShownTasks(charsOf(one!) + charsOf(other!));
  const used = readIn(shownTasks, one!);
  const unused = readIn(shownTasks, other!);
  assert.equal(readIn(shownTasks, one!), used);
  readIn(shownTasks, third!);
  assert.equal(readIn(shownTasks, one!), used);
  assert.notEqual(readIn(shownTasks, other!), unused);
});
