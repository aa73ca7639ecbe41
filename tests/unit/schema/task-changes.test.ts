import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { PackageRecord, PackageStatus } from '../../../schema/tasks/package.ts';
import type { TaskRecord, TaskStatus } from '../../../schema/tasks/task.ts';
import { type AuditedTask, beforeTaskChanges, taskChangesOf } from '../../../schema/tasks/task-changes.ts';

const SEED = 20_261_122;

const fields = {
  status: fc.constantFrom<TaskStatus>('new', 'assigned', 'cancelled'),
  notes: fc.option(fc.string(), { nil: null }),
  requiredSkills: fc.option(fc.array(fc.constantFrom('cold', 'heavy')), { nil: null }),
  integrationData: fc.option(fc.dictionary(fc.constantFrom('a', 'b'), fc.integer(), { noNullPrototype: true }), {
    nil: null,
  }),
  version: fc.integer(),
  updatedAt: fc.string(),
  trackingToken: fc.string(),
};
const plain = { noNullPrototype: true };
const item = fc.record(
  {
    id: fc.integer({ min: 1, max: 5 }),
    status: fc.constantFrom<PackageStatus>('pending', 'cancelled'),
    notes: fc.option(fc.string(), { nil: null }),
  },
  plain,
);
const audited = fc.record({
  task: fc.record(fields, plain) as unknown as fc.Arbitrary<TaskRecord>,
  packages: fc.uniqueArray(item, { selector: ({ id }) => id }) as unknown as fc.Arbitrary<PackageRecord[]>,
});

/** The listed changes, packages in the order of their ids. */
function toldOf({ task, packages }: AuditedTask) {
  const { version, updatedAt, trackingToken, ...own } = task;
  return { own, packages: packages.toSorted((a, b) => a.id - b.id) };
}

test('the changes of a step lead from what a task became back to what it was', () => {
  fc.assert(
    fc.property(audited, audited, (before, after) => {
      const changes = taskChangesOf(before, after);
      const stored = JSON.parse(JSON.stringify(changes)) as typeof changes;
      const woundBack = stored ? beforeTaskChanges(after, stored) : after;
      assert.deepEqual(toldOf(woundBack), toldOf(before));
    }),
    { seed: SEED },
  );
});

test('unchanged fields, and fields that no caller sets, are not listed', () => {
  fc.assert(
    fc.property(audited, (before) => {
      const touched = { ...before.task, version: -1, updatedAt: 'later', trackingToken: 'secret' };
      const copy = { task: structuredClone(touched), packages: structuredClone(before.packages) };
      assert.equal(taskChangesOf(before, copy), null);
    }),
    { seed: SEED },
  );
});
