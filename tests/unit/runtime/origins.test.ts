import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError, readConfig } from '../../../engine/runtime/config.ts';

const EXAMPLE = ', such as https://console.example.com';

for (const [given, origins] of [
  ['', []],
  [' , ', []],
  ['*', ['*']],
  ['https://console.example.com', ['https://console.example.com']],
  [' https://a.example , http://localhost:5173,', ['https://a.example', 'http://localhost:5173']],
  ['http://[::1]:3000', ['http://[::1]:3000']],
  ['https://xn--bcher-kva.example:8443', ['https://xn--bcher-kva.example:8443']],
  ['capacitor://localhost,chrome-extension://abcdef', ['capacitor://localhost', 'chrome-extension://abcdef']],
] as const) {
  test(`CORS_ORIGINS=${given} lets in ${origins.length} origins`, () => {
    assert.deepEqual(readConfig({ CORS_ORIGINS: given }).corsOrigins, origins);
  });
}

for (const [given, problem] of [
  ['*,https://a.example', '"*" must stand alone'],
  ['https://*.example.com', `"https://*.example.com" is not an origin${EXAMPLE}`],
  ['console.example.com', `"console.example.com" is not an origin${EXAMPLE}`],
  ['null', `"null" is not an origin${EXAMPLE}`],
  ['https://', `"https://" is not an origin${EXAMPLE}`],
  ['https://a b.example', `"https://a b.example" is not an origin${EXAMPLE}`],
  ['file:///x', `"file:///x" is not an origin${EXAMPLE}`],
  ['wss://a.example', `"wss://a.example" is not an origin${EXAMPLE}`],
  ['https://a.example/', '"https://a.example/" is not an origin; write https://a.example'],
  ['https://a.example/console', '"https://a.example/console" is not an origin; write https://a.example'],
  ['https://A.example', '"https://A.example" is not an origin; write https://a.example'],
  ['https://a.example:443', '"https://a.example:443" is not an origin; write https://a.example'],
  ['https://user:secret@a.example', '"https://user:secret@a.example" is not an origin; write https://a.example'],
  ['https://bücher.example', '"https://bücher.example" is not an origin; write https://xn--bcher-kva.example'],
  ['https://a.example;https://b.example', `"https://a.example;https://b.example" is not an origin${EXAMPLE}`],
] as const) {
  test(`CORS_ORIGINS=${given} stops the start`, () => {
    assert.throws(
      () => readConfig({ CORS_ORIGINS: given }),
      (error) => error instanceof ConfigError && error.message.endsWith(`CORS_ORIGINS: ${problem}`),
    );
  });
}
