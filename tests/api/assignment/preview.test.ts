import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { PreviewView } from '../../../schema/assignment/preview.ts';
import { roadSeconds, startStandInEngine } from '../../integration/travel/stand-in-routing-engine.ts';
import { taskInput } from '../../support/api-client.ts';
import { at } from '../../support/services/town.ts';
import { until } from '../../support/until.ts';
import { useGateway } from '../api-fixture.ts';
import { type OfferPlace, offerPlace } from './offer-place.ts';

const [WEST, EAST] = [at(-4_000, 0), at(4_000, 0)];

let place: OfferPlace;
/** Ten metres a second on roads that are half as long again as the straight line. */
const roads = await startStandInEngine();
after(() => roads.close());

useGateway({ environment: { ROUTING_URL: roads.url } }, async (fixture) => {
  place = await offerPlace(fixture, 2);
  for (const [index, agent] of place.agents.entries()) {
    const points = [{ ...[WEST, EAST][index]!, recordedAt: new Date().toISOString() }];
    const told = await agent.api.post('/agents/me/locations', { points });
    assert.equal(told.status, 202, told.text);
  }
  const taskIds = [(await taskAt(at(3_500, 0))).id, (await taskAt(at(-3_500, 0))).id];
  await until('rounds know where both agents are', async () => {
    const { body } = await preview({ taskIds });
    return body.data.offers.length === 2;
  });
  for (const id of taskIds) await place.api.put(`/tasks/${id}/status`, { status: 'cancelled' });
});

const preview = (body: object = {}) => place.api.post<PreviewView>('/dispatch/preview', body);
const taskAt = (location: object, fields: object = {}) =>
  place.api.createTask({ location: { address: 'Somewhere', ...location }, ...fields });

test('shows who would be asked for what, and does nothing', async () => {
  const one = await taskAt(at(3_500, 0), { autoAssign: true });
  const other = await taskAt(at(-3_000, 0), { autoAssign: true });
  const { status, body, text } = await preview();
  assert.equal(status, 200, text);
  const { offers, unplanned, isPartial } = body.data;
  assert.deepEqual(
    new Map(offers.map(({ agentId, taskIds }) => [agentId, taskIds])),
    new Map([
      [place.agents[0]!.id, [other.id]],
      [place.agents[1]!.id, [one.id]],
    ]),
  );
  assert.deepEqual(unplanned, []);
  assert.equal(isPartial, false);
  const near = offers.find(({ agentId }) => agentId === place.agents[1]!.id)!;
  assert.ok(Math.abs(near.distanceM - 500) < 5, `${near.distanceM} m`);
  for (const { id } of [one, other]) {
    const task = (await place.api.get<{ status: string; autoAssignmentStatus: string }>(`/tasks/${id}`)).body.data;
    assert.deepEqual([task.status, task.autoAssignmentStatus], ['new', 'pending']);
    const requests = await place.api.get<{ count: number }>(`/assignment-requests?taskId=${id}`);
    assert.equal(requests.body.data.count, 0);
    await place.api.put(`/tasks/${id}/status`, { status: 'cancelled' });
  }
});

test('follows the roads that the routing engine knows', async () => {
  const far = at(16_000, 0);
  const { id } = await taskAt(far);
  // Half an hour on its roads, and by the straight line at the speed of a car nine minutes more.
  const byRoad = roadSeconds(EAST, far);
  // The engine has a moment to answer in; what comes later serves the next preview.
  await until('the way is known', async () => {
    const { body } = await preview({ taskIds: [id] });
    const seconds = body.data.offers[0]!.etaSeconds[0]!;
    return seconds >= byRoad && seconds < byRoad + 300;
  });
  assert.ok(roads.tables.length > 0);
});

test('shows no time after the last that can be shown', async () => {
  const { id } = await taskAt(at(3_500, 0));
  const last = '9999-12-31T23:59:59.999Z';
  const { offers, at: shownAt } = (await preview({ taskIds: [id], at: last })).body.data;
  assert.equal(shownAt, last);
  assert.deepEqual(
    offers.flatMap(({ stops }) => stops.map(({ arrivesAt }) => arrivesAt)),
    [last],
  );
});

test('says why nobody would be asked', async () => {
  const { id } = await taskAt(at(0, 0), { requiredSkills: ['juggling'] });
  const { offers, unplanned } = (await preview({ taskIds: [id] })).body.data;
  assert.deepEqual(offers, []);
  const [left] = unplanned;
  assert.equal(left!.taskId, id);
  assert.equal(left!.reason, 'no_eligible_agents');
  assert.deepEqual(left!.counts, { skills: 2 });
  assert.deepEqual(new Set(left!.nearest.map(({ reason }) => reason)), new Set(['skills']));
});

test('can be of a later time, and is never of an earlier one', async () => {
  const { id } = await taskAt(at(0, 0));
  const later = new Date(Date.now() + 3_600_000).toISOString();
  const planned = (await preview({ taskIds: [id], at: later })).body.data;
  assert.equal(planned.at, later);
  assert.equal(planned.offers.length, 1);
  const past = (await preview({ taskIds: [id], at: '2020-01-01T00:00:00Z' })).body.data;
  assert.ok(Date.parse(past.at) > Date.now() - 60_000);
});

test('takes the body for nothing more than a question: none at all is one, too', async () => {
  const { status } = await place.api.post('/dispatch/preview', undefined);
  assert.equal(status, 200);
});

test('refuses tasks that are not there, and those that nobody can be looked for', async () => {
  const unknown = await preview({ taskIds: [999_000_111] });
  assert.equal(unknown.status, 404);
  const done = await taskAt(at(0, 0));
  await place.api.put(`/tasks/${done.id}/status`, { status: 'cancelled' });
  const refused = await preview({ taskIds: [done.id] });
  assert.deepEqual([refused.status, codeOf(refused)], [409, 'INVALID_STATUS_TRANSITION']);
  const job = await place.api.createTask({ children: [taskInput()] });
  const ofJob = await preview({ taskIds: [job.id] });
  assert.deepEqual([ofJob.status, codeOf(ofJob)], [409, 'STATUS_DERIVED']);
  const both = await preview({ taskIds: [job.id, 999_000_111] });
  assert.equal(both.status, 404, 'what is missing comes before what is refused');
});

test('refuses lists that are none, and times that are none, at once', async () => {
  const { status, body } = await preview({ taskIds: [], at: 'soon' });
  assert.equal(status, 400);
  const { message } = body as unknown as { readonly message: readonly string[] };
  assert.deepEqual(message, ['taskIds must not be empty', 'at must be an ISO 8601 date-time with a zone or offset']);
  assert.equal((await preview({ taskIds: Array.from({ length: 501 }, (_, index) => index + 1) })).status, 400);
});

function codeOf({ body }: { readonly body: unknown }): unknown {
  return (body as { readonly code?: unknown }).code;
}
