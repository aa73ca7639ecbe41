import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  maskedAddress,
  type NoticedEvent,
  type NoticeReason,
  noticePause,
  noticesOf,
  reasonToDrop,
} from '../../../../engine/domain/outbound/notices.ts';
import { LIMITS } from '../../../../schema/limits.ts';
import type { NoticeKind } from '../../../../schema/notices/notification.ts';

const AT = '2026-11-22T10:00:00.000Z';
const TOMORROW = '2026-11-23T10:00:00.000Z';
const OFFER_ENDS = '2026-11-22T10:00:30.000Z';
const DISPATCHER = { type: 'user', id: 50 };
const SYSTEM = { type: 'system', id: null };
const ALL = { created: true, onTheWay: true, completed: true };

const TASK = {
  ...{ id: 1, taskType: 'delivery', status: 'new', outcome: null, agentId: null, customerId: 3 },
  ...{ parentId: null, previousTaskId: null, children: [] },
  customer: { user: { email: 'ada@example.com' } },
} as const;
const REQUEST = { id: 9, taskId: 1, agentId: 4, mode: 'sequential', expiresAt: OFFER_ENDS } as const;

interface Case {
  readonly type?: NoticedEvent['type'];
  readonly task?: object;
  readonly request?: object;
  readonly data?: object;
  /** The kinds of notices, with their recipients and their subjects. */
  readonly told: readonly string[];
}

