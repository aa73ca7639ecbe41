import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../../../engine/runtime/log.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { createActivityProcessor } from '../../../workers/activity.ts';

const log = createLog('workers', 'silent');
const never = new AbortController().signal;
const page = { after: 0, counted: 1, lost: 0, hasHole: false };

test('a count looks again after every page that held something', async () => {
  const pages = [page, { ...page, counted: 0, lost: 3 }, { ...page, counted: 0 }, page];
  await createActivityProcessor({ countActivity: async () => pages.shift() }, log)({ organizationId: 1 }, never);
  assert.deepEqual(pages, [page]);
});

test('a count gives way to others after so many pages, and at once when it is asked to stop', async () => {
  let pages = 0;
  const countActivity = async () => {
    pages += 1;
    return page;
  };
  const count = createActivityProcessor({ countActivity }, log);
  await count({ organizationId: 1 }, never);
  assert.equal(pages, LIMITS.activityPagesPerJob);
  await count({ organizationId: 1 }, AbortSignal.abort());
  assert.equal(pages, LIMITS.activityPagesPerJob);
});

test('a hole in the log fails the job and says where it is', async () => {
  const count = createActivityProcessor({ countActivity: async () => ({ ...page, after: 7, hasHole: true }) }, log);
  await assert.rejects(count({ organizationId: 42 }, never), /organization 42 has a hole after 7/);
});
