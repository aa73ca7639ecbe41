import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Role } from '../../../schema/accounts/role.ts';
import {
  ASSIGNMENT_MODES,
  type AssignmentMode,
  type AssignmentRequestView,
} from '../../../schema/assignment/assignment.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import type { ApiClient, ApiReply } from '../../support/api-client.ts';
import { seedChannel, seedSession, seedUser } from '../../support/seeds/seed.ts';
import { type ApiFixture, useGateway } from '../api-fixture.ts';
import { type OfferPlace, offerPlace } from './offer-place.ts';
import { seedRequest } from './seed-request.ts';

/** Every answer to a request in every state, by everybody: docs/contract.md §2 and §5. */

const STATES = ['pending', 'accepted', 'rejected', 'expired', 'taken', 'withdrawn'] as const;
type State = (typeof STATES)[number];
const ANSWERS = ['accept', 'reject'] as const;
type Answer = (typeof ANSWERS)[number];

/** The resulting status, or the code of the refusal. */
const OUTCOMES: Readonly<Record<State, Readonly<Record<Answer, string>>>> = {
  pending: { accept: 'accepted', reject: 'rejected' },
  accepted: { accept: 'accepted', reject: 'ASSIGNMENT_REQUEST_CLOSED' },
  rejected: { accept: 'ASSIGNMENT_REQUEST_CLOSED', reject: 'rejected' },
  expired: { accept: 'ASSIGNMENT_REQUEST_EXPIRED', reject: 'ASSIGNMENT_REQUEST_EXPIRED' },
  taken: { accept: 'ASSIGNMENT_ALREADY_TAKEN', reject: 'ASSIGNMENT_ALREADY_TAKEN' },
  withdrawn: { accept: 'ASSIGNMENT_REQUEST_CLOSED', reject: 'ASSIGNMENT_REQUEST_CLOSED' },
};

const CALLERS = {
  'the agent that is asked': 'answers',
  'another agent': 404,
  'a user in the role of an agent who is none': 404,
  'a dispatcher': 'answers',
  'an administrator': 'answers',
  'a super admin': 'answers',
  'an integration': 403,
  "another organization's dispatcher": 404,
} as const;
type CallerKind = keyof typeof CALLERS;

/** A place whose agents are asked in one mode, and everybody who may try to answer there. */
interface Scene extends OfferPlace {
  readonly clients: Readonly<Record<CallerKind, ApiClient>>;
}

const scenes = new Map<AssignmentMode, Scene>();

const fixture = useGateway({}, async (started) => {
  for (const mode of ASSIGNMENT_MODES) scenes.set(mode, await sceneOf(started, mode));
});

async function sceneOf(started: ApiFixture, mode: AssignmentMode): Promise<Scene> {
  const { databaseUrl } = started.gateway;
  const place = await offerPlace(started, 2, { mode });
  const { organizationId, agents } = place;
  const session = async (role: Role, home = organizationId) =>
    started.clientOf(await seedSession(databaseUrl, home, (await seedUser(databaseUrl, home, role)).userId));
  const clients = {
    'the agent that is asked': agents[0]!.api,
    'another agent': agents[1]!.api,
    'a user in the role of an agent who is none': await session('agent'),
    'a dispatcher': place.api,
    'an administrator': place.admin,
    'a super admin': await session('super_admin', 0),
    'an integration': started.clientOf((await seedChannel(databaseUrl, organizationId)).key),
    "another organization's dispatcher": (await started.organization({ role: 'dispatcher' })).api,
  };
  return { ...place, clients };
}

function answer(
  { clients, organizationId }: Scene,
  kind: CallerKind,
  requestId: number,
  given: Answer,
): Promise<ApiReply<AssignmentRequestView>> {
  const headers = kind === 'a super admin' ? { 'x-organization-id': `${organizationId}` } : {};
  return clients[kind].post(`/assignment-requests/${requestId}/${given}`, undefined, headers);
}

async function read({ api }: OfferPlace, requestId: number): Promise<AssignmentRequestView> {
  return (await api.get<AssignmentRequestView>(`/assignment-requests/${requestId}`)).body.data;
}

/** A request to the first agent, in a state that it reached by itself, except one that expired long ago. */
async function requestIn(place: OfferPlace, state: State): Promise<AssignmentRequestView> {
  const [one, two] = place.agents;
  const [request, other] = await place.offer(state === 'taken' ? [one!.id, two!.id] : [one!.id]);
  const { id, taskId } = request!;
  switch (state) {
    case 'pending':
      break;
    case 'accepted':
      await one!.api.post(`/assignment-requests/${id}/accept`, undefined);
      break;
    case 'rejected':
      await one!.api.post(`/assignment-requests/${id}/reject`, undefined);
      break;
    case 'taken':
      await two!.api.post(`/assignment-requests/${other!.id}/accept`, undefined);
      break;
    case 'withdrawn':
      await place.api.put(`/tasks/${taskId}/status`, { status: 'cancelled' });
      break;
    case 'expired': {
      const seed = { ...place, taskId, agentId: one!.id, status: 'expired' } as const;
      return read(place, await seedRequest(fixture.gateway.databaseUrl, seed));
    }
  }
  return read(place, id);
}

