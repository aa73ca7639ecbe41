import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkWebhookUrl } from '../../../engine/runtime/outbound/check-webhook-url.ts';

const PUBLIC_ADDRESS = '93.184.215.14';
const PRIVATE = 'must not lead to a private address';
const NEARBY = 'must name a host of the public internet';
const FORM = 'must be a URL like https://example.com/hook';

function check(url: string, addresses: readonly string[] = [PUBLIC_ADDRESS]) {
  return checkWebhookUrl(url, { allowPrivate: false, resolve: async () => addresses });
}

for (const url of [
  'https://example.com/hook',
  'http://example.com',
  'https://example.com:8443/hook?shop=7&x=%20',
  'https://sub.xn--bcher-kva.example/hook',
  'https://bücher.example/',
  'http://93.184.215.14/',
  'https://[2606:4700::1111]:9443/',
]) {
  test(`${url} is fine`, async () => assert.equal(await check(url), undefined));
}

for (const [url, complaint] of [
  ['', FORM],
  ['example.com/hook', FORM],
  ['https://', FORM],
  ['https://exa mple.com/', 'must not contain spaces or control characters'],
  ['ht\ntps://example.com/', 'must not contain spaces or control characters'],
  ['https://example.com/\0', 'must not contain spaces or control characters'],
  ['ftp://example.com/', 'must begin with https:// or http://'],
  ['file:///etc/passwd', 'must begin with https:// or http://'],
  ['gopher://example.com/', 'must begin with https:// or http://'],
  ['javascript:alert(1)', 'must begin with https:// or http://'],
  ['https://user@example.com/', 'must not contain a user name or a password'],
  ['https://:password@example.com/', 'must not contain a user name or a password'],
  ['https://example.com@127.0.0.1/', 'must not contain a user name or a password'],
  ['https://example.com/#part', 'must not contain a fragment'],
  ['https://example.com/#', 'must not contain a fragment'],
  ['https://example.com./', 'must not end its host with a dot'],
  ['http://localhost./', 'must not end its host with a dot'],
  ['http://localhost/', NEARBY],
  ['http://LOCALHOST/', NEARBY],
  ['http://redis/', NEARBY],
  ['http://a.localhost/', NEARBY],
  ['http://printer.local/', NEARBY],
  ['http://metadata.google.internal/', NEARBY],
  ['http://router.home.arpa/', NEARBY],
  ['http://example.com:22/', 'must not use port 22'],
  ['http://example.com:8/', 'must not use port 8'],
  ['http://example.com:5432/', 'must not use port 5432'],
  ['http://example.com:6379/', 'must not use port 6379'],
  ['http://93.184.215.14:6379/', 'must not use port 6379'],
  // All private addresses stand in public-address.test.ts, all spellings in the test of the sender.
  ...['127.0.0.1', '2130706433', '127%2e0%2e0%2e1', '[::ffff:127.0.0.1]', '[fd00::1]'].map(
    (host) => [`http://${host}/`, PRIVATE] as const,
  ),
] as const) {
  test(`${JSON.stringify(url)} ${complaint}`, async () => assert.equal(await check(url), complaint));
}

for (const addresses of [
  ['10.0.0.1'],
  [PUBLIC_ADDRESS, '127.0.0.1'],
  [PUBLIC_ADDRESS, 'fd00::1'],
  ['::ffff:8.8.8.8'],
]) {
  test(`a name that leads to ${addresses.join(' and ')} is refused`, async () => {
    assert.equal(await check('https://example.com/', addresses), PRIVATE);
  });
}

test('a name that nobody knows now is let through, and so is one that is not answered in time', async (t) => {
  const unknown = () => Promise.reject(Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' }));
  assert.equal(await checkWebhookUrl('https://example.com/', { allowPrivate: false, resolve: unknown }), undefined);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const silent = () => new Promise<never>(() => {});
  const checked = checkWebhookUrl('https://example.com/', { allowPrivate: false, resolve: silent });
  t.mock.timers.runAll();
  assert.equal(await checked, undefined);
});

test('where private addresses are allowed, hosts and ports are free, and the form is not', async () => {
  const lax = { allowPrivate: true, resolve: async () => ['127.0.0.1'] };
  for (const url of ['http://localhost:6379/', 'http://127.0.0.1:1/', 'http://sink/', 'http://[::1]/'])
    assert.equal(await checkWebhookUrl(url, lax), undefined, url);
  assert.equal(await checkWebhookUrl('ftp://localhost/', lax), 'must begin with https:// or http://');
  assert.equal(await checkWebhookUrl('http://a:b@localhost/', lax), 'must not contain a user name or a password');
});
