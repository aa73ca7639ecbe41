import assert from 'node:assert/strict';
import { test } from 'node:test';
import { providerNameOf } from '../../../engine/providers/open-providers.ts';
import { ConfigError, publicUrlOf, readConfig } from '../../../engine/runtime/config.ts';

test('a key of Stripe and the secret of its callbacks need each other', () => {
  assert.throws(() => readConfig({ STRIPE_SECRET_KEY: 'sk' }), ConfigError);
  const secretAlone = { STRIPE_WEBHOOK_SECRET: 'whsec' };
  for (const settings of [secretAlone, { ...secretAlone, STRIPE_SECRET_KEY: '' }]) {
    assert.throws(
      () => readConfig(settings),
      (error) => error instanceof ConfigError && /^STRIPE_WEBHOOK_SECRET needs STRIPE_SECRET_KEY/.test(error.message),
    );
  }
  const { stripe } = readConfig({ STRIPE_SECRET_KEY: 'sk', STRIPE_WEBHOOK_SECRET: 'whsec' });
  assert.deepEqual(stripe, { secretKey: 'sk', webhookSecret: 'whsec', apiBase: 'https://api.stripe.com' });
});

test('payments go to Stripe where there is a key of it, else to the provider of our own', () => {
  assert.equal(providerNameOf(readConfig({ STRIPE_SECRET_KEY: 'sk', STRIPE_WEBHOOK_SECRET: 'whsec' })), 'stripe');
  assert.equal(providerNameOf(readConfig({})), 'test');
  assert.equal(providerNameOf(readConfig({ STRIPE_SECRET_KEY: '' })), 'test');
});

for (const [settings, listening, url] of [
  [{}, undefined, 'http://127.0.0.1:8080'],
  [{ PORT: '0' }, 4_711, 'http://127.0.0.1:4711'],
  [{ HOST: '0.0.0.0', PORT: '80' }, undefined, 'http://127.0.0.1:80'],
  [{ HOST: '::1' }, undefined, 'http://[::1]:8080'],
  [{ TLS_CERT_FILE: 'c', TLS_KEY_FILE: 'k' }, undefined, 'https://127.0.0.1:8080'],
  [{ PUBLIC_URL: 'https://pay.example.com/' }, 4_711, 'https://pay.example.com'],
] as const) {
  test(`with ${JSON.stringify(settings)} customers reach ${url}`, () => {
    const config = readConfig(settings);
    assert.equal(listening === undefined ? publicUrlOf(config) : publicUrlOf(config, listening), url);
  });
}

test('an invalid address is refused', () => {
  assert.throws(() => readConfig({ PUBLIC_URL: 'pay.example.com' }), /PUBLIC_URL/);
  assert.throws(() => readConfig({ STRIPE_API_BASE: 'ftp://x' }), /STRIPE_API_BASE/);
});
