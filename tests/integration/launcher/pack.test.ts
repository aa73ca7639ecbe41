import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runEnvironment } from '../../support/runner/run-environment.ts';
import { SECRETS } from '../../support/secrets.ts';
import { createTestPlace } from '../../support/system/gateway.ts';
import { reservePort } from '../../support/system/reserve-port.ts';
import { until } from '../../support/until.ts';

const PACK = 'engine/launcher/build/pack.mjs';
/** The programs with their packages, without Node and the system below. */
const MOST_MIB = 40;
const OVER_HTTPS = { headers: { 'x-forwarded-proto': 'https' } };

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
  );
}

test('the packed programs are small, list their packages, and serve away from the sources', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pack-'));
  const packed = join(folder, 'app');
  const place = await createTestPlace();
  try {
    execFileSync(process.execPath, [PACK, packed], { env: runEnvironment() });
    const files = filesIn(packed);
    const natives = files.filter((file) => file.includes('uWebSockets.js') && file.endsWith('.node'));
    assert.equal(natives.length, 1, natives.join());
    const sbom = JSON.parse(readFileSync(join(packed, 'sbom.cdx.json'), 'utf8'));
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
    const listed = new Map(sbom.components.map(({ name, version }: Record<string, string>) => [name, version]));
    for (const name of ['valibot', 'postgres', 'bullmq'])
      assert.equal(listed.get(name), packages[`node_modules/${name}`].version, name);
    const mib = files.reduce((sum, file) => sum + statSync(file).size, 0) / 1_048_576;
    assert.ok(mib < MOST_MIB, `${mib.toFixed(1)} MiB`);

    const port = await reservePort();
    const { NODE_OPTIONS: _, ...env } = runEnvironment();
    const stores = { DATABASE_URL: place.databaseUrl, REDIS_URL: place.redisUrl, REDIS_PREFIX: place.redisPrefix };
    const gateway = spawn(process.execPath, ['dist/bin/gateway.js'], {
      cwd: packed,
      env: { ...env, ...stores, ...SECRETS, PORT: `${port}`, NODE_ENV: 'production', TRUSTED_PROXIES: '127.0.0.1' },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const isReady = () =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    try {
      await until('it serves', isReady);
      for (const path of ['/', '/docs', '/docs/guides', '/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js'])
        assert.equal((await fetch(`http://127.0.0.1:${port}${path}`, OVER_HTTPS)).status, 200, path);
    } finally {
      const ended = once(gateway, 'exit');
      gateway.kill('SIGTERM');
      await ended;
    }
  } finally {
    await place.drop();
    rmSync(folder, { recursive: true });
  }
});

test('a folder that is there is not packed into', () => {
  assert.throws(
    () => execFileSync(process.execPath, [PACK, tmpdir()], { env: runEnvironment(), stdio: 'pipe' }),
    /Usage/,
  );
});
