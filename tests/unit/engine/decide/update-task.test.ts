import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Decision } from '../../../../engine/org/decide/decision.ts';
import { decideAmendTask } from '../../../../engine/org/decide/exceptions/amend-task.ts';
import { decideCreateTask } from '../../../../engine/org/decide/tasks/create-task.ts';
import { decideUpdateTask } from '../../../../engine/org/decide/tasks/update-task.ts';
import type { OrgState } from '../../../../engine/org/state/org-state.ts';
import type { CreateTask, UpdateTask } from '../../../../schema/commands.ts';
import type { AgentRecord } from '../../../../schema/fleet/agent.ts';
import { LIMITS } from '../../../../schema/limits.ts';
import type { TaskInput } from '../../../../schema/tasks/create-task.ts';
import type { TaskRecord } from '../../../../schema/tasks/task.ts';
import {
  agentRecord,
  at,
  callerOf,
  decideOn,
  NOW,
  OTHER_AGENT,
  OWN_AGENT,
  openRequest,
  PACKAGE,
  PLACE,
  type Shape,
  searchThatAsks,
  stateWith,
  TASK,
} from './decide-fixture.ts';

type Input = Omit<UpdateTask['input'], 'location'> & Partial<Pick<UpdateTask['input'], 'location'>>;

function update(state: OrgState, input: Input, taskId = TASK) {
  return decideOn(state, (draft, context) => {
    const command = { caller: callerOf('dispatcher'), taskId, input: { location: undefined, ...input } };
    return decideUpdateTask(draft, { kind: 'update-task', ...command }, context);
  });
}

/** The fields that the event names as changed; of a refusal its violations, or its code. */
function outcomeOf({ decision, draft }: ReturnType<typeof update>): unknown {
  if (!decision.ok) return decision.refusal.details?.['violations'] ?? decision.refusal.code;
  return draft.changes.flatMap((change) => (change.kind === 'tell' ? [change.extra!['changed']] : []));
}

const PLANNED: Partial<TaskRecord> = {
  readyAt: at(13),
  windowStart: at(14),
  windowEnd: at(18),
  estimatedDuration: 30,
  requiredSkills: ['lift'],
  preferredAgentId: OWN_AGENT,
};
function knowAgents(state: OrgState, agents: readonly AgentRecord[]): void {
  state.absorbAgents({ agents, takenEmails: [], loadedAgentIds: [], heldTasks: [] });
}

const planned = (shape: Shape = 'unserved') => {
  const state = stateWith(shape, 'new', { fields: PLANNED });
  knowAgents(state, [agentRecord({ id: OWN_AGENT }), agentRecord({ id: OTHER_AGENT })]);
  return state;
};

const CASES: readonly (readonly [name: string, input: Input, outcome: unknown])[] = [
  ['another name', { name: 'Books' }, [['name']]],
  ['the name it has', { name: 'A task' }, []],
  ['no name', { name: null }, []],
  ['another readyAt', { readyAt: at(15) }, [['readyAt']]],
  ['another window', { windowStart: at(15), windowEnd: at(16) }, [['windowStart', 'windowEnd']]],
  ['another duration', { estimatedDuration: 31 }, [['estimatedDuration']]],
  ['other skills', { requiredSkills: ['cold'] }, [['requiredSkills']]],
  ['another agent', { preferredAgentId: OTHER_AGENT }, [['preferredAgentId']]],
  ['another pickup', { pickupLocation: PLACE }, [['pickupLocation']]],
  ['both places', { location: PLACE, pickupLocation: PLACE }, [['location', 'pickupLocation']]],
  ['no pickup', { pickupLocation: null, pickupWarehouseId: null }, []],
  ['the plan it has', { readyAt: at(13), windowEnd: at(18), estimatedDuration: 30, requiredSkills: ['lift'] }, []],
  [
    'nothing of its plan',
    { readyAt: null, windowStart: null, windowEnd: null },
    [['readyAt', 'windowStart', 'windowEnd']],
  ],
  [
    'neither duration nor skills nor agent',
    { estimatedDuration: null, requiredSkills: null, preferredAgentId: null },
    [['preferredAgentId', 'estimatedDuration', 'requiredSkills']],
  ],
  ['an end that is now', { windowEnd: NOW }, ['windowEnd must be in the future']],
  [
    'times that are now',
    { scheduledAt: NOW, windowEnd: NOW },
    ['scheduledAt must be in the future', 'windowEnd must be in the future'],
  ],
  ['an end before its begin', { windowEnd: at(14) }, ['windowEnd must be after windowStart']],
  ['a begin after its end', { windowStart: at(18) }, ['windowEnd must be after windowStart']],
  ['goods after its end', { readyAt: at(19) }, [`windowEnd must not be before readyAt (${at(19)})`]],
  ['an agent that is not there', { preferredAgentId: 99 }, 'NOT_FOUND'],
  ['a warehouse that is not there', { pickupWarehouseId: 99 }, 'NOT_FOUND'],
];

