import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LiveAgent } from '../../../engine/positions/live-agent.ts';
import type { OpenTask } from '../../../engine/store/positions/roster-store.ts';
import { LIMITS } from '../../../schema/limits.ts';
import {
  agentWith,
  DEGREES_PER_METER,
  OK,
  ORGANIZATION,
  openTask,
  PLACE,
  refusedWith,
  Scene,
  START,
} from './watch-scene.ts';

const STANDING = { speed: 0 };
/** Its ETA has just been sent: the watch asks only for arrivals. */
const toldOf = (fields: Partial<OpenTask> = {}) => openTask({ etaAt: '2031-05-01T12:00:00.000Z', ...fields });

describe('arrivals', () => {
  test('arrivals are sent once, with the place and time of the agent', async () => {
    const [scene, agent] = [new Scene(), agentWith(toldOf())];
    scene.tick(agent, 20, STANDING);
    const { organizationId, command, answer } = scene.last();
    assert.equal(organizationId, ORGANIZATION);
    assert.ok(command.kind === 'note-arrival');
    assert.deepEqual([command.taskId, command.agentId, command.at], [10, 7, '2031-05-01T12:00:01.000Z']);
    assert.ok(Math.abs(command.latitude - PLACE.latitude - 20 * DEGREES_PER_METER) < 1e-9);
    assert.deepEqual([command.caller.type, command.caller.id], ['system', null]);
    await answer(OK);
    for (let i = 0; i < 20; i++) scene.tick(agent, i % 2 === 0 ? 20 : 500, STANDING);
    assert.deepEqual(scene.kinds(), ['note-arrival']);
  });

  test('arrivals at a new place are awaited again', async () => {
    const [scene, task] = [new Scene(), toldOf()];
    scene.tick(agentWith(task), 20, STANDING);
    await scene.last().answer(OK);
    const agent = agentWith(task);
    scene.tick(agent, 20, STANDING);
    await scene.last().answer(OK);
    const asked = scene.asked.length;
    agent.openTasks.set(task.taskId, { ...task, latitude: PLACE.latitude + 2_000 * DEGREES_PER_METER });
    scene.tick(agent, 2_000, STANDING);
    assert.deepEqual([scene.asked.length, scene.last().command.kind], [asked + 1, 'note-arrival']);
  });

  test('are asked about one at a time', () => {
    const [scene, agent] = [new Scene(), agentWith(toldOf())];
    for (let i = 0; i < 20; i++) scene.tick(agent, 20, STANDING);
    assert.equal(scene.asked.length, 1);
  });

  test('arrivals that an actor could not accept are sent again, even when no agent moves any more', async () => {
    const [scene, agent] = [new Scene(), agentWith(toldOf())];
    scene.tick(agent, 20, STANDING);
    for (const code of ['UNAVAILABLE', 'NOT_OWNER', 'OUTCOME_UNKNOWN'] as const) {
      await scene.last().answer(refusedWith(code));
      scene.tick();
    }
    await scene.last().answer(OK);
    for (let i = 0; i < 5; i++) scene.tick();
    assert.equal(scene.asked.length, 4);
    assert.deepEqual(scene.asked[3]!.command, scene.asked[0]!.command);
  });

  test('arrivals that are refused for good are not sent again', async () => {
    for (const code of ['NOT_FOUND', 'ORGANIZATION_DELETED', 'INTERNAL'] as const) {
      const [scene, agent] = [new Scene(), agentWith(toldOf())];
      scene.tick(agent, 20, STANDING);
      await scene.last().answer(refusedWith(code));
      for (let i = 0; i < 5; i++) scene.tick(agent, 20, STANDING);
      assert.equal(scene.asked.length, 1, code);
    }
  });

  test('arrivals that cannot be sent for long are given up, and found again with the next point', async () => {
    const [scene, agent] = [new Scene(), agentWith(toldOf())];
    scene.tick(agent, 20, STANDING);
    await scene.last().answer(refusedWith('UNAVAILABLE'));
    scene.pass(LIMITS.arrivalPatienceMs);
    scene.tick();
    scene.tick();
    assert.equal(scene.asked.length, 1);
    scene.tick(agent, 20, STANDING);
    assert.deepEqual(scene.kinds(), ['note-arrival', 'note-arrival']);
  });

  test('arrivals count again for an agent that is assigned again', async () => {
    const [scene, agent] = [new Scene(), agentWith(toldOf())];
    scene.tick(agent, 20, STANDING);
    await scene.last().answer(OK);
    agent.openTasks.set(10, toldOf({ assignedAt: '2031-05-01T12:00:10.000Z' }));
    scene.tick(agent, 20, STANDING);
    await scene.last().answer(OK);
    scene.tick(Object.assign(new LiveAgent(8), { openTasks: agentWith(toldOf()).openTasks }), 20, STANDING);
    assert.deepEqual(
      scene.asked.map(({ command }) => command.agentId),
      [7, 7, 8],
    );
  });

  test('of tasks that the agent no longer has are not told again', async () => {
    const [scene, agent] = [new Scene(), agentWith(toldOf())];
    scene.tick(agent, 20, STANDING);
    await scene.last().answer(refusedWith('UNAVAILABLE'));
    agent.openTasks.clear();
    agent.openTasks.set(11, toldOf({ taskId: 11 }));
    scene.tick(agent, 5_000);
    const before = scene.asked.length;
    for (let i = 0; i < 3; i++) scene.tick();
    const later = scene.asked.slice(before).filter(({ command }) => command.taskId === 10);
    assert.deepEqual(later, []);
  });

  test('arrivals take time without a speed: ten seconds of points', () => {
    const [scene, agent] = [new Scene(), agentWith(toldOf())];
    for (let i = 0; i < 10; i++) scene.tick(agent, 20);
    assert.deepEqual(scene.kinds(), []);
    scene.tick(agent, 20);
    assert.deepEqual(scene.kinds(), ['note-arrival']);
  });
});

