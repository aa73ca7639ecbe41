import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LiveAgent } from '../../../engine/positions/live-agent.ts';
import type { LocationFilter } from '../../../engine/positions/location-audience.ts';
import { LocationFeed } from '../../../engine/positions/location-feed.ts';
import { createLog } from '../../../engine/runtime/log.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { openTaskOf } from '../../support/services/open-task.ts';

const NOON = Date.UTC(2026, 10, 21, 12);

function agentAt(agentId: number, latitude: number, longitude = 13.4): LiveAgent {
  return Object.assign(new LiveAgent(agentId), { latitude, longitude, recordedAtMs: NOON, receivedAtMs: NOON });
}

/** Its time passes only as it is looked at, 1 ms each: a turn of the loop has `streamTurnMs` pieces of work. */
function openFeed(scheduler = { soon: (task: () => void) => task() }): LocationFeed {
  let now = 0;
  const clock = { now: () => NOON, monotonic: () => now++ };
  return new LocationFeed({ clock, scheduler, log: createLog('test', 'silent') });
}

function listen(feed: LocationFeed, filter: LocationFilter = {}) {
  const frames: (readonly Buffer[])[] = [];
  const state = { isReady: true };
  const stop = feed.subscribe(1, filter, { isReady: () => state.isReady, onFrame: (pieces) => frames.push(pieces) });
  const told = () => frames.splice(0).map((pieces) => idsOf(Buffer.concat(pieces)));
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
  assert.equal(one.frames[0]![0], other.frames[0]![0]);
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
  assert.match(frames[0]!.join(''), /"agentId":1,"latitude":52\.1,/);
  assert.deepEqual(told(), [[2, 1]], 'in the order of their last moves');
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
  agent.openTasks.set(7, openTaskOf({ taskId: 7, latitude: 1, longitude: 1 }));
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

/** A feed with turns that come by hand, and more agents than are encoded in one. */
function openLargeFeed() {
  const turns: (() => void)[] = [];
  const feed = openFeed({ soon: (task) => turns.push(task) });
  const pieces = 2 * LIMITS.streamTurnMs;
  const agents = Array.from({ length: pieces * LIMITS.positionsEncodedPerStep }, (_, index) =>
    agentAt(index + 1, 52.5),
  );
  const nextTurn = async () => {
    for (const task of turns.splice(0)) task();
    for (let step = 0; step < 100; step++) await Promise.resolve();
  };
  const finish = async () => {
    while (turns.length > 0) await nextTurn();
  };
  return { feed, agents, nextTurn, finish };
}

test('many agents are encoded in parts, with turns for other work in between', async () => {
  const { feed, agents, nextTurn, finish } = openLargeFeed();
  const { told } = listen(feed);
  feed.tell(1, agents, NOON);
  await nextTurn();
  assert.deepEqual(told(), []);
  await finish();
  assert.deepEqual(told(), [agents.map(({ agentId }) => agentId)]);
});

test('many streams are served in parts, each if it is ready by then, with turns for other work in between', async () => {
  const { feed, nextTurn, finish } = openLargeFeed();
  const listeners = Array.from({ length: 100 }, () => listen(feed));
  const served = () => listeners.filter(({ frames }) => frames.length > 0).length;
  const [behind, late] = listeners.slice(-2);
  behind!.state.isReady = false;
  const [one, two] = [agentAt(1, 52), agentAt(2, 52)];
  feed.tell(1, [one], NOON);
  const first = served();
  assert.ok(first > 0 && first <= LIMITS.streamTurnMs, `${first} in the first turn`);
  await nextTurn();
  assert.ok(served() > first && served() <= 3 * LIMITS.streamTurnMs, `${served()} after the second`);
  late!.state.isReady = false;
  await finish();
  assert.equal(served(), 98);
  behind!.state.isReady = true;
  feed.tell(1, [two], NOON + 1_000);
  await finish();
  assert.deepEqual([behind!.told(), late!.told()], [[[2, 1]], []]);
  late!.state.isReady = true;
  feed.tell(1, [], NOON + 2_000);
  await finish();
  assert.deepEqual([behind!.told(), late!.told()], [[], [[1, 2]]]);
});

test('a listener that becomes slow in the last moment misses nothing', () => {
  const feed = openFeed();
  const answers = [false, true, false];
  const told: number[][] = [];
  const onFrame = (pieces: readonly Buffer[]) => told.push(idsOf(Buffer.concat(pieces)));
  feed.subscribe(1, {}, { isReady: () => answers.shift() ?? true, onFrame });
  feed.tell(1, [agentAt(1, 52)], NOON);
  feed.tell(1, [agentAt(2, 52)], NOON + 1_000);
  assert.deepEqual([told, answers], [[], []], 'it was asked again before it was given the message');
  feed.tell(1, [], NOON + 2_000);
  assert.deepEqual(told, [[1, 2]]);
});

test('an agent that moves while streams are served is sent with the next tick', async () => {
  const { feed, agents, finish } = openLargeFeed();
  const { told } = listen(feed);
  feed.tell(1, agents, NOON);
  feed.tell(1, [agentAt(-1, 52.5)], NOON + 1_000);
  await finish();
  assert.equal(told().flat().length, agents.length);
  feed.tell(1, [agentAt(-2, 52.5)], NOON + 2_000);
  await finish();
  assert.deepEqual(told(), [[-1, -2]]);
});

test('an agent that leaves a box while its streams are served is sent once more', async () => {
  const { feed, agents, finish } = openLargeFeed();
  const box = listen(feed, { bbox: { west: 13, south: 52, east: 14, north: 53 } });
  const last = agents.at(-1)!;
  feed.tell(1, agents, NOON);
  last.latitude = 53.5;
  await finish();
  assert.equal(box.told().flat().length, agents.length);
  feed.tell(1, [last], NOON + 1_000);
  await finish();
  assert.deepEqual(box.told(), [[last.agentId]]);
});
