import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Plan, planWords } from '../../../../gateway/console/couriers/plan-words.ts';

const [amina, bruno, chen, dana] = [1, 2, 3, 4] as const;
const passed = (...nearest: (readonly [agentId: number, reason: string])[]) => ({
  nearest: nearest.map(([agentId, reason]) => ({ agentId, reason })),
});

test('of several tasks, each courier shows how many the plan gives, or the one reason against all', () => {
  const plan: Plan = {
    offers: [
      { agentId: amina, taskIds: [11, 12], etaSeconds: [600, 1_200] },
      { agentId: bruno, taskIds: [13], etaSeconds: [300] },
      { agentId: amina, taskIds: [16], etaSeconds: [1_800] },
    ],
    unplanned: [
      passed([amina, 'chosen_for_another'], [chen, 'off_shift'], [dana, 'capacity']),
      passed([chen, 'off_shift'], [dana, 'chosen_for_another']),
    ],
  };
  const wordsFor = planWords(plan, 5);
  assert.deepEqual(wordsFor(amina), { planned: 'Planned: 3 of 5, done in 30 min', passedOver: null });
  assert.deepEqual(wordsFor(bruno), { planned: 'Planned: 1 of 5, done in 5 min', passedOver: null });
  assert.deepEqual(wordsFor(chen), { planned: null, passedOver: 'not in a shift' });
  assert.deepEqual(wordsFor(dana), { planned: null, passedOver: 'None planned' });
  assert.deepEqual(wordsFor(99), { planned: null, passedOver: 'None planned' });
});

test('of one task, a courier who was passed over for somebody else could take it', () => {
  const planned = planWords({ offers: [{ agentId: amina, taskIds: [11], etaSeconds: [600] }], unplanned: [] }, 1);
  assert.deepEqual(planned(amina), { planned: 'Planned, done in 10 min', passedOver: null });
  assert.deepEqual(planned(bruno), { planned: null, passedOver: null });
  const held = planWords({ offers: [], unplanned: [passed([bruno, 'busy'], [chen, 'chosen_for_another'])] }, 1);
  assert.deepEqual(held(bruno), { planned: null, passedOver: 'busy' });
  assert.deepEqual(held(chen), { planned: null, passedOver: 'Could take it' });
});
