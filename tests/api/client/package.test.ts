import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { transform } from 'esbuild';
import { parseTar } from 'nanotar';
import { useGateway } from '../api-fixture.ts';

const fixture = useGateway();
const LARGEST_BYTES = 20_000;

test('the gateway serves its client as a package, and not again to a reader that has it', async () => {
  const address = `${fixture.gateway.baseUrl}/client.tgz`;
  const reply = await fetch(address);
  assert.deepEqual([reply.status, reply.headers.get('content-type')], [200, 'application/gzip']);
  const etag = reply.headers.get('etag')!;
  const known = await fetch(address, { headers: { 'if-none-match': `"other", ${etag}` } });
  assert.deepEqual([known.status, known.headers.get('etag'), await known.text()], [304, etag, '']);

  const files = parseTar(gunzipSync(Buffer.from(await reply.arrayBuffer())));
  const textOf = (name: string) => files.find((file) => file.name === `package/${name}`)!.text;
  const manifest = JSON.parse(textOf('package.json'));
  assert.deepEqual([manifest.name, manifest.version], ['last-mile-dispatch-client', '0.2.0']);
  assert.equal(manifest.dependencies, undefined);

  const { code } = await transform(textOf('client.js'), { minify: true, format: 'esm' });
  const bytes = gzipSync(code).length;
  assert.ok(bytes <= LARGEST_BYTES, `${bytes} bytes minified and gzipped`);
  assert.doesNotMatch(code, /\bimport\b[^(]*from\b|require\(/, 'the bundle imports nothing');

  const served = await (await fetch(`${fixture.gateway.baseUrl}/docs/openapi.json`)).text();
  const hash = createHash('sha256').update(served).digest('hex');
  assert.ok(
    textOf('types/document.d.ts').startsWith(`// Made from the document ${hash}\n`),
    'its types are those of the document',
  );
});