for (const mode of ASSIGNMENT_MODES) {
  for (const state of STATES) {
    // An agent that is asked alone has no rival.
    if (mode === 'sequential' && state === 'taken') continue;
    for (const given of ANSWERS) {
      const outcome = OUTCOMES[state][given];
      test(`${mode}, ${state}: an authorized ${given} gives ${outcome}, and any other caller changes nothing`, async () => {
        const scene = scenes.get(mode)!;
        const status = state === 'taken' || state === 'withdrawn' ? 'cancelled' : state;
        let request = await requestIn(scene, state);
        assert.equal(request.status, status);
        for (const [kind, expected] of Object.entries(CALLERS) as [CallerKind, (typeof CALLERS)[CallerKind]][]) {
          if (request.status !== status) request = await requestIn(scene, state);
          const reply = await answer(scene, kind, request.id, given);
          const after = await read(scene, request.id);
          if (expected !== 'answers') {
            const message = expected === 404 ? `Assignment request with ID ${request.id} not found` : 'Forbidden';
            assert.deepEqual([reply.status, reply.body.message], [expected, message], kind);
            assert.deepEqual(after, request, `${kind} changes nothing`);
          } else if (outcome.startsWith('ASSIGNMENT_')) {
            assert.deepEqual([reply.status, reply.body.code], [409, outcome], kind);
            assert.deepEqual(after, request, 'a refusal changes nothing');
          } else {
            assert.deepEqual([reply.status, reply.body.data?.status], [200, outcome], `${kind}: ${reply.text}`);
            assert.deepEqual(after, reply.body.data, 'it reads as it was answered');
            if (state === outcome) assert.deepEqual(after, request, 'said again it changes nothing');
            request = after;
          }
        }
      });
    }
  }
}

test('the agent that accepts has the task, and the other asked agents get 409 because it is taken', async () => {
  const scene = scenes.get('broadcast')!;
  const [one, two] = scene.agents;
  const [first, second] = await scene.offer([one!.id, two!.id]);
  assert.deepEqual([first!.mode, second!.mode], ['broadcast', 'broadcast']);
  assert.equal((await scene.api.get(`/tasks/${first!.taskId}`)).body.data.status, 'awaiting_assignment');
  const accepted = await answer(scene, 'the agent that is asked', first!.id, 'accept');
  const { respondedAt } = accepted.body.data;
  assert.deepEqual(accepted.body.data, { ...first, status: 'accepted', respondedAt });
  const task = (await one!.api.get<TaskView>(`/tasks/${first!.taskId}`)).body.data;
  assert.deepEqual(
    [task.status, task.agentId, task.autoAssignmentStatus, task.acceptedAt],
    ['accepted', one!.id, 'assigned', respondedAt],
  );
  assert.equal((await read(scene, second!.id)).status, 'cancelled');
  const late = await two!.api.post(`/assignment-requests/${second!.id}/accept`, undefined);
  assert.deepEqual([late.status, late.body.code], [409, 'ASSIGNMENT_ALREADY_TAKEN']);
});

test('an agent that declines a task no longer has it, and the search goes on', async () => {
  const place = scenes.get('sequential')!;
  const [one] = place.agents;
  const [request] = await place.offer([one!.id]);
  assert.equal((await one!.api.get<TaskView>(`/tasks/${request!.taskId}`)).body.data.status, 'assigned');
  const reason = 'The puncture in the rear wheel';
  const reply = await one!.api.post<AssignmentRequestView>(`/assignment-requests/${request!.id}/reject`, { reason });
  assert.deepEqual([reply.status, reply.body.data.status, reply.body.data.rejectionReason], [200, 'rejected', reason]);
  assert.equal((await one!.api.get(`/tasks/${request!.taskId}`)).status, 404);
  const { status, agentId, autoAssignmentStatus } = (await place.api.get(`/tasks/${request!.taskId}`)).body.data;
  assert.deepEqual([status, agentId, autoAssignmentStatus], ['awaiting_assignment', null, 'searching']);
});

