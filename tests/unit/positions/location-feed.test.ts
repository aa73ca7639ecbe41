import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LiveAgent } from '../../../engine/positions/live-agent.ts';
import { LocationFeed, type LocationFilter } from '../../../engine/positions/location-feed.ts';
import { createLog } from '../../../engine/runtime/log.ts';
import { LIMITS } from '../../../schema/limits.ts';

const NOON = Date.UTC(2026, 10, 21, 12);

function agentAt(agentId: number, latitude: number, longitude = 13.4): LiveAgent {
  return Object.assign(new LiveAgent(agentId), { latitude, longitude, recordedAtMs: NOON, receivedAtMs: NOON });
}

function openFeed(scheduler = { soon: (task: () => void) => task() }): LocationFeed {
  return new LocationFeed({ scheduler, log: createLog('test', 'silent') });
}

function listen(feed: LocationFeed, filter: LocationFilter = {}) {
  const frames: Buffer[] = [];
  const state = { isReady: true };
  const stop = feed.subscribe(1, filter, { isReady: () => state.isReady, onFrame: (frame) => frames.push(frame) });
  const told = () => frames.splice(0).map((frame) => idsOf(frame));
  return { frames, state, stop, told };
}

function idsOf(frame: Buffer): number[] {
  const [, json] = /^event: agent\.locations_updated\ndata: (.*)\n\n$/.exec(frame.toString())!;
  const { data } = JSON.parse(json!) as { data: { items: { agentId: number }[]; count: number } };
  assert.equal(data.count, data.items.length);
  return data.items.map(({ agentId }) => agentId);
}

test('all who ask for the same get the same bytes', () => {
  const feed = openFeed();
  const [one, other] = [listen(feed, { agentIds: [2, 1] }), listen(feed, { agentIds: [1, 2, 2] })];
  feed.tell(1, [agentAt(1, 52), agentAt(2, 52), agentAt(3, 52)], NOON);
  assert.equal(one.frames[0], other.frames[0]);
  assert.deepEqual(one.told(), [[2, 1]]);
});

test('no listener gets an empty message, or one of another organization', () => {
  const feed = openFeed();
  const { told } = listen(feed, { agentIds: [9] });
  feed.tell(1, [agentAt(1, 52)], NOON);
  feed.tell(2, [agentAt(9, 52)], NOON);
  assert.deepEqual(told(), []);
});

test('a slow listener gets, once it is ready, every agent that moved in the meantime, at its newest position', () => {
  const feed = openFeed();
  const { state, told, frames } = listen(feed);
  const [one, two] = [agentAt(1, 52), agentAt(2, 52)];
  state.isReady = false;
  feed.tell(1, [one], NOON);
  feed.tell(1, [two], NOON + 1_000);
  one.latitude = 52.1;
  feed.tell(1, [one], NOON + 2_000);
  assert.equal(frames.length, 0);
  state.isReady = true;
  feed.tell(1, [], NOON + 3_000);
  assert.match(frames[0]!.toString(), /"agentId":1,"latitude":52\.1,/);
  assert.deepEqual(told(), [[1, 2]]);
  feed.tell(1, [two], NOON + 4_000);
  assert.deepEqual(told(), [[2]]);
});

test('a box shows the agents in it, and each agent that leaves once more', () => {
  const feed = openFeed();
  const { told } = listen(feed, { bbox: { west: 13, south: 52, east: 14, north: 53 } });
  const agent = agentAt(1, 52.5);
  feed.tell(1, [agent], NOON);
  agent.latitude = 53.5;
  feed.tell(1, [agent], NOON);
  agent.latitude = 53.6;
  feed.tell(1, [agent], NOON);
  assert.deepEqual(told(), [[1], [1]]);
});

test('the listeners of tasks see the agents that have them open', () => {
  const feed = openFeed();
  const { told } = listen(feed, { taskIds: [7] });
  const agent = agentAt(1, 52);
  feed.tell(1, [agent], NOON);
  const where = { latitude: 1, longitude: 1, assignedAt: null, arrivedAt: null, etaAt: null };
  agent.openTasks.set(7, { taskId: 7, status: 'in_transit', ...where });
  feed.tell(1, [agent, agentAt(2, 52)], NOON);
  assert.deepEqual(told(), [[1]]);
});