describe('a change of a planned task to', () => {
  for (const [name, input, outcome] of CASES) {
    test(name, () => {
      assert.deepEqual(outcomeOf(update(planned(), input)), outcome);
      assert.deepEqual(outcomeOf(update(planned('a child'), input)), outcome);
    });
  }
});

test('an empty list of skills is as none', () => {
  assert.deepEqual(outcomeOf(update(stateWith('unserved', 'new'), { requiredSkills: [] })), []);
});

test('a task whose window is a relic is edited all the same, but not its times', () => {
  const relic = () => stateWith('unserved', 'new', { fields: { windowStart: at(15), windowEnd: at(14) } });
  assert.deepEqual(outcomeOf(update(relic(), { name: 'Books' })), [['name']]);
  assert.deepEqual(outcomeOf(update(relic(), { readyAt: at(13) })), ['windowEnd must be after windowStart']);
});

test('a change of the window moves when the task is late', () => {
  const state = stateWith('unserved', 'new', { fields: { delayedAt: at(11), windowEnd: at(11), deadlineAt: null } });
  const { task } = update(state, { windowEnd: at(16) }).draft.findTask(TASK)!;
  assert.deepEqual([task.delayedAt, task.deadlineAt], [null, at(16)]);
});

describe('a change of a task that looks for an agent', () => {
  const requests = [openRequest(), openRequest({ id: 71, agentId: OTHER_AGENT })];
  const search = { ...searchThatAsks(...requests), since: at(11) };
  const asking = (fields: Partial<TaskRecord> = {}) => {
    const state = stateWith('unserved', 'awaiting_assignment', {
      fields: { search, autoAssignmentStatus: 'offered', ...fields },
    });
    knowAgents(state, [agentRecord({ skills: ['lift'] }), agentRecord({ id: OTHER_AGENT })]);
    return state;
  };
  const after = (input: Input, state = asking()) => {
    const { decision, draft } = update(state, input);
    assert.ok(decision.ok);
    const { task } = draft.findTask(TASK)!;
    const asked = task.search!.open.map(({ agentId }) => agentId);
    const cancelled = requests.filter(({ id }) => draft.findRequest(id)?.status === 'cancelled').map(({ id }) => id);
    return { task, search: task.search!, asked, cancelled, status: task.autoAssignmentStatus };
  };

  test('withdraws offers to agents without its new skills, and goes on with the others', () => {
    const { asked, cancelled, status } = after({ requiredSkills: ['lift'] });
    assert.deepEqual([asked, cancelled, status], [[OWN_AGENT], [71], 'offered']);
  });

  test('searches on when nobody who is asked has its new skills', () => {
    const { asked, cancelled, status, search: left } = after({ requiredSkills: ['cold'] });
    assert.deepEqual([asked, cancelled, status, left.attempts], [[], [70, 71], 'searching', 2]);
  });

  test('withdraws all offers for another time', () => {
    const { asked, cancelled, status, search: left } = after({ scheduledAt: at(20) });
    assert.deepEqual([asked, cancelled, status, left.startsAt], [[], [70, 71], 'pending', at(19.5)]);
  });

  test('a task that looks for an agent for another time asks those again who declined the old one', () => {
    const declined = { ...search, attempts: 9, rejectedBy: [OWN_AGENT], expiredBy: [OTHER_AGENT] } as const;
    const noted = { lacking: 'all_rejected', passedOver: { counts: {}, nearest: [] }, noted: 'all_rejected' } as const;
    const before = { ...declined, ...noted, open: [], notedAt: NOW };
    const { search: left } = after({ scheduledAt: at(20) }, asking({ search: before }));
    const { attempts, rejectedBy, expiredBy, lacking, passedOver, noted: note, notedAt } = left;
    assert.deepEqual([attempts, rejectedBy, expiredBy], [0, [], []]);
    assert.deepEqual([lacking, passedOver, note, notedAt], [null, null, null, null], 'nor has any round looked');
    const { search: kept } = after({ windowEnd: at(15) }, asking({ search: before }));
    assert.deepEqual([kept.attempts, kept.rejectedBy], [9, [OWN_AGENT]], 'for another window they are not');
  });

  test('leaves the offers otherwise', () => {
    const input = {
      windowEnd: at(15),
      readyAt: at(13),
      estimatedDuration: 5,
      preferredAgentId: OTHER_AGENT,
      name: 'B',
    };
    const { asked, cancelled, status } = after({ ...input, pickupLocation: PLACE });
    assert.deepEqual([asked, cancelled, status], [[OWN_AGENT, OTHER_AGENT], [], 'offered']);
  });

  for (const [name, input, since, until] of [
    ['ends with its new window', { windowEnd: at(15) }, at(11), at(15)],
    ['goes on longer for goods that come later', { readyAt: at(13) }, at(13), at(13.25)],
    ['goes on longer for a window that opens later', { windowStart: at(14) }, at(14), at(14.25)],
    ['has waited as long for goods that are ready', { readyAt: at(10) }, at(11), at(12.25)],
  ] as const) {
    test(`a search ${name}`, () => {
      const { search: left } = after(input);
      assert.deepEqual([left.since, left.until], [since, until]);
    });
  }

  test('a search of goods that were to come later begins to wait when they are ready', () => {
    const fields = { readyAt: at(16), search: { ...search, since: at(16), until: at(16.25) } };
    const { search: left } = after({ readyAt: null }, asking(fields));
    assert.deepEqual([left.since, left.until], [NOW, at(12.25)]);
  });

  for (const [status, leadMinutes, startsAt, since, shown] of [
    ['new', 360, null, at(13), 'pending'],
    ['awaiting_assignment', 360, null, at(13), 'searching'],
    ['awaiting_assignment', 240, at(14), at(14), 'pending'],
    ['new', 10, at(17 + 50 / 60), at(17 + 50 / 60), 'pending'],
  ] as const)
    test(`a search that has not begun lasts its whole time after a change when leadMinutes is ${leadMinutes} now: ${status}`, () => {
      const waiting = { ...searchThatAsks(), startsAt: at(17.5), since: at(17.5), until: at(17.75) };
      const fields = { timeToServe: 'scheduled', scheduledAt: at(18), search: waiting } as const;
      const state = stateWith('unserved', status, { fields: { ...fields, autoAssignmentStatus: 'pending' } });
      const organization = { ...state.organization, settings: { leadMinutes } };
      state.apply({ kind: 'put-organization', organization }, 0);
      const { search: left, status: now, task } = after({ readyAt: at(13) }, state);
      const until = new Date(Date.parse(since) + 15 * 60_000).toISOString();
      assert.deepEqual([left.startsAt, left.since, left.until, now], [startsAt, since, until, shown]);
      assert.equal(task.deadlineAt, startsAt ?? until);
    });

  test('a search that was begun by hand does not wait for its time', () => {
    const fields = { timeToServe: 'scheduled', scheduledAt: at(20), windowEnd: at(22) } as const;
    const { search: left } = after({ windowEnd: null }, asking(fields));
    assert.deepEqual([left.startsAt, left.since, left.until], [null, at(11), at(12.25)]);
  });
});

