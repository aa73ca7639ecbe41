import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AssignmentRequestView } from '../../../schema/assignment/assignment.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { useGateway } from '../api-fixture.ts';
import { type OfferPlace, offerPlace } from './offer-place.ts';

/** An agent that changes while it is asked: docs/contract.md §4 "Agents", §5 "Eligible agents". */

const fixture = useGateway();
const VAN = { type: 'van', maxWeightKg: 20, maxPackages: 5 };
const SUITED = { vehicle: VAN, skills: ['cold', 'frail'] };
const TASK = { requiredSkills: ['cold'], packages: [{ name: 'A box', weight: 7.5, quantity: 2 }] };

async function change({ api, agents }: OfferPlace, fields: object, place = 0): Promise<void> {
  const { status, text } = await api.patch(`/agents/${agents[place]!.id}`, fields);
  assert.equal(status, 200, text);
}

const statusOf = async ({ api }: OfferPlace, { id }: AssignmentRequestView) =>
  (await api.get<AssignmentRequestView>(`/assignment-requests/${id}`)).body.data.status;
const taskOf = async ({ api }: OfferPlace, { taskId }: AssignmentRequestView) =>
  (await api.get<TaskView>(`/tasks/${taskId}`)).body.data;

const UNSUITED: Readonly<Record<string, object>> = {
  'a smaller vehicle': { vehicle: { ...VAN, maxWeightKg: 14 } },
  'a vehicle for fewer pieces': { vehicle: { ...VAN, maxPackages: 1 } },
  'no skills': { skills: [] },
  'other skills': { skills: ['frail'] },
};
const STILL_SUITED: Readonly<Record<string, object>> = {
  'a smaller vehicle that carries the task': { vehicle: { ...VAN, maxWeightKg: 15 } },
  'no vehicle, which has no limits': { vehicle: null },
  'one skill less': { skills: ['cold'] },
  'another name': { name: 'Grace Hopper' },
};

for (const mode of ['broadcast', 'sequential'] as const) {
  for (const [what, fields] of Object.entries(UNSUITED)) {
    test(`an agent with ${what} loses the offer that it cannot take, and the search goes on (${mode})`, async () => {
      const place = await offerPlace(fixture, mode === 'broadcast' ? 2 : 1, { mode });
      const { agents } = place;
      for (const [index] of agents.entries()) await change(place, SUITED, index);
      const [own, others] = await place.offer(
        agents.map(({ id }) => id),
        TASK,
      );
      await change(place, fields);
      assert.equal(await statusOf(place, own!), 'cancelled');
      const late = await agents[0]!.api.post(`/assignment-requests/${own!.id}/accept`, undefined);
      assert.deepEqual([late.status, late.body.code], [409, 'ASSIGNMENT_REQUEST_CLOSED']);
      const task = await taskOf(place, own!);
      const goesOn = mode === 'sequential' ? 'searching' : 'offered';
      assert.deepEqual([task.status, task.agentId, task.autoAssignmentStatus], ['awaiting_assignment', null, goesOn]);
      if (others) return assert.equal(await statusOf(place, others), 'pending');
      const history = await place.api.get<{ items: { reasonCode: string }[] }>(`/tasks/${own!.taskId}/history`);
      assert.equal(history.body.data.items.at(-1)!.reasonCode, 'agent_unsuited');
    });
  }

  for (const [what, fields] of Object.entries(STILL_SUITED)) {
    test(`an agent with ${what} keeps its offer (${mode})`, async () => {
      const place = await offerPlace(fixture, 1, { mode });
      await change(place, SUITED);
      const [own] = await place.offer([place.agents[0]!.id], TASK);
      await change(place, fields);
      assert.equal(await statusOf(place, own!), 'pending');
      const taken = await place.agents[0]!.api.post(`/assignment-requests/${own!.id}/accept`, undefined);
      assert.equal(taken.status, 200, taken.text);
    });
  }
}

test('of two offers that a smaller vehicle cannot carry together, one stays', async () => {
  const place = await offerPlace(fixture, 1, { mode: 'sequential' });
  const agentIds = [place.agents[0]!.id];
  const heavy = { packages: [{ name: 'A box', weight: 8 }] };
  const offers = [...(await place.offer(agentIds, heavy)), ...(await place.offer(agentIds, heavy))];
  await change(place, { vehicle: { ...VAN, maxWeightKg: 10 } });
  const statuses = await Promise.all(offers.map((offer) => statusOf(place, offer)));
  assert.deepEqual(statuses.sort(), ['cancelled', 'pending']);
});

