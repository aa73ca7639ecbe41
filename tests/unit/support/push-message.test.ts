import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBrowserKeys, decryptPush } from '../../support/services/push-message.ts';

const bytes = (text: string) => Buffer.from(text, 'base64url');

test('the example of RFC 8291 is read', () => {
  const keys = createBrowserKeys(bytes('q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94'), bytes('BTBZMqHH6r4Tts7J_aSIgg'));
  const body = bytes(
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_y' +
      'l95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  );
  assert.equal(decryptPush(body, keys).toString(), 'When I grow up, I want to be a watermelon');
});

test('one that somebody has altered is not read', () => {
  const keys = createBrowserKeys();
  assert.throws(() => decryptPush(Buffer.alloc(200, 4), keys));
});
