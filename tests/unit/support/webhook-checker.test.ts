import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  countDuplicates,
  type DeliveryViolation,
  findDeliveryViolations,
  isComplete,
} from '../../support/services/webhook-checker.ts';
import type { Arrival, Behaviour } from '../../support/services/webhook-sink.ts';

/** Three events: the second was refused once, and the third came twice, since the first answer was lost. */
function soundRun() {
  const promised = [1, 2, 3].map((sequence) => ({
    sequence,
    type: 'task.created',
    body: JSON.stringify({ id: `evt_x_1_${sequence}`, sequence }),
  }));
  const arrival = (sequence: number, behaviour: Behaviour = 204): Arrival => ({
    id: `evt_x_1_${sequence}`,
    sequence,
    body: JSON.stringify({ id: `evt_x_1_${sequence}`, sequence }),
    at: 0,
    behaviour,
    forgery: undefined,
  });
  return {
    record: { name: 'crm', promised, isOrdered: true },
    arrivals: [arrival(1), arrival(2, 500), arrival(3), arrival(2), arrival(3)],
    arrival,
  };
}

type Run = ReturnType<typeof soundRun>;

function rulesBroken({ record, arrivals }: Run): DeliveryViolation['rule'][] {
  const rules = findDeliveryViolations([{ ...record, arrivals }]).map(({ rule }) => rule);
  return [...new Set(rules)].sort();
}

test('a run in which every webhook promise was kept has no violation, and its duplicates are counted', () => {
  const { record, arrivals } = soundRun();
  assert.deepEqual(findDeliveryViolations([{ ...record, arrivals }]), []);
  assert.equal(countDuplicates({ arrivals }), 1);
  assert.equal(isComplete({ ...record, arrivals }), true);
});

const planted: readonly (readonly [what: string, plant: (run: Run) => void, rules: DeliveryViolation['rule'][]])[] = [
  ['an event that never came', ({ arrivals }) => void arrivals.shift(), ['missing']],
  ['an event that was only ever refused', ({ arrivals }) => void arrivals.splice(3, 1), ['missing']],
  [
    'an event whose only answer never came',
    ({ arrivals, arrival }) => void arrivals.splice(0, 1, arrival(1, 'hang')),
    ['missing'],
  ],
  ['an event that was not promised', ({ arrivals, arrival }) => void arrivals.push(arrival(4)), ['phantom']],
  [
    'what is no event of the log',
    ({ arrivals, arrival }) => void arrivals.push({ ...arrival(1), sequence: undefined }),
    ['phantom'],
  ],
  [
    'another body than the one of the log',
    ({ arrivals, arrival }) => void arrivals.push({ ...arrival(1), body: '{"sequence":1}' }),
    ['changed'],
  ],
  [
    'a second attempt under another id',
    ({ arrivals, arrival }) => void arrivals.push({ ...arrival(2), id: 'evt_x_1_2b' }),
    ['second-id'],
  ],
  [
    'an attempt whose signature is wrong',
    ({ arrivals, arrival }) => void arrivals.push({ ...arrival(1), forgery: 'No matching signature found' }),
    ['forged'],
  ],
  [
    'first attempts that overtake one another',
    ({ arrivals, arrival }) => void arrivals.splice(0, 3, arrival(2, 500), arrival(1), arrival(3)),
    ['out-of-order'],
  ],
];

for (const [what, plant, rules] of planted) {
  test(`the checker of webhooks finds ${what}`, () => {
    const run = soundRun();
    plant(run);
    assert.deepEqual(rulesBroken(run), rules);
  });
}

test('an endpoint that takes several at a time may get them in any order', () => {
  const { record, arrivals, arrival } = soundRun();
  arrivals.splice(0, 3, arrival(3), arrival(1), arrival(2));
  assert.deepEqual(findDeliveryViolations([{ ...record, isOrdered: false, arrivals }]), []);
});
