import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { judgeDay, type PolicyRun } from '../../../bench/mdrp/judge-mdrp.ts';
import { parseMdrpOptions } from '../../../bench/mdrp/mdrp-options.ts';
import { readInstance } from '../../../bench/mdrp/read-instance.ts';
import { startProgram, temporaryDirectory } from '../../integration/bench/program-run.ts';

const FILES = {
  restaurants: ['restaurant\tx\ty', 'r1\t8880\t4413'],
  orders: [
    'order\tx\ty\tplacement_time\trestaurant\tready_time',
    'o1\t8649\t4258\t26\tr1\t38',
    'o2\t9369\t4543\t28\tr1\t40',
  ],
  couriers: ['courier\tx\ty\ton_time\toff_time', 'c1\t9299\t7410\t0\t190', 'c2\t9153\t7570\t0\t190'],
  instance_parameters: [
    'meters_per_minute\tpickup service minutes\tdropoff service minutes\ttarget click-to-door\tmaximum click-to-door\tpay per order\tguaranteed pay per hour',
    '320\t4\t4\t40\t90\t10\t15',
  ],
};

/** In a folder of its own that holds nothing else. */
function writeInstance(t: TestContext, changed: Partial<Record<keyof typeof FILES, readonly string[]>> = {}): string {
  const folder = join(temporaryDirectory(t), 'small-day');
  mkdirSync(folder);
  for (const [name, lines] of Object.entries({ ...FILES, ...changed })) {
    if (lines.length > 0) writeFileSync(join(folder, `${name}.txt`), `${lines.join('\n')}\n`);
  }
  return folder;
}

test('an instance is read with its couriers and parameters', (t) => {
  const { name, orders, couriers, parameters } = readInstance(writeInstance(t));
  assert.equal(name, 'small-day');
  assert.equal(orders.length, 2);
  assert.deepEqual(
    couriers.map(({ id, onMinute, offMinute, start }) => [id, onMinute, offMinute, start.x, start.y]),
    [
      ['c1', 0, 190, 9_299, 7_410],
      ['c2', 0, 190, 9_153, 7_570],
    ],
  );
  assert.deepEqual(parameters, {
    metersPerMinute: 320,
    pickupServiceMinutes: 4,
    dropoffServiceMinutes: 4,
    targetMinutes: 40,
    payPerOrder: 10,
    guaranteedPayPerHour: 15,
  });
});

test('an instance that is not what it should be is refused by file and line', (t) => {
  const [courierHeader, courier] = FILES.couriers as [string, string];
  const [parameterHeader, parameters] = FILES.instance_parameters as [string, string];
  const cases: readonly (readonly [Parameters<typeof writeInstance>[1], RegExp])[] = [
    [{ couriers: [] }, /couriers\.txt cannot be read/],
    [{ instance_parameters: [] }, /instance_parameters\.txt cannot be read/],
    [{ couriers: [courierHeader] }, /couriers\.txt: holds no couriers/],
    [{ couriers: [courierHeader, courier, courier] }, /couriers\.txt:3: courier c1 stands here twice/],
    [{ couriers: [courierHeader, 'c1\t1\t2\t3'] }, /couriers\.txt:2: 4 columns, 5 are due/],
    [{ couriers: [courierHeader, 'c1\t1\t2\tdawn\t9'] }, /couriers\.txt:2: on_time "dawn" is no minute/],
    [{ couriers: [courierHeader, 'c1\t1\t2\t10\t9'] }, /couriers\.txt:2: courier c1 ends before it begins/],
    [{ instance_parameters: ['speed', '1'] }, /instance_parameters\.txt:1: the header must be/],
    [{ instance_parameters: [parameterHeader] }, /instance_parameters\.txt: holds 0 lines/],
    [{ instance_parameters: [parameterHeader, parameters, parameters] }, /instance_parameters\.txt: holds 2 lines/],
    [{ instance_parameters: [parameterHeader, '0\t4\t4\t40\t90\t10\t15'] }, /:2: meters_per_minute is 0/],
    [
      { instance_parameters: [parameterHeader, '320\t4\t-4\t40\t90\t10\t15'] },
      /:2: dropoff service minutes is below 0/,
    ],
  ];
  for (const [changed, complaint] of cases)
    assert.throws(() => readInstance(writeInstance(t, changed)), complaint, String(complaint));
});