test('a vehicle that the accepted tasks fill leaves no room for an offer', async () => {
  const place = await offerPlace(fixture, 1, { mode: 'broadcast' });
  const heavy = { packages: [{ name: 'A box', weight: 8 }] };
  const [taken] = await place.offer([place.agents[0]!.id], heavy);
  assert.equal((await place.agents[0]!.api.post(`/assignment-requests/${taken!.id}/accept`, undefined)).status, 200);
  const [own] = await place.offer([place.agents[0]!.id], heavy);
  await change(place, { vehicle: { ...VAN, maxWeightKg: 15 } });
  assert.equal(await statusOf(place, own!), 'cancelled');
  assert.equal((await taskOf(place, taken!)).status, 'accepted');
});

const HEAVY = { packages: [{ name: 'A box', weight: 8 }] };
const SMALL = { vehicle: { type: 'car', maxWeightKg: 10 } };
const LIGHT = { packages: [{ name: 'A letter', weight: 1 }] };
type History = { readonly items: readonly { readonly kind: string; readonly reasonCode: string | null }[] };

/** A task on its way to an agent, beside the offers that it has. */
const COMING: Readonly<
  Record<string, (place: OfferPlace, agentId: number, taken: AssignmentRequestView) => Promise<object>>
> = {
  'an offer that it accepts': ({ agents }, _, { id }) =>
    agents[0]!.api.post(`/assignment-requests/${id}/accept`, undefined),
  'a task that staff assigns': async ({ api }, agentId) =>
    api.post(`/tasks/${(await api.createTask(HEAVY)).id}/assign`, { agentId }),
  'a task that staff assigns with others': async ({ api }, agentId) => {
    const { id } = await api.createTask(HEAVY);
    return api.post('/tasks/actions', { action: 'assign', taskIds: [id], agentId });
  },
  'a task that another agent had': async ({ api, agents }, agentId) => {
    const { id } = await api.createTask(HEAVY);
    await api.post(`/tasks/${id}/assign`, { agentId: agents[1]!.id });
    return api.post(`/tasks/${id}/reassign`, { agentId });
  },
};

for (const [what, come] of Object.entries(COMING))
  test(`a vehicle that is full with ${what} loses the offers that it cannot carry, and their searches go on`, async () => {
    const place = await offerPlace(fixture, 2, { mode: 'broadcast' });
    const { api, agents } = place;
    const [own, other] = [agents[0]!.id, agents[1]!.id];
    await change(place, SMALL);
    const [taken] = await place.offer([own], HEAVY);
    const [alone] = await place.offer([own], HEAVY);
    const [shared, others] = await place.offer([own, other], HEAVY);
    const [light] = await place.offer([own], LIGHT);
    const answer = (await come(place, own, taken!)) as { status: number; text: string };
    assert.equal(answer.status, 200, answer.text);
    const statuses = await Promise.all([alone!, shared!, others!, light!].map((offer) => statusOf(place, offer)));
    assert.deepEqual(statuses, ['cancelled', 'cancelled', 'pending', 'pending']);
    assert.equal((await taskOf(place, alone!)).autoAssignmentStatus, 'searching');
    assert.equal((await taskOf(place, shared!)).autoAssignmentStatus, 'offered');
    for (const { taskId } of [alone!, shared!]) {
      const { items } = (await api.get<History>(`/tasks/${taskId}/history`)).body.data;
      assert.equal(items.at(-1)!.reasonCode, 'agent_unsuited');
    }
  });

for (const how of ['POST', 'PATCH'] as const)
  test(`a task that becomes too heavy by ${how} is not offered to a small vehicle any more`, async () => {
    const place = await offerPlace(fixture, 2, { mode: 'broadcast' });
    await change(place, SMALL);
    const [own, others] = await place.offer(
      place.agents.map(({ id }) => id),
      HEAVY,
    );
    const [box] = HEAVY.packages;
    const path = `/tasks/${own!.taskId}`;
    const changed =
      how === 'POST'
        ? await place.api.post(`${path}/packages`, box)
        : await place.api.patch(path, { packages: [box, box] });
    assert.ok(changed.status < 300, changed.text);
    assert.deepEqual([await statusOf(place, own!), await statusOf(place, others!)], ['cancelled', 'pending']);
  });