test('a listener that has left gets nothing', () => {
  const feed = openFeed();
  const { stop, told } = listen(feed);
  assert.equal(feed.hasSubscribers(1), true);
  stop();
  assert.equal(feed.hasSubscribers(1), false);
  feed.tell(1, [agentAt(1, 52)], NOON);
  assert.deepEqual(told(), []);
});

/** More than one step encodes, with turns that come by hand. */
function openLargeFeed() {
  const turns: (() => void)[] = [];
  const feed = openFeed({ soon: (task) => turns.push(task) });
  const agents = Array.from({ length: LIMITS.positionsEncodedPerStep + 1 }, (_, index) => agentAt(index + 1, 52.5));
  const nextTurn = async () => {
    for (const task of turns.splice(0)) task();
    await Promise.resolve();
  };
  return { feed, agents, nextTurn };
}

test('many listeners get one frame, and other work has turns before it', async () => {
  const { feed, agents, nextTurn } = openLargeFeed();
  const { told } = listen(feed);
  feed.tell(1, agents, NOON);
  assert.deepEqual(told(), []);
  await nextTurn();
  assert.deepEqual(told(), [agents.map(({ agentId }) => agentId)]);
});

test('many streams are served in parts, each if it is ready by then, with turns for other work in between', async () => {
  const turns: (() => void)[] = [];
  const feed = openFeed({ soon: (task) => turns.push(task) });
  const nextTurn = async () => {
    for (const task of turns.splice(0)) task();
    await Promise.resolve();
  };
  const listeners = Array.from({ length: 2 * LIMITS.streamsPerStep }, () => listen(feed));
  const [behind, late] = listeners.slice(-2);
  behind!.state.isReady = false;
  const [one, two] = [agentAt(1, 52), agentAt(2, 52)];
  feed.tell(1, [one], NOON);
  assert.equal(listeners.filter(({ frames }) => frames.length > 0).length, LIMITS.streamsPerStep);
  late!.state.isReady = false;
  await nextTurn();
  assert.equal(listeners.filter(({ frames }) => frames.length > 0).length, 2 * LIMITS.streamsPerStep - 2);
  await nextTurn();
  for (const { state } of [behind!, late!]) state.isReady = true;
  feed.tell(1, [two], NOON + 1_000);
  await nextTurn();
  late!.state.isReady = false;
  await nextTurn();
  assert.deepEqual([behind!.told(), late!.told()], [[[2, 1]], []], 'it has become slow in the last moment');
  late!.state.isReady = true;
  feed.tell(1, [], NOON + 2_000);
  await nextTurn();
  await nextTurn();
  assert.deepEqual([behind!.told(), late!.told()], [[], [[1, 2]]]);
});

test('an agent that moves while streams are served is sent with the next tick', async () => {
  const { feed, agents, nextTurn } = openLargeFeed();
  const { told } = listen(feed);
  feed.tell(1, agents, NOON);
  feed.tell(1, [agentAt(-1, 52.5)], NOON + 1_000);
  await nextTurn();
  assert.equal(told().flat().length, agents.length);
  feed.tell(1, [agentAt(-2, 52.5)], NOON + 2_000);
  assert.deepEqual(told(), [[-1, -2]]);
});

test('an agent that leaves a box while its streams are served is sent once more', async () => {
  const { feed, agents, nextTurn } = openLargeFeed();
  const box = listen(feed, { bbox: { west: 13, south: 52, east: 14, north: 53 } });
  const last = agents.at(-1)!;
  feed.tell(1, agents, NOON);
  last.latitude = 53.5;
  await nextTurn();
  assert.equal(box.told().flat().length, agents.length);
  feed.tell(1, [last], NOON + 1_000);
  assert.deepEqual(box.told(), [[last.agentId]]);
});
