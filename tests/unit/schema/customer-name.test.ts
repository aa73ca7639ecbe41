import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitName } from '../../../schema/customers/customer.ts';

for (const [name, firstName, lastName] of [
  ['Ada Lovelace', 'Ada', 'Lovelace'],
  ['Ada', 'Ada', ''],
  ['  Ada  Mary\tLovelace ', 'Ada', 'Mary Lovelace'],
  ['李 小龙', '李', '小龙'],
  ['Ada\u00a0Lovelace', 'Ada', 'Lovelace'],
  ['O’Neil-Smith', 'O’Neil-Smith', ''],
] as const) {
  test(`${JSON.stringify(name)} is split into ${JSON.stringify([firstName, lastName])}`, () => {
    assert.deepEqual(splitName(name), { firstName, lastName });
  });
}
