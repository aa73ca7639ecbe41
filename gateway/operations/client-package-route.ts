import { readFile } from 'node:fs/promises';
import { type KeptFile, keptFile, sendKept } from '../request/kept-file.ts';
import { type RawRoute, rawRoute } from '../route.ts';

/** Made by `npm run build`. The compiled gateway lies as deep as this file. */
const PACKAGE = new URL('../../dist/client.tgz', import.meta.url);

/** Serves the TypeScript client of this release, so that `npm i <address>/client.tgz` gives the one that fits. */
export function clientPackageRoute(): RawRoute {
  let opening: Promise<KeptFile> | undefined;
  return rawRoute({
    method: 'GET',
    path: '/client.tgz',
    place: 'root',
    guard: { kind: 'operational' },
    summary: 'The TypeScript client of this release, for npm',
    answers: 'application/gzip',
    etag: true,
    async handle(_request, reply, incoming) {
      opening ??= readFile(PACKAGE).then((bytes) => keptFile('application/gzip', bytes));
      const file = await opening;
      if (!reply.done) sendKept(file, [], { reply, incoming });
    },
  });
}