describe('the text of a job', () => {
  const long = 'x'.repeat(10_000);
  const stop = { taskType: 'delivery', notes: long, description: long } as const;
  const make = (state: OrgState, input: CreateTask['input']) =>
    decideOn(state, (draft, context) => {
      return decideCreateTask(draft, { kind: 'create-task', caller: callerOf('dispatcher'), input }, context);
    }).decision;
  const codeOf = (decision: Decision) => (decision.ok ? 'ok' : decision.refusal.code);
  const withChildren = (children: number, input: TaskInput = stop) =>
    make(stateWith('unserved', 'new'), { ...stop, children: Array.from({ length: children }, () => input) });

  test('the text of a job is bounded when it is made with its children', () => {
    assert.equal(codeOf(withChildren(100)), 'ok');
    const packages = [{ name: 'Box', description: long }];
    assert.equal(codeOf(withChildren(69, { ...stop, packages })), 'ok');
    assert.equal(codeOf(withChildren(70, { ...stop, packages })), 'TASK_TOO_LARGE');
  });

  test('a job that is too large is refused for that, also where a quota would refuse it', () => {
    const phone = { e164: '+12025550123', countryCode: '+1', number: '2025550123' };
    const inline = { ...stop, customer: { name: 'New', phone } } as TaskInput;
    for (const limits of [{ tasks: 0 }, { customers: 0 }]) {
      const codeOfJob = (children: number) => {
        const state = stateWith('unserved', 'new');
        state.apply({ kind: 'put-organization', organization: { ...state.organization, limits } }, 0);
        return codeOf(make(state, { ...inline, children: Array.from({ length: children }, () => inline) }));
      };
      assert.deepEqual([codeOfJob(100), codeOfJob(105)], ['PACKAGE_LIMIT_EXCEEDED', 'TASK_TOO_LARGE']);
    }
  });

  test('the text of packages that a task is made with counts too', () => {
    const state = stateWith('unserved', 'new');
    const { task, packages } = state.findTask(TASK)!;
    const free = { ...packages[0]!, taskId: null, notes: 'x'.repeat(LIMITS.familyTextChars) };
    state.apply({ kind: 'put-task', task, packages: [] }, 0);
    state.apply({ kind: 'put-package', record: free, leaves: TASK }, 0);
    assert.equal(codeOf(make(state, { ...stop, packageIds: [PACKAGE] })), 'TASK_TOO_LARGE');
  });

  test('the text of a job that is too large already may become shorter, but not longer', () => {
    const fields = { notes: 'n'.repeat(LIMITS.familyTextChars + 100) };
    for (const [notes, description, expected] of [
      ['ring', undefined, 'ok'],
      [undefined, 'more', 'TASK_TOO_LARGE'],
    ] as const) {
      const state = stateWith('a child', 'new', { fields });
      assert.equal(codeOf(update(state, { notes, description }).decision), expected);
      const command = { caller: callerOf('dispatcher'), taskId: TASK, input: { notes, description } };
      const amended = decideOn(state, (draft, context) =>
        decideAmendTask(draft, { kind: 'amend-task', ...command }, context),
      );
      assert.equal(codeOf(amended.decision), expected);
    }
    // The job is too large here, and a name of its child makes it no longer.
    const state = stateWith('a child', 'new', { jobFields: fields });
    assert.equal(codeOf(update(state, { name: 'Another' }).decision), 'ok');
  });
});
