import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LocationFeed } from '../../../engine/positions/location-feed.ts';
import { OrgPositions } from '../../../engine/positions/org-positions.ts';
import { createLog } from '../../../engine/runtime/log.ts';
import type { Point } from '../../../schema/fleet/position.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { openTaskOf } from '../../support/services/open-task.ts';

const SEED = 20_261_122;

const NOON = Date.UTC(2026, 10, 21, 12);
const UNSAID = Number.NaN;

function point(recordedAtMs: number, latitude = 52.5, longitude = 13.4): Point {
  const rest = { accuracy: UNSAID, speed: UNSAID, heading: UNSAID, altitude: UNSAID, battery: UNSAID };
  return { latitude, longitude, recordedAtMs, ...rest };
}

function place() {
  const trail: { readonly agentId: number; readonly point: Point }[] = [];
  const positions = new OrgPositions(1, (_organizationId, agentId, noted) => trail.push({ agentId, point: noted }));
  return { positions, trail, agent: positions.agentOf(7) };
}

test("the first point is the agent's position, and listeners get one message for all points of a tick", () => {
  const { positions, agent } = place();
  assert.equal(agent.isSomewhere, false);
  assert.equal(positions.take(agent, point(NOON), NOON), 'accepted');
  assert.equal(positions.take(agent, point(NOON + 1_000), NOON + 1_000), 'accepted');
  assert.equal(agent.recordedAtMs, NOON + 1_000);
  assert.deepEqual(positions.takeDirty(), [agent]);
  assert.deepEqual(positions.takeDirty(), []);
});

test('points that are late, from the future or nowhere move no agent, and only late ones are in the trail', () => {
  const { positions, agent, trail } = place();
  positions.take(agent, point(NOON), NOON);
  assert.equal(positions.take(agent, point(NOON - 5_000), NOON), 'stale');
  assert.equal(positions.take(agent, point(NOON), NOON), 'stale');
  assert.equal(positions.take(agent, point(NOON + LIMITS.pointFutureMs + 1), NOON), 'rejected');
  assert.equal(positions.take(agent, point(NOON + 2_000, 0, 0), NOON + 2_000), 'rejected');
  assert.equal(agent.recordedAtMs, NOON);
  assert.deepEqual([...new Set(trail.map(({ point: { recordedAtMs } }) => recordedAtMs - NOON))], [0, -5_000]);
});

test('a position that a fast clock has left in the future does not hold the agent there', () => {
  const { positions, agent } = place();
  const hour = 3_600_000;
  positions.take(agent, point(NOON + hour), NOON + hour);
  assert.equal(positions.take(agent, point(NOON, 52.6), NOON), 'accepted');
  assert.equal(agent.latitude, 52.6);
});

test('an agent may send so many points a second, and what it saved up', () => {
  const { positions, agent } = place();
  const count = (outcome: string, points: number, nowMs: number) => {
    let found = 0;
    for (let index = 0; index < points; index++)
      if (positions.take(agent, point(nowMs - points + index), nowMs) === outcome) found += 1;
    return found;
  };
  assert.equal(positions.mayTake(agent, LIMITS.pointBurst, NOON), true);
  assert.equal(count('accepted', LIMITS.pointBurst, NOON), LIMITS.pointBurst);
  assert.equal(positions.mayTake(agent, 1, NOON), false);
  assert.equal(count('rejected', 10, NOON), 10);
  assert.equal(count('rejected', LIMITS.pointsPerAgentPerSecond + 10, NOON + 1_000), 10, 'a second later');
});

test('of a second the trail gets what may be its earliest point', () => {
  const { positions, agent, trail } = place();
  for (const ms of [500, 700, 900, 400, 450, 1_200]) positions.take(agent, point(NOON + ms), NOON + 2_000);
  assert.deepEqual(
    trail.map(({ point: { recordedAtMs } }) => recordedAtMs - NOON),
    [500, 400, 1_200],
  );
});

/** A track as a device records it, a point every so often, with jumps as they come of tunnels and bad receivers. */
const track = fc.array(fc.integer({ min: 1, max: 4_000 }), { minLength: 2, maxLength: 40 }).map((pauses) => {
  let at = NOON;
  return pauses.map((pause, index) => {
    at += pause;
    return point(at, 52.5 + index * 0.00001, 13.4 + index * 0.00002);
  });
});

test('a track ends in the same position however its points are shuffled, doubled and delayed', () => {
  const delivery = track.chain((points) =>
    fc.tuple(
      fc.constant(points),
      fc.shuffledSubarray([...points, ...points], { minLength: points.length * 2, maxLength: points.length * 2 }),
    ),
  );
  fc.assert(
    fc.property(delivery, ([points, delivered]) => {
      const [ordered, shuffled] = [place(), place()];
      const nowMs = points.at(-1)!.recordedAtMs;
      for (const one of points) ordered.positions.take(ordered.agent, one, nowMs);
      for (const one of delivered) shuffled.positions.take(shuffled.agent, one, nowMs);
      const whereabouts = ({ agent: { latitude, longitude, recordedAtMs } }: ReturnType<typeof place>) => [
        latitude,
        longitude,
        recordedAtMs,
      ];
      assert.deepEqual(whereabouts(shuffled), whereabouts(ordered));
      assert.deepEqual(trailOf(shuffled), trailOf(ordered));
    }),
    { seed: SEED },
  );
});