const courier = { agentId: 4 };
const CASES: Readonly<Record<string, Case>> = {
  'a task that is cancelled on its way': {
    task: { ...courier, status: 'cancelled' },
    data: { previousStatus: 'in_transit' },
    told: ['task_cancelled to agent 4'],
  },
  'a task that is cancelled once accepted': {
    task: { ...courier, status: 'cancelled' },
    data: { previousStatus: 'accepted' },
    told: ['task_cancelled to agent 4'],
  },
  'a task that is cancelled while it is assigned': {
    task: { ...courier, status: 'cancelled' },
    data: { previousStatus: 'assigned' },
    told: ['task_cancelled to agent 4'],
  },
  'a task that is cancelled by the system': {
    task: { ...courier, status: 'cancelled' },
    data: { previousStatus: 'accepted', actor: SYSTEM },
    told: ['task_cancelled to agent 4'],
  },
  'a task that is cancelled before anybody had it': {
    task: { status: 'cancelled' },
    data: { previousStatus: 'awaiting_assignment' },
    told: [],
  },
  'a task of an external courier that is cancelled': {
    task: { status: 'cancelled' },
    data: { previousStatus: 'in_transit' },
    told: [],
  },
  'a job that is cancelled: its parts tell': {
    task: { ...courier, status: 'cancelled', children: [{}] },
    data: { previousStatus: 'in_transit' },
    told: [],
  },
  'a task that is assigned by hand': { task: { ...courier, status: 'assigned' }, told: ['task_assigned to agent 4'] },
  'a task that is assigned to the agent it was offered to': {
    task: { ...courier, status: 'assigned' },
    data: { actor: SYSTEM },
    told: [],
  },
  'a task that is taken from its agent': {
    task: { status: 'awaiting_assignment' },
    data: { previousAgentId: 4 },
    told: ['task_unassigned to agent 4'],
  },
  'a task whose offer ran out': {
    task: { status: 'awaiting_assignment' },
    data: { previousAgentId: 4, actor: SYSTEM },
    told: [],
  },
  'a task that is amended': {
    type: 'task.updated',
    task: { ...courier, status: 'in_transit' },
    data: { changes: ['notes'] },
    told: ['task_amended to agent 4'],
  },
  'a task that is amended before anybody has it': {
    type: 'task.updated',
    data: { changes: ['notes'] },
    told: [],
  },
  'a job that is amended': {
    type: 'task.updated',
    task: { status: 'in_transit', children: [{}] },
    data: { changes: ['notes'] },
    told: [],
  },
  'a task that is updated otherwise': {
    type: 'task.updated',
    task: { ...courier, status: 'in_transit' },
    data: { changed: ['rating'] },
    told: [],
  },
  'a task that goes from one agent to another': {
    task: { ...courier, status: 'assigned' },
    data: { previousStatus: 'in_transit', previousAgentId: 5 },
    told: ['task_unassigned to agent 5', 'task_assigned to agent 4'],
  },
  'a task that goes from one agent to another on its way': {
    type: 'task.updated',
    task: { ...courier, status: 'in_transit' },
    data: { changed: ['agentId'], previousAgentId: 5 },
    told: ['task_unassigned to agent 5', 'task_assigned to agent 4'],
  },
  'a task that goes from an external courier to an agent on its way': {
    type: 'task.updated',
    task: { ...courier, status: 'in_transit' },
    data: { changed: ['agentId'], previousAgentId: null },
    told: ['task_assigned to agent 4'],
  },
  'a task that begins to look for somebody': { task: { status: 'awaiting_assignment' }, told: [] },
  'a task that is accepted': { task: { ...courier, status: 'accepted' }, told: [] },
  'an offer': {
    type: 'assignment_request.created',
    request: {},
    data: { actor: SYSTEM },
    told: ['task_offered to agent 4 until the offer ends'],
  },
  'an offer that was accepted for the agent': {
    type: 'assignment_request.accepted',
    request: {},
    told: ['task_assigned to agent 4'],
  },
  'an offer to many that the system accepts': {
    type: 'assignment_request.accepted',
    request: { mode: 'broadcast' },
    data: { actor: SYSTEM },
    told: ['task_assigned to agent 4'],
  },
  'an offer to many that somebody accepts, of which the task tells': {
    type: 'assignment_request.accepted',
    request: { mode: 'broadcast' },
    told: [],
  },
  'a new task': { type: 'task.created', told: ['tracking_created to customer 3 about 1'] },
  'a new task in a job': {
    type: 'task.created',
    task: { parentId: 8 },
    told: ['tracking_created to customer 3 about 8'],
  },
  'a new job': { type: 'task.created', task: { children: [{}] }, told: ['tracking_created to customer 3 about 1'] },
  'a new task whose customer has no address': {
    type: 'task.created',
    task: { customer: { user: { email: null } } },
    told: [],
  },
  'a new task without a customer': { type: 'task.created', task: { customerId: null, customer: null }, told: [] },
  'a task that sets out': {
    task: { ...courier, status: 'in_transit' },
    told: ['tracking_on_the_way to customer 3 about 1'],
  },
  'a part of a job that sets out': {
    task: { ...courier, status: 'in_transit', parentId: 8 },
    told: ['tracking_on_the_way to customer 3 about 1'],
  },
  'a job that sets out': { task: { status: 'in_transit', children: [{}] }, told: [] },
  'a task that is delivered': {
    task: { ...courier, status: 'completed', outcome: 'succeeded' },
    told: ['tracking_completed to customer 3 about 1'],
  },
  'another attempt that sets out': {
    task: { ...courier, status: 'in_transit', previousTaskId: 2 },
    told: ['tracking_on_the_way to customer 3 about 1'],
  },
  'a return that is fetched from the customer': {
    task: { ...courier, status: 'in_transit', taskType: 'return' },
    told: ['tracking_on_the_way to customer 3 about 1'],
  },
  'a new task that brings goods back to the sender': {
    type: 'task.created',
    task: { taskType: 'return', previousTaskId: 2 },
    told: [],
  },
  'a task that brings goods back and sets out': {
    task: { ...courier, status: 'in_transit', taskType: 'return', previousTaskId: 2 },
    told: [],
  },
  'a task that has brought goods back': {
    task: { ...courier, status: 'completed', outcome: 'succeeded', taskType: 'return', previousTaskId: 2 },
    told: [],
  },
  'a task that failed': { task: { ...courier, status: 'completed', outcome: 'failed' }, told: [] },
};

function eventOf({ type = 'task.status_changed', task = {}, request, data = {} }: Case): NoticedEvent {
  const about = request ? { assignmentRequest: { ...REQUEST, ...request } } : { task: { ...TASK, ...task } };
  return { type, timestamp: AT, data: { actor: DISPATCHER, ...about, ...data } } as NoticedEvent;
}

for (const [what, one] of Object.entries(CASES)) {
  test(`${what} ${one.told.length === 0 ? 'makes no notice' : `makes notices: ${one.told.join(', ')}`}`, () => {
    const told = noticesOf(eventOf(one), ALL).map((notice) => {
      if ('customerId' in notice) return `${notice.kind} to customer ${notice.customerId} about ${notice.topicId}`;
      const { kind, agentId, requestId, expiresAt } = notice;
      assert.equal(expiresAt, requestId === null ? TOMORROW : OFFER_ENDS);
      return `${kind} to agent ${agentId}${requestId === null ? '' : ' until the offer ends'}`;
    });
    assert.deepEqual(told, one.told);
  });
}

