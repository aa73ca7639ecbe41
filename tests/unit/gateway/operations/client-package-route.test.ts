import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { IncomingRequest, Reply } from '../../../../gateway/http/port.ts';
import { clientPackageRoute } from '../../../../gateway/operations/client-package-route.ts';
import type { ParsedRequest } from '../../../../gateway/route.ts';

const folder = mkdtempSync(join(tmpdir(), 'client-package-'));
after(() => rmSync(folder, { recursive: true }));

/** A gateway whose package lies in a file of that name. */
function gatewayWith(name: string) {
  const file = join(folder, name);
  const start = () => clientPackageRoute(pathToFileURL(file));
  const ask = async (route: ReturnType<typeof start>) => {
    let sent: unknown;
    const send: Reply['send'] = (status, _headers, body) => {
      sent = [status, String(body)];
    };
    await route.handle(
      {} as ParsedRequest,
      { send } as Reply,
      { header: () => undefined } as unknown as IncomingRequest,
    );
    return sent;
  };
  return { start, ask, build: (release: string) => writeFileSync(file, release) };
}

test('a gateway serves the client of its own release, also after another one was built in its place', async () => {
  const { start, ask, build } = gatewayWith('kept.tgz');
  build('release 1');
  const route = start();
  build('release 2');
  assert.deepEqual(await ask(route), [200, 'release 1']);
  assert.deepEqual(await ask(start()), [200, 'release 2']);
});

test('a gateway that starts without a built client serves it once it is there', async () => {
  const { start, ask, build } = gatewayWith('late.tgz');
  const route = start();
  await assert.rejects(ask(route), { code: 'ENOENT' });
  await assert.rejects(ask(route), { code: 'ENOENT' });
  build('release 1');
  assert.deepEqual(await ask(route), [200, 'release 1']);
  build('release 2');
  assert.deepEqual(await ask(route), [200, 'release 1']);
});
