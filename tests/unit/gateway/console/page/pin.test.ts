import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isNowhere, pinIn } from '../../../../../gateway/console/page/pin.ts';

const BEFORE = { address: 'Low St 1', pin: '23.81030, 90.41250' };

test('a changed place whose pin is no place is nowhere', () => {
  assert.equal(pinIn('90.4125, 23.8103'), null, 'no latitude is beyond 90');
  assert.ok(isNowhere(BEFORE, { ...BEFORE, pin: '90.4125, 23.8103' }));
  assert.ok(isNowhere(BEFORE, { address: 'High St 2', pin: '23.8103, 190' }));
  assert.ok(isNowhere({ ...BEFORE, pin: '' }, { address: 'High St 2', pin: '' }));
});

test('a place that stays is not judged, and one with a pin is somewhere', () => {
  assert.ok(!isNowhere({ address: '', pin: '' }, { address: '', pin: '' }));
  assert.ok(!isNowhere(BEFORE, { ...BEFORE, address: ' Low St 1 ' }));
  assert.ok(!isNowhere(BEFORE, { ...BEFORE, address: 'High St 2' }));
  assert.ok(!isNowhere(BEFORE, { ...BEFORE, pin: '23.8, 90.4' }));
});