test('the replayed days reject unusable options with the usage', (t) => {
  const folder = writeInstance(t);
  const cases: readonly (readonly [args: readonly string[], complaint: RegExp])[] = [
    [[], /No folder given/],
    [[folder], /No folder given/],
    [['--data', join(folder, 'nowhere')], /There is no folder/],
    [['--data', folder, '--decline', '1.5'], /--decline: "1.5" is no number from 0 to 1/],
    [['--data', folder, '--seed', '-'], /--seed/],
    [['--data', folder, '--decline', ''], /--decline: "" is no number/],
    [['--data', folder, '--max-bundle', '2.5'], /--max-bundle: "2.5" is no whole number/],
    [['--data', folder, '--max-bundle', '2', '--max-bundle', '3'], /--max-bundle: given 2 times/],
    [['--data', folder, '--bundle', '2'], /--bundle/],
  ];
  for (const [args, complaint] of cases) {
    assert.throws(() => parseMdrpOptions(args), complaint, args.join(' '));
    assert.throws(() => parseMdrpOptions(args), /Usage: npm run bench -- mdrp/);
  }
  assert.throws(() => parseMdrpOptions(['--help']), /^Error: Usage: npm run bench -- mdrp/);
});

test('several folders may be named, and a folder of instances stands for its instances', (t) => {
  const [one, other] = [writeInstance(t), writeInstance(t)];
  const foldersOf = (...args: string[]) => parseMdrpOptions(['--data', ...args]).folders;
  assert.deepEqual(foldersOf(one, other), [one, other]);
  assert.deepEqual(foldersOf(one, '--data', other, '--json'), [one, other]);
  assert.deepEqual(foldersOf(join(one, '..')), [one]);
});

function run(policy: string, mean: number, undelivered: number): PolicyRun {
  const spread = { mean, p90: mean };
  const none = { overageMean: 0, utilisation: 0.5, ordersPerBundle: 1, costPerOrder: 10, declined: 0, rounds: 1 };
  return {
    policy,
    ...none,
    delivered: 10,
    undelivered,
    clickToDoor: spread,
    readyToPickup: spread,
    roundMs: { mean: 1, p99: 1 },
    punctuality: { late: 0, onTimeShare: 1, lateMean: 0, lateP95: 0, waitingMean: 0 },
  };
}

test('a day passes from 25 % and 10 % below on, with no more undelivered than either', () => {
  const judged = (planner: PolicyRun) => {
    const judgedOnes = { nearestIdle: run('n', 40, 3), matchingByWay: run('m', 100 / 3, 1) };
    const shownOnes = { nearestPair: run('p', 20, 0), matchingByPickup: run('q', 20, 0) };
    return judgeDay({ planner, ...judgedOnes, ...shownOnes }).map(({ met }) => met);
  };
  assert.deepEqual(judged(run('planner', 30, 1)), [true, true, true]);
  assert.deepEqual(judged(run('planner', 30.1, 1)), [false, false, true]);
  assert.deepEqual(judged(run('planner', 29, 2)), [true, true, false]);
});

test('a replayed day is printed as JSON, and exits 1 when a target is missed', async (t) => {
  const folder = writeInstance(t);
  const judged = startProgram(t, 'run', ['mdrp', '--data', folder, '--json']);
  const shown = startProgram(t, 'run', ['mdrp', '--data', folder, '--report-only']);
  // Both orders are fetched when they are ready, by every policy: none is better than the others.
  assert.equal(await judged.exitCode, 1, judged.output());
  const [day] = JSON.parse(judged.output()).days;
  assert.deepEqual([day.orders, day.couriers, day.verdicts.length], [2, 2, 3]);
  for (const { delivered, clickToDoor } of Object.values<PolicyRun>(day.runs)) {
    assert.deepEqual([delivered, clickToDoor.mean], [2, day.leastClickToDoor]);
  }
  assert.equal(await shown.exitCode, 0, shown.output());
  assert.match(shown.output(), /The Meal Delivery Routing Problem \(2018\)/);
  assert.doesNotMatch(shown.output(), /PASS|FAIL/);
});