test('customers get the mails that are switched on, and no others', () => {
  const kinds = (mail: object) =>
    Object.values(CASES)
      .flatMap((one) => noticesOf(eventOf(one), { created: false, onTheWay: false, completed: false, ...mail }))
      .filter((notice) => 'customerId' in notice)
      .map(({ kind }) => kind);
  assert.deepEqual(kinds({}), []);
  assert.deepEqual(new Set(kinds({ created: true })), new Set(['tracking_created']));
  assert.deepEqual(new Set(kinds({ onTheWay: true })), new Set(['tracking_on_the_way']));
  assert.deepEqual(new Set(kinds({ completed: true })), new Set(['tracking_completed']));
});

test('the author of a change gets no notice of it: a user is known by the session, a key excludes no one', () => {
  const assigned = { task: { ...courier, status: 'assigned' } };
  const exceptBy = (actor: object) => {
    const [notice] = noticesOf(eventOf({ ...assigned, data: { actor }, told: [] }), ALL);
    return (notice as { exceptUserId: number | null }).exceptUserId;
  };
  assert.equal(exceptBy(DISPATCHER), 50);
  assert.equal(exceptBy({ type: 'channel', id: 50 }), null);
});

const GOOD: NoticeReason = {
  ...{ kind: 'task_cancelled', expiresAt: TOMORROW, isOrganizationActive: true, taskStatus: 'accepted' },
  ...{ agentId: 4, taskAgentId: 4, isUserActive: true, hasDevice: true, requestStatus: null },
  ...{ hasAddress: true, isMailWanted: true },
};
const DROPPED: readonly (readonly [NoticeKind, Partial<NoticeReason>, RegExp | undefined])[] = [
  ['task_cancelled', { taskStatus: 'cancelled' }, undefined],
  ['task_cancelled', { expiresAt: AT }, /time has passed/],
  ['task_cancelled', { isOrganizationActive: false }, /organization/],
  ['task_cancelled', { taskStatus: null }, /gone/],
  ['task_cancelled', { isUserActive: false }, /user/],
  ['task_cancelled', { hasDevice: false }, /device/],
  ['task_offered', { requestStatus: 'pending' }, undefined],
  ['task_offered', { requestStatus: 'accepted' }, /offer/],
  ['task_offered', { requestStatus: 'expired' }, /offer/],
  ['task_offered', { requestStatus: null }, /offer/],
  ['task_assigned', {}, undefined],
  ['task_assigned', { taskAgentId: 5 }, /taken back/],
  ['task_assigned', { taskStatus: 'cancelled' }, /taken back/],
  ['task_amended', {}, undefined],
  ['task_amended', { taskAgentId: 5 }, /taken back/],
  ['task_amended', { taskStatus: 'completed' }, /ended/],
  ['task_unassigned', { taskAgentId: null }, undefined],
  ['task_unassigned', {}, /given back/],
  ['tracking_created', {}, undefined],
  ['tracking_created', { taskStatus: 'completed' }, /ended/],
  ['tracking_on_the_way', { taskStatus: 'in_transit', isUserActive: false, hasDevice: false }, undefined],
  ['tracking_on_the_way', { taskStatus: 'assigned' }, /nobody is on the way/],
  ['tracking_on_the_way', { taskStatus: 'accepted' }, /nobody is on the way/],
  ['tracking_on_the_way', { taskStatus: 'completed' }, /ended/],
  ['tracking_on_the_way', { taskStatus: 'cancelled' }, /cancelled/],
  ['tracking_on_the_way', { hasAddress: false }, /address/],
  ['tracking_on_the_way', { isMailWanted: false }, /switched off/],
  ['tracking_completed', { taskStatus: 'completed' }, undefined],
];
for (const [kind, changes, reason] of DROPPED) {
  test(`${kind} with ${JSON.stringify(changes)} is ${reason ? `dropped: ${reason.source}` : 'sent'}`, () => {
    const found = reasonToDrop({ ...GOOD, kind, ...changes }, AT);
    if (reason) assert.match(found ?? '', reason);
    else assert.equal(found, undefined);
  });
}

test('pauses double from the first to the longest, spread by a quarter', () => {
  assert.equal(noticePause(1, 0.5), LIMITS.noticeFirstPauseMs);
  assert.equal(noticePause(1, 0), 0.75 * LIMITS.noticeFirstPauseMs);
  assert.equal(noticePause(4, 0.5), 8 * LIMITS.noticeFirstPauseMs);
  assert.equal(noticePause(40, 0.5), LIMITS.noticeLongestPauseMs);
});

test('an address is shown by its first character and its domain', () => {
  assert.equal(maskedAddress('ada.lovelace@example.com'), 'a***@example.com');
  assert.equal(maskedAddress('a@example.com'), 'a***@example.com');
});