test("a retry under one Idempotency-Key gets the first answer again, regardless of the request's later states", async () => {
  const place = scenes.get('sequential')!;
  const [one] = place.agents;
  const [request] = await place.offer([one!.id]);
  const key = { 'idempotency-key': 'answer once' };
  const send = () => one!.api.post<AssignmentRequestView>(`/assignment-requests/${request!.id}/accept`, undefined, key);
  const first = await send();
  await place.api.post(`/tasks/${request!.taskId}/unassign`, {});
  const again = await send();
  assert.deepEqual([again.status, again.body.data], [200, first.body.data]);
  assert.equal(again.headers['idempotency-replayed'], 'true');
  const refused = await one!.api.post(`/assignment-requests/${request!.id}/reject`, {}, { 'idempotency-key': 'no' });
  const refusedAgain = await one!.api.post(
    `/assignment-requests/${request!.id}/reject`,
    {},
    { 'idempotency-key': 'no' },
  );
  assert.deepEqual([refused.status, refusedAgain.status], [409, 409]);
  assert.equal(refusedAgain.headers['idempotency-replayed'], 'true');
  const other = await one!.api.post(
    `/assignment-requests/${request!.id}/reject`,
    { reason: 'another body' },
    { 'idempotency-key': 'no' },
  );
  assert.deepEqual([other.status, other.body.code], [422, 'IDEMPOTENCY_KEY_REUSED']);
});

test('invalid reasons and ids are refused with all violations, and no request is answered', async () => {
  const place = scenes.get('sequential')!;
  const [one] = place.agents;
  const [request] = await place.offer([one!.id]);
  const bodies: readonly (readonly [unknown, string])[] = [
    [{ reason: 7 }, 'reason must be a string'],
    [{ reason: 'x'.repeat(1_000) }, 'reason must be at most 255 characters'],
    [{ reason: 'a\u0000b' }, 'reason must not contain NUL or unpaired surrogates'],
    [[], 'the body must be an object'],
  ];
  for (const [body, violation] of bodies) {
    const reply = await one!.api.post(`/assignment-requests/${request!.id}/reject`, body);
    assert.deepEqual([reply.status, reply.body.message], [400, [violation]]);
  }
  for (const id of ['0', '-1', 'x', '1.5', 'me']) {
    const reply = await one!.api.post(`/assignment-requests/${id}/accept`, undefined);
    assert.deepEqual([reply.status, reply.body.message], [400, ['id must be a positive integer']], id);
  }
  assert.deepEqual(await read(place, request!.id), request);
});

test('when the maximum number of asked agents accept at once, one has the task and the others get 409', async () => {
  const place = await offerPlace(fixture, LIMITS.broadcastAgents, { mode: 'broadcast' });
  const requests = await place.offer(place.agents.map(({ id }) => id));
  const replies = await Promise.all(
    place.agents.map(({ api }, index) => api.post(`/assignment-requests/${requests[index]!.id}/accept`, undefined)),
  );
  const codes = replies.filter(({ status }) => status !== 200).map(({ body }) => body.code);
  assert.deepEqual(codes, Array(place.agents.length - 1).fill('ASSIGNMENT_ALREADY_TAKEN'));
  const winner = place.agents[replies.findIndex(({ status }) => status === 200)]!;
  const task = (await place.api.get<TaskView>(`/tasks/${requests[0]!.taskId}`)).body.data;
  assert.deepEqual([task.status, task.agentId], ['accepted', winner.id]);
});

for (const path of ['/tasks/:id/assign', '/tasks/actions'])
  test(`staff that gives a task by ${path} to the very agent who is asked assigns it as to any other`, async () => {
    const { api, agents, offer } = await offerPlace(fixture, 1);
    const agentId = agents[0]!.id;
    const [request] = await offer([agentId]);
    const { taskId } = request!;
    const why = { reason: 'By phone', reasonCode: 'PHONE' };
    const reply = await (path === '/tasks/actions'
      ? api.post(path, { action: 'assign', taskIds: [taskId], agentId, ...why })
      : api.post(`/tasks/${taskId}/assign`, { agentId, ...why }));
    assert.equal(reply.status, 200, reply.text);
    const { status, autoAssignmentStatus } = (await api.get<TaskView>(`/tasks/${taskId}`)).body.data;
    assert.deepEqual([status, autoAssignmentStatus], ['assigned', 'cancelled']);
    const { items } = (await api.get<{ items: object[] }>(`/tasks/${taskId}/history`)).body.data;
    const { kind, fromStatus, toStatus, reason, reasonCode, details, actor } = items.at(-1) as Record<string, unknown>;
    assert.deepEqual([kind, fromStatus, toStatus, details], ['status_changed', 'assigned', 'assigned', { agentId }]);
    assert.deepEqual([{ reason, reasonCode }, (actor as { type: string }).type], [why, 'channel']);
    const late = await agents[0]!.api.post(`/assignment-requests/${request!.id}/accept`, undefined);
    assert.deepEqual([late.status, late.body.code], [409, 'ASSIGNMENT_REQUEST_CLOSED']);
    const own = await agents[0]!.api.put(`/tasks/${taskId}/status`, { status: 'accepted' });
    assert.equal(own.status, 200, own.text);
  });
