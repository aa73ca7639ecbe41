import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isNowhere, pinIn, pinText, wantedPin } from '../../../../../gateway/console/page/pin.ts';

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

test('another address leaves the pin where it is, to the last decimal', () => {
  const own = { latitude: 52.5200066, longitude: 13.404954 };
  const before = { address: 'Low St 1', pin: pinText(own) };
  assert.deepEqual(wantedPin(before, { address: 'Low St 2', pin: ` ${before.pin}` }, own), own);
  assert.deepEqual(wantedPin(before, { ...before, pin: '52.5, 13.4' }, own), { latitude: 52.5, longitude: 13.4 });
  assert.equal(wantedPin({ ...before, pin: '' }, { ...before, pin: '' }, null), null);
});
