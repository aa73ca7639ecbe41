import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TASK } from '../../../engine/store/rows/record-tables.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { callerOf, createCommand, startEngineFixture } from '../support/engine-fixture.ts';
import { fullBatch } from '../support/full-batch.ts';

test('a full commit whose rows cannot be encoded makes nothing, and ends neither the process nor the organization', async (t) => {
  const { engine, organizations, organizationIds, stop } = await startEngineFixture({ organizations: 1 });
  try {
    const [organizationId] = organizationIds as [number];
    const create = (name: string) => engine.ask(organizationId, createCommand(name, callerOf(organizations[0]!)));
    assert.ok((await create('before')).ok);
    const tooLong = () => {
      throw new RangeError('Invalid string length');
    };
    const encode = t.mock.method(TASK, 'encode', tooLong);
    const refused = await engine.ask(organizationId, fullBatch(organizations[0]!));
    assert.equal(!refused.ok && refused.refusal.code, 'INTERNAL');
    assert.equal(encode.mock.callCount(), 1);
    encode.mock.restore();
    assert.ok((await create('after')).ok);
    const { state } = engine.parts.directory.find(organizationId)!;
    assert.deepEqual([state.openTasks, state.lastSequence], [2, 2]);
    assert.ok((await engine.ask(organizationId, fullBatch(organizations[0]!))).ok);
    assert.equal(state.openTasks, 2 + LIMITS.batchTasks);
  } finally {
    await stop();
  }
});