describe('arrivals at the pickup', () => {
  const pickup = { pickupLatitude: PLACE.latitude, pickupLongitude: PLACE.longitude };
  const far = {
    latitude: PLACE.latitude + 0.1,
    etaAt: '2031-05-01T12:00:00.000Z',
    pickupEtaAt: '2031-05-01T12:00:00.000Z',
  };
  const fetched = (fields: Partial<OpenTask> = {}) => openTask({ ...far, ...pickup, status: 'accepted', ...fields });
  const arrivalsOf = ({ asked }: Scene) =>
    asked.flatMap(({ command }) => (command.kind === 'note-arrival' ? [`${command.taskId} ${command.place}`] : []));

  for (const [what, fields, expected] of [
    ['of an agent that has accepted', {}, ['10 pickup']],
    ['not of one that is merely asked', { status: 'assigned' }, []],
    ['not a second time', { pickupArrivedAt: '2031-05-01T11:59:00.000Z' }, []],
    ['not of one that has the goods', { pickedUpAt: '2031-05-01T11:59:00.000Z' }, []],
    ['not in transit', { status: 'in_transit' }, []],
  ] as const) {
    test(what, () => {
      const scene = new Scene();
      scene.tick(agentWith(fetched(fields)), 20, STANDING);
      assert.deepEqual(arrivalsOf(scene), expected);
    });
  }

  test('count once the agent that stands there has accepted, and then it arrives at the place', async () => {
    const [scene, agent] = [new Scene(), agentWith(fetched({ status: 'assigned' }))];
    scene.tick(agent, 20, STANDING);
    scene.replan(agent, fetched());
    assert.deepEqual(arrivalsOf(scene), ['10 pickup']);
    for (const { answer } of scene.asked) await answer(OK);
    scene.replan(agent, fetched({ status: 'in_transit' }));
    scene.tick(agent, 0.1 / DEGREES_PER_METER, STANDING);
    assert.deepEqual(arrivalsOf(scene), ['10 pickup', '10 dropoff']);
  });
});

describe('nothing is asked', () => {
  for (const [what, task, point] of [
    ['of a task without a place', { latitude: null, longitude: null }, {}],
    ['of a task whose agent has arrived', { arrivedAt: '2031-05-01T11:59:00.000Z' }, {}],
    ['for a vague point', {}, { accuracy: 101 }],
    ['for a point of long ago', {}, { recordedAtMs: START - LIMITS.positionStaleMs }],
  ] as const) {
    test(what, () => {
      const scene = new Scene();
      scene.tick(agentWith(openTask(task)), 20, { ...STANDING, ...point });
      assert.deepEqual(scene.kinds(), []);
    });
  }

  test('of an arrival before the agent is in transit', () => {
    for (const status of ['assigned', 'accepted'] as const) {
      const scene = new Scene();
      scene.tick(agentWith(openTask({ status })), 20, STANDING);
      assert.deepEqual(scene.kinds(), ['note-eta']);
    }
  });

  test('of an agent without tasks', () => {
    const scene = new Scene();
    scene.tick(agentWith(), 20, STANDING);
    assert.deepEqual(scene.kinds(), []);
  });
});

test('a process asks no more than its share, and the rest when there is room', async () => {
  const scene = new Scene();
  const agents = Array.from({ length: LIMITS.arrivalCommands + 5 }, (_, i) => agentWith(toldOf({ taskId: i })));
  for (const agent of agents) scene.tick(agent, 20, STANDING);
  assert.equal(scene.asked.length, LIMITS.arrivalCommands);
  for (const { answer } of scene.asked.splice(0, 3)) await answer(OK);
  scene.tick();
  assert.equal(scene.asked.length, LIMITS.arrivalCommands);
  for (const { answer } of scene.asked.splice(0)) await answer(OK);
  scene.pass(LIMITS.arrivalRetryMs);
  scene.tick();
  assert.equal(scene.asked.length, 2);
});
