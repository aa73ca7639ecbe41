import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ListedRating, RatingPageView } from '../../../schema/tasks/rating.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { clientOfAgent, createAgent } from '../agents/agent-place.ts';
import { useGateway } from '../api-fixture.ts';
import { type TrackingPlace, tokenOf, trackingPlace } from '../tracking/tracking-place.ts';

/** Five tasks of two agents, in turn; all but the fourth are rated, the last one first. */
const SCORES = [5, 4, 3, undefined, 1] as const;

let place: TrackingPlace;
let other: TrackingPlace;
let otherAgentId: number;
const tasks: TaskView[] = [];
/** Newest first. */
let all: readonly ListedRating[];

const fixture = useGateway({}, async (ready) => {
  [place, other] = [await trackingPlace(ready), await trackingPlace(ready)];
  otherAgentId = (await createAgent(place.api, { name: 'Second Agent' })).id;
  await rate(other, await complete(other, other.agent.id), 2, null);
  for (const index of SCORES.keys()) tasks.push(await complete(place, index % 2 === 0 ? place.agent.id : otherAgentId));
  for (const index of [4, 2, 1, 0]) await rate(place, tasks[index]!, SCORES[index]!, `It was ${SCORES[index]}`);
  ({ items: all } = await list());
});

async function complete({ api, step }: TrackingPlace, agentId: number) {
  const task = await api.createTask();
  assert.equal((await api.post(`/tasks/${task.id}/assign`, { agentId })).status, 200);
  for (const status of ['accepted', 'in_transit', 'completed']) await step(task.id, status);
  return task;
}

async function rate(at: TrackingPlace, task: TaskView, score: number, comment: string | null) {
  assert.equal((await at.rate(task.id, tokenOf(task), { score, comment })).status, 201);
}

async function list(query = '', api = place.api): Promise<RatingPageView> {
  const { status, body, text } = await api.get<RatingPageView>(`/ratings${query}`);
  assert.equal(status, 200, text);
  return body.data;
}

const scoresOf = ({ items }: RatingPageView) => items.map(({ score }) => score);

test('ratings are listed newest first, as the tasks show them, and those of no other organization', async () => {
  const { items, count, nextCursor } = await list();
  assert.deepEqual(
    [items.map(({ taskId }) => taskId), count, nextCursor],
    [[0, 1, 2, 4].map((at) => tasks[at]!.id), 4, null],
  );
  for (const { taskId, agentId, customerId, ...rating } of items) {
    const task = (await place.api.get(`/tasks/${taskId}`)).body.data as never as Record<string, unknown>;
    assert.deepEqual([rating, agentId, customerId], [task['rating'], task['agentId'], task['customerId']]);
  }
  assert.deepEqual(scoresOf(await list('', other.api)), [2]);
});

test('a filter keeps the ratings that match every part of it', async () => {
  const { id: one } = place.agent;
  const [newest, second, , oldest] = all;
  for (const [query, scores] of [
    [`?agentId=${one}`, [5, 3, 1]],
    [`?agentId=${otherAgentId}`, [4]],
    [`?agentId=${one},${otherAgentId}`, [5, 4, 3, 1]],
    [`?agentId=${one}&agentId=${one}`, [5, 3, 1]],
    ['?agentId=', [5, 4, 3, 1]],
    ['?agentId=,', [5, 4, 3, 1]],
    [`?agentId=${other.agent.id}`, []],
    ['?agentId=999999999', []],
    [`?from=${second!.ratedAt}`, [5, 4]],
    [`?to=${second!.ratedAt}`, [4, 3, 1]],
    [`?from=${oldest!.ratedAt}&to=${second!.ratedAt}&agentId=${one}`, [3, 1]],
    [`?from=${newest!.ratedAt}&to=${oldest!.ratedAt}`, []],
    [`?from=${encodeURIComponent(new Date(Date.parse(second!.ratedAt)).toISOString().replace('Z', '+00:00'))}`, [5, 4]],
  ] as const) {
    const found = await list(query);
    assert.deepEqual([scoresOf(found), found.count], [scores, scores.length], query);
  }
});

test('pages and cursors lead through the whole list, and the count is that of all', async () => {
  const filter = `agentId=${place.agent.id},${otherAgentId}`;
  for (const query of ['', filter]) {
    const [first, second] = [await list(`?${query}&limit=3`), await list(`?${query}&limit=3&page=2`)];
    assert.deepEqual([scoresOf(first), scoresOf(second)], [[5, 4, 3], [1]]);
    assert.deepEqual([first.count, second.count, second.nextCursor], [4, 4, null]);
    assert.deepEqual(await list(`?${query}&limit=3&cursor=${first.nextCursor}`), second);
    assert.deepEqual(scoresOf(await list(`?${query}&page=9007199254740991&limit=100`)), []);
    assert.deepEqual((await list(`?${query}&limit=4`)).nextCursor, null, 'nothing is behind it');
  }
});

test('wrong parameters are refused together, each by its name', async () => {
  const { nextCursor } = await list('?limit=1');
  for (const [query, messages] of [
    ['?agentId=x', ['agentId.0 must be a positive integer']],
    ['?agentId=0', ['agentId.0 must be a positive integer']],
    [`?agentId=${Array.from({ length: 101 }, (_, index) => index + 1)}`, ['agentId must hold at most 100 items']],
    ['?from=yesterday', ['from must be an ISO 8601 date-time with a zone or offset']],
    ['?to=2030-01-01T00:00:00', ['to must be an ISO 8601 date-time with a zone or offset']],
    ['?from=2030-01-01T00:00:00Z&from=2030-01-01T00:00:00Z', ['from must be given once']],
    ['?limit=101', ['limit must be an integer between 1 and 100']],
    ['?limit=0&page=0', ['page must be an integer of 1 or more', 'limit must be an integer between 1 and 100']],
    ['?cursor=x', ['cursor must be the nextCursor of a list of ratings with the same filters']],
    [`?cursor=${nextCursor}&page=1`, ['cursor must not be given together with page']],
    [
      `?cursor=${Buffer.from('["2030-01-01",1]').toString('base64url')}`,
      ['cursor must be the nextCursor of a list of ratings with the same filters'],
    ],
  ] as const) {
    const { status, body } = await place.api.get(`/ratings${query}`);
    assert.deepEqual([status, body.message], [400, messages], query);
  }
});

test('an agent sees the ratings of its own tasks only', async () => {
  const { organizationId, agent } = place;
  const own = await clientOfAgent(fixture, organizationId, agent);
  assert.deepEqual(scoresOf(await list('', own)), [5, 3, 1]);
  assert.deepEqual((await list('', own)).count, 3);
  assert.deepEqual(scoresOf(await list(`?agentId=${otherAgentId},${agent.id}`, own)), [5, 3, 1]);
  const none = await list(`?agentId=${otherAgentId}`, own);
  assert.deepEqual([none.items, none.count], [[], 0]);
});
