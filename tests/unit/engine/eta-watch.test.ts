import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TravelTime } from '../../../engine/domain/assignment/round-view.ts';
import type { WaySource } from '../../../engine/domain/travel/known-ways.ts';
import { straightTravel } from '../../../engine/domain/travel/straight-travel.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { agentWith, OK, openTask, PLACE, refusedWith, Scene, START } from './watch-scene.ts';

const PICKUP = { pickupLatitude: PLACE.latitude + 0.09, pickupLongitude: PLACE.longitude };

describe('ETAs', () => {
  test('ETAs are sent at once the first time, in whole seconds', () => {
    const scene = new Scene();
    scene.tick(agentWith(openTask()), 1_000);
    const { command } = scene.last();
    // 1,300 m at 25 km/h.
    assert.ok(command.kind === 'note-eta');
    assert.equal(command.etaAt, '2031-05-01T12:03:08.000Z');
  });

  test('ETAs are sent again when they move, but not within ten seconds', async () => {
    const [scene, agent] = [new Scene(), agentWith(openTask())];
    scene.tick(agent, 1_000);
    await scene.last().answer(OK);
    for (let i = 1; i < LIMITS.etaIntervalMs / 1_000; i++) scene.tick(agent, 9_000);
    assert.equal(scene.asked.length, 1);
    scene.tick(agent, 9_000);
    assert.deepEqual(scene.kinds(), ['note-eta', 'note-eta']);
  });

  test('are sent of all tasks within the ten seconds when the tasks change, and of an agent that does not move', async () => {
    const [scene, agent] = [new Scene(), agentWith(openTask())];
    scene.tick(agent, 1_000);
    await scene.last().answer(OK);
    const first = openTask({ etaAt: '2031-05-01T12:03:08.000Z' });
    scene.replan(agent, first, openTask({ taskId: 11, status: 'assigned', latitude: PLACE.latitude + 0.01 }));
    assert.deepEqual(
      scene.asked.map(({ command }) => command.taskId),
      [10, 11],
    );
    // The next tick sends it again, though nobody moves.
    await scene.last().answer(refusedWith('UNAVAILABLE'));
    scene.tick();
    assert.deepEqual([scene.asked.length, scene.last().command.taskId], [3, 11]);
    await scene.last().answer(OK);
    scene.tick();
    assert.deepEqual([scene.asked.length, scene.replanned.size], [3, 0]);
  });

  test('of tasks that changed while the newest point was vague are sent with the next one that is not', async () => {
    const [scene, agent] = [new Scene(), agentWith(openTask())];
    scene.tick(agent, 1_000);
    await scene.last().answer(OK);
    const told = openTask({ etaAt: '2031-05-01T12:03:08.000Z' });
    const vague = { accuracy: LIMITS.arrivalAccuracyM + 1 };
    scene.tick(agent, 1_000, vague);
    scene.replan(agent, told, openTask({ taskId: 11, status: 'assigned', latitude: PLACE.latitude + 0.01 }));
    scene.tick(agent, 1_000, vague);
    assert.equal(scene.asked.length, 1);
    scene.tick(agent, 1_000);
    assert.deepEqual([scene.asked.length, scene.last().command.taskId], [2, 11]);
  });

  test('are not told again while an agent keeps to them', async () => {
    const [scene, agent] = [new Scene(), agentWith(openTask())];
    for (let left = 5_000; left > 500; left -= 25_000 / 3_600 / 1.3) {
      scene.tick(agent, left);
      if (scene.asked.length === 1) await scene.last().answer(OK);
    }
    assert.equal(scene.asked.length, 1);
  });

  test('ETAs are never later than the last moment that can be shown, of stops behind it as well', () => {
    const last = new Date(LIMITS.latestTimeMs).toISOString();
    const scene = new Scene();
    const late = openTask({ taskId: 1, windowStart: last, estimatedDuration: LIMITS.estimatedDurationMinutes });
    scene.tick(agentWith(late, openTask({ taskId: 2, windowStart: last })), 1_000);
    assert.deepEqual(
      scene.asked.map(({ command }) => command.kind === 'note-eta' && command.etaAt),
      [last, last],
    );
  });

  test('ETAs go on from the one in the record', () => {
    const scene = new Scene();
    scene.tick(agentWith(openTask({ etaAt: '2031-05-01T12:03:00.000Z' })), 1_000);
    assert.deepEqual(scene.kinds(), []);
  });

  test('ETAs are sent again when an amendment took them back before the next tick, whenever the answer comes', async () => {
    const amended = openTask({ latitude: PLACE.latitude + 0.0001 });
    for (const isAnsweredFirst of [true, false]) {
      const [scene, agent] = [new Scene(), agentWith(openTask())];
      scene.tick(agent, 1_000);
      if (isAnsweredFirst) await scene.last().answer(OK);
      scene.replan(agent, amended);
      if (!isAnsweredFirst) await scene.last().answer(OK);
      scene.tick();
      assert.deepEqual(scene.kinds(), ['note-eta', 'note-eta'], `answered ${isAnsweredFirst ? 'before' : 'after'}`);
    }
  });

  test('ETAs follow an agent that has left a pickup with some of its goods', () => {
    const came = { ...PICKUP, pickupArrivedAt: new Date(START).toISOString() };
    const aboard = openTask({ taskId: 11, ...came, pickedUpAt: came.pickupArrivedAt });
    const scene = new Scene();
    scene.tick(agentWith(openTask({ ...came, status: 'accepted' }), aboard), 100);
    const { command } = scene.asked.find((one) => one.command.taskId === 11)!;
    // 130 m at 25 km/h; the pickup is 10 km away.
    assert.equal(command.kind === 'note-eta' && command.etaAt, '2031-05-01T12:00:20.000Z');
  });

  test('ETAs that could not be sent are sent with the next point', async () => {
    const [scene, agent] = [new Scene(), agentWith(openTask())];
    scene.tick(agent, 1_000);
    scene.tick(agent, 1_000);
    assert.equal(scene.asked.length, 1);
    await scene.last().answer(refusedWith('OVERLOADED'));
    scene.tick(agent, 1_000);
    assert.deepEqual(scene.kinds(), ['note-eta', 'note-eta']);
  });
});