/** The trail as readers have it: the earliest point of each second. */
function trailOf({ trail }: ReturnType<typeof place>): readonly number[] {
  const earliest = new Map<number, number>();
  for (const { point: noted } of trail) {
    const second = Math.floor(noted.recordedAtMs / 1_000);
    earliest.set(second, Math.min(earliest.get(second) ?? Number.POSITIVE_INFINITY, noted.recordedAtMs));
  }
  return [...earliest.values()].sort((a, b) => a - b);
}

test('positions from Redis are merged: an agent that has moved in the meantime stays where it is', () => {
  const { positions, agent } = place();
  positions.take(agent, point(NOON), NOON);
  const kept = (agentId: number, recordedAtMs: number) => ({
    agentId,
    receivedAtMs: recordedAtMs,
    heardAtMs: 0,
    ...point(recordedAtMs, 1, 1),
  });
  positions.restore([kept(7, NOON - 1), kept(8, NOON - 60_000)]);
  assert.equal(agent.latitude, 52.5);
  assert.equal(positions.agents.get(8)?.latitude, 1);
  assert.deepEqual(positions.takeDirty(), [agent], 'what was restored is news to nobody');
});

test('an agent whose place came from Redis is sent once more when it leaves a box', () => {
  const clock = { now: () => NOON, monotonic: () => 0 };
  const scheduler = { soon: (task: () => void) => task() };
  for (const isPointFirst of [false, true])
    for (const filter of [{}, { agentIds: [7] }]) {
      const { positions, agent } = place();
      const kept = { agentId: 7, receivedAtMs: NOON - 1, heardAtMs: 0, ...point(NOON - 1) };
      const steps = [() => positions.restore([kept]), () => positions.take(agent, point(NOON, 53.5), NOON)];
      for (const step of isPointFirst ? steps.reverse() : steps) step();
      const feed = new LocationFeed({ clock, scheduler, log: createLog('test', 'silent') });
      let frames = 0;
      const listener = { isReady: () => true, onFrame: () => (frames += 1) };
      feed.subscribe(1, { ...filter, bbox: { west: 13, south: 52, east: 14, north: 53 } }, listener);
      for (const latitude of [53.5, 53.6]) {
        positions.take(agent, point(agent.recordedAtMs + 1, latitude), NOON);
        feed.tell(1, positions.takeDirty(), NOON);
        assert.equal(frames, 1, `the point came ${isPointFirst ? 'before' : 'after'} the place, at ${latitude}`);
      }
    }
});

test('a report from before the merge with Redis still counts', () => {
  const { positions, agent } = place();
  positions.hear(agent, 41, NOON);
  assert.deepEqual(positions.takeDirty(), [], 'it is nowhere yet');
  const kept = { agentId: 7, receivedAtMs: NOON - 600_000, heardAtMs: 0, ...point(NOON - 600_000, 1, 1), battery: 55 };
  positions.restore([kept]);
  assert.deepEqual([agent.latitude, agent.recordedAtMs], [1, NOON - 600_000]);
  assert.deepEqual([agent.heardAtMs, agent.receivedAtMs, agent.battery], [NOON, NOON, 41]);
  assert.deepEqual(positions.takeDirty(), [agent], 'streams and Redis are to hear of it');
});

test('agents with open tasks are to be predicted when their place becomes known, or their tasks do', () => {
  const kept = { agentId: 9, receivedAtMs: NOON, heardAtMs: 0, ...point(NOON, 1, 1) };
  const task = openTaskOf({ taskId: 3, latitude: 1, longitude: 2 });
  const row = { agentId: 9, isActive: true, onDuty: true, vehicleType: 'bike', shifts: null, openTasks: [task] };
  const idle = { ...row, agentId: 7, openTasks: [] };
  for (const isPlaceFirst of [true, false]) {
    const { positions } = place();
    const learn = [() => positions.restore([kept]), () => positions.setRoster([row, idle], 5)];
    for (const step of isPlaceFirst ? learn : learn.reverse()) {
      positions.replanned.clear();
      step();
    }
    assert.deepEqual([...positions.replanned], [positions.agents.get(9)]);
    positions.replanned.clear();
    positions.restore([kept]);
    positions.setRoster([row, idle], 6);
    assert.equal(positions.replanned.size, 0, 'nothing is new');
    positions.setRoster([{ ...row, openTasks: [{ ...task, arrivedAt: '2031-05-01T12:00:00.000Z' }] }, idle], 7);
    assert.equal(positions.replanned.size, 1);
    positions.replanned.clear();
    const shifts = [{ startsAt: '2031-05-01T08:00:00.000Z', endsAt: '2031-05-01T16:00:00.000Z', breaks: [] }];
    for (const isNew of [true, false]) {
      positions.setRoster([{ ...row, openTasks: [...positions.agents.get(9)!.openTasks.values()], shifts }, idle], 7);
      assert.equal(positions.replanned.size, Number(isNew), 'it has shifts');
      positions.replanned.clear();
    }
    positions.setRoster([{ ...row, openTasks: [] }, idle], 8);
    assert.equal(positions.replanned.size, 0, 'it has nothing to come to');
  }
});

test('agents whom the roster does not name leave, and those whom it names have its tasks', () => {
  const { positions } = place();
  const task = openTaskOf({ taskId: 3, latitude: 1, longitude: 2 });
  positions.setRoster(
    [{ agentId: 9, isActive: true, onDuty: true, vehicleType: 'bike', shifts: null, openTasks: [task] }],
    5,
  );
  assert.deepEqual([...positions.agents.keys()], [9]);
  assert.equal(positions.agents.get(9)?.activeTaskId, 3);
  assert.equal(positions.hasRoster, true);
});
