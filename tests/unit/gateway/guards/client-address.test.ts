import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClientAddress } from '../../../../gateway/guards/client-address.ts';
import { createTransportGuard } from '../../../../gateway/guards/transport-guard.ts';
import { createTrustedProxies, remembering } from '../../../../gateway/guards/trusted-proxies.ts';
import type { IncomingRequest } from '../../../../gateway/http/port.ts';
import { LIMITS } from '../../../../schema/limits.ts';

const PROXIES = ['10.0.0.0/8', '192.0.2.7', '2001:db8:1::/48'];
const isTrusted = createTrustedProxies(PROXIES);
const addressOf = createClientAddress(isTrusted);

function requestFrom(remoteAddress: string, headers: Readonly<Record<string, string>> = {}): IncomingRequest {
  return {
    method: 'GET',
    path: '/',
    query: '',
    remoteAddress,
    header: (name) => headers[name],
    headerCount: (name) => (name in headers ? 1 : 0),
    readBody: () => Promise.reject(new Error('has none')),
  };
}

const LONG = Array.from({ length: 40 }, () => '10.1.1.1').join(', ');

for (const [what, peer, forwarded, address] of [
  ['without a header the peer', '203.0.113.9', undefined, '203.0.113.9'],
  ['without a header the proxy itself', '10.0.0.1', undefined, '10.0.0.1'],
  ['a stranger is not believed', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
  ['a proxy is believed', '10.0.0.1', '198.51.100.1', '198.51.100.1'],
  ['what a client wrote before its proxy does not count', '10.0.0.1', '1.2.3.4, 198.51.100.1', '198.51.100.1'],
  ['proxies before proxies are passed over', '10.0.0.1', '1.2.3.4, 198.51.100.1, 192.0.2.7, 10.9.9.9', '198.51.100.1'],
  ['of proxies alone the first', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
  ['a long list is read, too', '10.0.0.1', `1.2.3.4, 198.51.100.1, ${LONG}`, '198.51.100.1'],
  ['IPv6 through an IPv6 proxy', '2001:db8:1::5', '2001:db8:2::1', '2001:db8:2::1'],
  ['a port is cut', '10.0.0.1', '198.51.100.1:4711', '198.51.100.1'],
  ['brackets and a port are cut', '10.0.0.1', '[2001:db8:2::1]:443', '2001:db8:2::1'],
  ['brackets alone are cut', '10.0.0.1', '[2001:DB8:2::1]', '2001:db8:2::1'],
  ['a zone is cut', '10.0.0.1', 'fe80::1%eth0', 'fe80::1'],
  ['IPv4 inside IPv6 is IPv4', '10.0.0.1', '::ffff:198.51.100.1', '198.51.100.1'],
  ['a proxy written as IPv6 is still one', '10.0.0.1', '198.51.100.1, ::FFFF:10.0.0.2', '198.51.100.1'],
  ['nonsense is no address', '10.0.0.1', 'unknown', '10.0.0.1'],
  ['nonsense ends at the last good one', '10.0.0.1', '198.51.100.1, _hidden, 10.0.0.2', '10.0.0.2'],
  ['an empty header', '10.0.0.1', '', '10.0.0.1'],
  ['empty entries', '10.0.0.1', ' , ,', '10.0.0.1'],
  ['an address that is none', '10.0.0.1', '300.1.2.3', '10.0.0.1'],
  ['text that would like to be more', '10.0.0.1', "1.2.3.4'; DROP TABLE users", '10.0.0.1'],
  ['a peer that is gone', '', '198.51.100.1', null],
] as const) {
  test(`the client's address: ${what}`, () => {
    const request = requestFrom(peer, forwarded === undefined ? {} : { 'x-forwarded-for': forwarded });
    assert.equal(addressOf(request), address);
    assert.equal(addressOf(request), address, 'and the same when it is asked again');
  });
}

for (const entry of ['10.0.0.0/33', 'nonsense', '10.0.0.0/x', '::1/129', '']) {
  test(`a trusted proxy "${entry}" is a setting that cannot be used`, () => {
    assert.throws(() => createTrustedProxies(['127.0.0.1', entry]), /is neither an address nor a network/);
  });
}

test('only a trusted proxy may vouch for HTTPS', () => {
  const isSecure = createTransportGuard({ servesTls: false, allowInsecureHttp: false, isTrusted });
  const https = { 'x-forwarded-proto': 'https' };
  assert.deepEqual(
    [
      requestFrom('10.0.0.1', https),
      requestFrom('2001:db8:1::9', https),
      requestFrom('10.0.0.1'),
      requestFrom('10.0.0.1', { 'x-forwarded-proto': 'https, http' }),
      requestFrom('203.0.113.9', https),
      requestFrom('', https),
    ].map(isSecure),
    [true, true, false, false, false, false],
  );
});

test('answers are remembered, and not more of them than there is room for', () => {
  const computed: string[] = [];
  const ask = remembering(LIMITS.trustedPeers, (text) => {
    computed.push(text);
    return text.length > 3;
  });
  for (let i = 0; i < 3; i++) assert.deepEqual([ask('a'), ask('abcd')], [false, true]);
  assert.deepEqual(computed, ['a', 'abcd']);
  for (let i = 0; i < LIMITS.trustedPeers; i++) ask(`peer ${i}`);
  assert.equal(ask('a'), false);
  assert.equal(computed.at(-1), 'a', 'it had left to make room');
});