/** A degree of latitude takes a minute by its roads. Ways are known once they have been learnt. */
class Roads implements WaySource {
  isKnown = false;
  #learn = () => {};

  ways() {
    const { isKnown } = this;
    const known = {
      missing: 0,
      travel: ((from, to, vehicleType) => {
        if (!isKnown) known.missing += 1;
        const ms = Math.abs(to.latitude - from.latitude) * 60_000;
        return isKnown ? { distanceM: ms, ms } : straightTravel(from, to, vehicleType);
      }) satisfies TravelTime,
      learn: () => new Promise<void>((resolve) => (this.#learn = resolve)),
    };
    return known;
  }

  /** The routing engine has answered, or was given up. */
  async answer(isKnown: boolean): Promise<void> {
    this.isKnown = isKnown;
    this.#learn();
    await new Promise((done) => setImmediate(done));
  }
}

describe('ETAs over roads', () => {
  const toldBy = ({ asked }: Scene) =>
    asked.map(({ command }) =>
      command.kind === 'note-eta' ? [command.taskId, command.etaAt, command.pickupEtaAt] : [],
    );
  const at = (minutes: number) => new Date(START + 1_000 + minutes * 60_000).toISOString();
  const to = (degrees: number) => ({ latitude: PLACE.latitude + degrees, longitude: PLACE.longitude });

  test('of all tasks of an agent are the sums of ways, services and waits along its stops, to the second', () => {
    const roads = new Roads();
    roads.isKnown = true;
    const scene = new Scene(roads);
    const fetched = { pickupLatitude: PLACE.latitude + 9, pickupLongitude: PLACE.longitude };
    scene.tick(
      agentWith(
        openTask({ taskId: 1, ...to(5) }),
        openTask({ taskId: 2, status: 'assigned', ...to(12), ...fetched, readyAt: at(20), estimatedDuration: 7 }),
        openTask({ taskId: 3, status: 'accepted', ...to(14), windowStart: at(60), windowEnd: at(70) }),
      ),
    );
    // The first is there after 5 and done after 8. The way to the pickup ends after 12; the goods are ready after 20 and
    // aboard a minute later. The second door is reached after 24 and left after 31, the third after 33, and open at 60.
    assert.deepEqual(toldBy(scene), [
      [1, at(5), null],
      [2, at(24), at(12)],
      [3, at(60), null],
    ]);
  });

  test('are a straight line first, and those of the roads as soon as these are known', async () => {
    const [roads, agent] = [new Roads(), agentWith(openTask(to(0.1)))];
    const scene = new Scene(roads);
    scene.tick(agent);
    const straight = toldBy(scene);
    assert.equal(straight.length, 1);
    await scene.last().answer(OK);
    await roads.answer(true);
    assert.deepEqual(toldBy(scene), [...straight, [10, at(0.1), null]]);
  });

  test('ETAs beyond the room for commands are predicted when there is room, those that waited first', async () => {
    let predicted = 0;
    const travel: TravelTime = (...way) => {
      predicted += 1;
      return straightTravel(...way);
    };
    const scene = new Scene({ ways: () => ({ travel, missing: 0, learn: () => Promise.resolve() }) });
    const room = LIMITS.arrivalCommands;
    const agents = Array.from({ length: room + 5 }, (_, taskId) => agentWith(openTask({ taskId })));
    scene.tickAll(agents, 1_000);
    const predictedBefore = predicted;
    scene.tickAll([], 1_000);
    assert.deepEqual([scene.asked.length, predicted], [room, predictedBefore]);
    await Promise.all(scene.asked.map(({ answer }) => answer(OK)));
    scene.tickAll([agentWith(openTask({ taskId: 999 }))], 1_000);
    const ids = scene.asked.slice(room).map(({ command }) => command.taskId);
    assert.deepEqual(ids, [room, room + 1, room + 2, room + 3, room + 4, 999]);
  });

  test('do not move to and fro while a way is missing: the last one stays until it is known', async () => {
    const roads = new Roads();
    const scene = new Scene(roads);
    const agent = agentWith(openTask({ ...to(0.1), etaAt: at(40) }));
    scene.tick(agent);
    assert.deepEqual(toldBy(scene), []);
    await roads.answer(true);
    assert.deepEqual(toldBy(scene), [[10, at(0.1), null]]);
  });

  test('are straight lines where the routing engine does not answer', async () => {
    const roads = new Roads();
    const scene = new Scene(roads);
    const agent = agentWith(openTask({ ...to(0.1), etaAt: at(90) }));
    scene.tick(agent);
    await roads.answer(false);
    const ms = straightTravel(PLACE, { ...PLACE, ...to(0.1) }, 'car').ms;
    const etaAt = new Date(Math.round((START + 1_000 + ms) / 1_000) * 1_000).toISOString();
    assert.deepEqual(toldBy(scene), [[10, etaAt, null]]);
  });
});
