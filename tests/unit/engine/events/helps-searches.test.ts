import assert from 'node:assert/strict';
import { test } from 'node:test';
import { helpsSearches } from '../../../../engine/org/apply/helps-searches.ts';
import type { Change } from '../../../../engine/org/state/changes.ts';
import type { TaskSearch } from '../../../../schema/assignment/assignment.ts';
import type { TaskRecord } from '../../../../schema/tasks/task.ts';
import { NEW_SEARCH } from '../../sought-task.ts';
import { taskRecord } from '../decide/decide-fixture.ts';

const SEARCH: TaskSearch = { ...NEW_SEARCH, until: '2030-01-01T00:00:00.000Z' };
const OFFERED = { ...SEARCH, attempts: 1, open: [{ id: 1 }] } as unknown as TaskSearch;
const LATER = { ...SEARCH, startsAt: '2029-01-01T00:00:00.000Z' };
const NOTED = { ...SEARCH, lacking: 'no_eligible_agents', notedAt: '2029-01-01T00:00:00.000Z' } as const;

type Fields = Partial<TaskRecord>;
const SOUGHT: Fields = { status: 'awaiting_assignment', search: SEARCH };
const CARRIED: Fields = { status: 'in_transit', agentId: 7 };

/** A task before and after, and whether the change may help searches. */
const ROWS: readonly (readonly [string, Fields | undefined, Fields, boolean])[] = [
  ['is made and looks for somebody', undefined, { search: SEARCH }, true],
  ['is made for nobody', undefined, {}, false],
  ['is made for an agent', undefined, { status: 'assigned', agentId: 7 }, false],
  ['is to look for somebody later', {}, { search: LATER }, false],
  ['begins to look at its time', { search: LATER }, { search: SEARCH }, true],
  ['begins to look by hand', {}, { search: SEARCH }, true],
  ['is looked at by its first round', { search: SEARCH }, { ...SOUGHT }, false],
  ['is noted to have found nobody', SOUGHT, { ...SOUGHT, search: NOTED }, false],
  ['wants another place while it looks', SOUGHT, { ...SOUGHT, locationId: 99 }, true],
  ['wants no skill any more while it looks', { ...SOUGHT, requiredSkills: ['cold'] }, SOUGHT, true],
  ['may be served at once now', { ...SOUGHT, windowStart: '2029-01-01T00:00:00.000Z' }, SOUGHT, true],
  ['gets a note while it looks', SOUGHT, { ...SOUGHT, notes: 'Ring twice' }, false],
  ['is offered to many', SOUGHT, { ...SOUGHT, search: OFFERED }, false],
  ['is offered to one', SOUGHT, { status: 'assigned', agentId: 7, search: OFFERED }, false],
  ['is turned down', { status: 'assigned', agentId: 7, search: OFFERED }, SOUGHT, true],
  ['is accepted', { status: 'assigned', agentId: 7, search: OFFERED }, { status: 'accepted', agentId: 7 }, false],
  ['is given to somebody by hand while it looks', SOUGHT, { status: 'assigned', agentId: 7 }, false],
  ['is cancelled while it looks', SOUGHT, { status: 'cancelled' }, true],
  ['finds nobody for good', SOUGHT, { status: 'awaiting_assignment' }, true],
  ['is carried on', { status: 'accepted', agentId: 7 }, CARRIED, false],
  ['is delivered', CARRIED, { status: 'completed', agentId: 7 }, true],
  ['goes to another agent', CARRIED, { ...CARRIED, agentId: 8 }, true],
  ['is taken from its agent', CARRIED, { status: 'awaiting_assignment' }, true],
  ['is cancelled by a dispatcher before anybody has it', {}, { status: 'cancelled' }, false],
];

test('a commit may help those who look for agents when a task begins to look, wants something else, or leaves an agent', () => {
  for (const [what, before, after, helps] of ROWS) {
    const change: Change = { kind: 'put-task', task: taskRecord(after) };
    assert.equal(helpsSearches(change, before && taskRecord(before)), helps, `a task ${what}`);
  }
});

test('agents on duty and settings may help, agents off duty and customers do not', () => {
  const agent = (onDuty: boolean, isActive: boolean) => ({ kind: 'put-agent', agent: { onDuty, isActive } });
  const of = (change: object) => helpsSearches(change as Change, undefined);
  assert.deepEqual([of(agent(true, true)), of(agent(false, true)), of(agent(true, false))], [true, false, false]);
  assert.deepEqual(
    [of({ kind: 'put-organization' }), of({ kind: 'put-customer' }), of({ kind: 'tell' })],
    [true, false, false],
  );
});
