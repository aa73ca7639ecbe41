import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { compiledProgram } from '../../support/runner/run-environment.ts';
import { until } from '../../support/until.ts';

/** The health check of the image, in a container that runs one program or another. */

let isAlive = true;
const gateway = createServer((_, response) => response.writeHead(isAlive ? 200 : 503).end()).listen(0, '127.0.0.1');
const folder = mkdtempSync(join(tmpdir(), 'health-'));
before(() => until('the stand-in listens', () => gateway.listening));
after(() => {
  gateway.close();
  rmSync(folder, { recursive: true });
});

/** The exit code of the check beside a program that was started by this command line. */
function check(commandLine: string, settings: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const file = join(folder, 'cmdline');
  writeFileSync(file, commandLine.replaceAll(' ', '\0'));
  const program = compiledProgram('health');
  const { port } = gateway.address() as { port: number };
  const env = { ...program.env, HOST: '0.0.0.0', PORT: `${port}`, ...settings };
  return new Promise((resolve) => {
    execFile(process.execPath, [...program.args, file], { env }, (error) => resolve(error ? error.code : 0));
  });
}

const GATEWAY = 'node --max-semi-space-size=64 dist/bin/gateway.js';

test('a gateway is healthy while it answers', async () => {
  for (const started of [GATEWAY, `/sbin/docker-init -- ${GATEWAY}`, 'node dist/bin/launcher.js'])
    assert.equal(await check(started), 0, started);
  isAlive = false;
  assert.equal(await check(GATEWAY), 1);
  isAlive = true;
});

test('a gateway that does not listen is not healthy', async () => {
  assert.equal(await check(GATEWAY, { PORT: '1' }), 1);
});

test('a gateway with TLS is asked by TLS', async () => {
  assert.equal(await check(GATEWAY, { TLS_CERT_FILE: 'a.pem', TLS_KEY_FILE: 'b.pem' }), 1);
});

test('workers, migrations and the command line answer nobody, and are healthy as long as they run', async () => {
  for (const name of ['workers', 'migrate', 'admin'])
    assert.equal(await check(`node dist/bin/${name}.js`, { PORT: '1' }), 0, name);
});
