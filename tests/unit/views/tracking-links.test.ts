import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { trackingUrlOf, withoutTrackingLinks } from '../../../engine/views/parts/tracking-url.ts';
import { encodeTask } from '../../../engine/views/task-view.ts';
import type { ShownTask } from '../../../schema/tasks/task.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { stateWith, TASK } from '../engine/decide/decide-fixture.ts';

const SEED = 20_261_129;

const job = (() => {
  const state = stateWith('a job', 'assigned');
  return state.bundleOf(state.findTask(TASK)!);
})();

/** Texts that look like the fields that are searched for, and their signs. */
const trap = fc.oneof(
  fc.string(),
  fc.constantFrom(
    '"trackingUrl":"/t/mine"',
    '\\"trackingUrl\\":\\"/t/mine\\"',
    '"integrationData":{',
    '{"a":"}',
    '\\',
    '}"',
    '/t/',
  ),
);
/** Integrators may keep fields of these very names, at any depth. */
const { data } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    trap,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    tie('list'),
    tie('data'),
  ),
  list: fc.array(tie('value'), { maxLength: 3 }),
  data: fc.dictionary(fc.oneof(trap, fc.constantFrom('trackingUrl', 'integrationData')), tie('value'), {
    maxKeys: 4,
    noNullPrototype: true,
  }),
}));

const facts = fc.record({
  name: trap,
  notes: trap,
  integrationData: fc.option(data),
  trackingToken: fc.stringMatching(/^[\w-]{22}$/),
});

function taskWith(shown: ShownTask, fields: object): ShownTask {
  return { ...shown, task: { ...shown.task, ...fields } };
}

test('agents read tasks and children without links, and every other byte as it is', () => {
  const family = fc.tuple(facts, fc.array(facts, { maxLength: 3 }));
  fc.assert(
    fc.property(family, ([own, others]) => {
      const children = others.map((fields, index) => taskWith(job.children[0]!, { ...fields, id: 900 + index }));
      const shown = { ...taskWith(job, own), children };
      const json = encodeTask(shown);
      const links = [...children, shown].map(({ task }) => trackingUrlOf(task));
      const blanked = withoutTrackingLinks(json);
      assert.equal(json.length - blanked.length, links.join('').length);
      const { trackingUrl, children: parts, ...rest } = JSON.parse(json) as TaskView;
      assert.deepEqual([...parts.map((part) => part.trackingUrl), trackingUrl], links);
      const expected = { ...rest, trackingUrl: '', children: parts.map((part) => ({ ...part, trackingUrl: '' })) };
      assert.deepEqual(JSON.parse(blanked), expected);
      assert.equal(withoutTrackingLinks(blanked), blanked, 'a text without links stays');
    }),
    { seed: SEED },
  );
});

test('the data of an integrator keeps its own fields of that name, behind and inside of other objects', () => {
  const integrationData = { a: { b: '}' }, trackingUrl: '/t/own', c: { trackingUrl: '/t/own' } };
  const blanked = withoutTrackingLinks(encodeTask(taskWith(job, { integrationData })));
  const { integrationData: kept, trackingUrl } = JSON.parse(blanked) as TaskView;
  assert.deepEqual([kept, trackingUrl], [integrationData, '']);
});

test('all tasks of one text are without links, and a text without tasks stays', () => {
  const one = encodeTask(job);
  const blank = withoutTrackingLinks(one);
  assert.doesNotMatch(blank, /\/t\//);
  assert.equal(withoutTrackingLinks(`{"items":[${one},${one}],"count":2}`), `{"items":[${blank},${blank}],"count":2}`);
  for (const text of ['', '{}', '{"id":7,"trackingUrl":null}', '{"courier":{"trackingUrl":"https://a.example/t/1"}}'])
    assert.equal(withoutTrackingLinks(text), text);
});
