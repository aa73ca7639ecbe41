import { readFileSync } from 'node:fs';
import { type KeptFile, keptFile, sendKept } from '../request/kept-file.ts';
import { type RawRoute, rawRoute } from '../route.ts';

/** Made by `npm run build`. The compiled gateway lies as deep as this file. */
const PACKAGE = new URL('../../dist/client.tgz', import.meta.url);

/**
 * Serves the TypeScript client of this release, so that `npm i <address>/client.tgz` gives the one that fits. It is read at
 * the start: a later build in the same place may be of another release.
 */
export function clientPackageRoute(file: URL = PACKAGE): RawRoute {
  let kept: KeptFile | undefined;
  try {
    kept = read(file);
  } catch {
    // Not built, or not now. The next call that asks for it looks again.
  }
  return rawRoute({
    method: 'GET',
    path: '/client.tgz',
    place: 'root',
    guard: { kind: 'operational' },
    summary: 'The TypeScript client of this release, for npm',
    answers: 'application/gzip',
    etag: true,
    async handle(_request, reply, incoming) {
      kept ??= read(file);
      sendKept(kept, [], { reply, incoming });
    },
  });
}

function read(file: URL): KeptFile {
  return keptFile('application/gzip', readFileSync(file));
}
