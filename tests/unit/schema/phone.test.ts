import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePhone, readPhone } from '../../../schema/fields/phone.ts';

for (const text of [
  '+442079460001',
  '+44 20 7946 0001',
  '+44 (20) 7946-0001',
  '+44.20.7946.0001',
  ' +442079460001 ',
  '+44 (0)20 7946 0001',
]) {
  test(`"${text}" is taken apart`, () => {
    assert.deepEqual(parsePhone(text), { e164: '+442079460001', countryCode: '+44', number: '2079460001' });
  });
}

for (const text of [
  '',
  '12',
  '02079460001',
  '442079460001',
  '+',
  '+44',
  '+99999999999999999999',
  'phone',
  '+1 212',
  '+44\u00002079460001',
  '\ud800+442079460001',
  `+${'4'.repeat(100)}`,
]) {
  test(`${JSON.stringify(text)} is no possible number`, () => {
    assert.equal(parsePhone(text), undefined);
  });
}

for (const text of [
  '+442079460001 x12',
  '+44 20 7946 0001 ext. 12',
  '+442079460001#12',
  '+442079460001,12',
  'tel:+44-20-7946-0001;ext=12',
]) {
  test(`"${text}" has an extension, also when it is read again`, () => {
    const phone = { e164: '+442079460001', countryCode: '+44', number: '2079460001' };
    for (const _ of [1, 2]) assert.deepEqual(readPhone(text), { phone, hasExtension: true });
    assert.deepEqual(readPhone('+442079460001'), { phone, hasExtension: false });
  });
}

test('a number is the same however often it is parsed, and past the bound of what is remembered', () => {
  for (let index = 0; index < 10_100; index += 1) {
    const subscriber = String(2_000_000_000 + index);
    assert.equal(parsePhone(`+44${subscriber}`)?.number, subscriber);
  }
  assert.equal(parsePhone('+442000000000')?.e164, '+442000000000');
});
