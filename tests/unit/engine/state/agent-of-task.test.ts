import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FetchedRecords } from '../../../../engine/store/actor/actor-store.ts';
import type { TaskStatus } from '../../../../schema/tasks/task.ts';
import { OWN_AGENT, stateWith, TASK } from '../decide/decide-fixture.ts';
import { wholeAgent } from './agent-fixture.ts';

const NOTHING: FetchedRecords = {
  tasks: [],
  customers: [],
  contacts: 'not-wanted',
  keys: 'not-wanted',
  codes: 'not-wanted',
  locations: [],
  warehouses: [],
  channelIds: [],
  agents: [],
  takenEmails: [],
  loadedAgentIds: [],
  heldTasks: [],
  requests: [],
  askedAgentIds: [],
  loosePackages: [],
  payments: [],
  accountOwners: [],
  balances: [],
  idempotency: [],
};

function stateOf(status: TaskStatus, fetched: Partial<FetchedRecords> = {}) {
  const state = stateWith('by an agent', status);
  state.absorb({ ...NOTHING, agents: [wholeAgent(OWN_AGENT)], ...fetched });
  return state;
}

test("a task shows its agent's new name at once, and waits for the commit that gives it", () => {
  const state = stateOf('assigned');
  state.lastSequence = 15;
  state.apply({ kind: 'put-agent', agent: wholeAgent(OWN_AGENT, 'Grace') }, 5);
  const live = state.findTask(TASK)!;
  assert.equal(state.bundleOf(live).agent?.firstName, 'Grace');
  assert.deepEqual(state.basisOf(live), { ticket: 5, sequence: 15 });
});

test('the open tasks of an agent are those in memory as they are there, and those that were found elsewhere', () => {
  const row = {
    agentId: OWN_AGENT,
    timeToServe: 'asap',
    scheduledAt: null,
    estimatedDuration: null,
    packages: [],
  } as const;
  const loadedAgentIds = [OWN_AGENT, OWN_AGENT + 1];
  const found = { loadedAgentIds, heldTasks: [TASK, 9_000].map((taskId) => ({ ...row, taskId })) };
  assert.equal(stateOf('in_transit', found).heldBy(OWN_AGENT).length, 2);
  assert.equal(stateOf('completed', found).heldBy(OWN_AGENT).length, 1, 'memory knows that it has ended');
  assert.equal(stateOf('completed', { loadedAgentIds }).heldBy(OWN_AGENT).length, 0);
  assert.equal(stateOf('assigned', found).heldBy(OWN_AGENT + 1).length, 0);
});
