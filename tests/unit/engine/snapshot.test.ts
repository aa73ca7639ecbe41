import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isVisible } from '../../../engine/store/access/snapshot.ts';

for (const [xid, snapshot, expected, why] of [
  ['4', '5:8:6', true, 'ended before any that runs'],
  ['5', '5:8:6', true, 'at the lower end, not running'],
  ['6', '5:8:6', false, 'running'],
  ['7', '5:8:6', true, 'ended behind one that runs'],
  ['8', '5:8:6', false, 'began afterwards'],
  ['9', '5:8:6', false, 'began later still'],
  ['7', '8:8:', true, 'when nothing runs'],
  ['8', '8:8:', false, 'when nothing runs'],
  ['5', '5:8:5,7', false, 'the first of those that run'],
  ['7', '5:8:5,7', false, 'the last of those that run'],
  ['6', '5:8:5,7', true, 'between those that run'],
  ['9', '5:17:7,16', true, 'longer numbers count as numbers'],
  ['6', '5:20:16', true, 'one that runs ends in the same digit'],
  ['4294967297', '4294967296:4294967299:4294967298', true, 'after 32 bits'],
  ['9007199254740992', '9007199254740993:9007199254740993:', true, 'beyond the exact numbers of JavaScript'],
  ['1', '1:1:', false, 'the snapshot of nobody'],
] as const) {
  test(`${xid} is ${expected ? '' : 'not '}visible in ${snapshot}: ${why}`, () => {
    assert.equal(isVisible(xid, snapshot), expected);
  });
}
