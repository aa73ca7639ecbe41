import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Header } from '../http/port.ts';
import { entityTagsOf } from '../request/parse-request.ts';
import { type RawRoute, rawRoute } from '../route.ts';

interface ClientPackage {
  readonly bytes: Buffer;
  readonly headers: readonly Header[];
  readonly etag: string;
}

/** Made by `npm run build`. The compiled gateway lies as deep as this file. */
const PACKAGE = new URL('../../dist/client.tgz', import.meta.url);

/** Serves the TypeScript client of this release, so that `npm i <address>/client.tgz` gives the one that fits. */
export function clientPackageRoute(): RawRoute {
  let opening: Promise<ClientPackage> | undefined;
  return rawRoute({
    method: 'GET',
    path: '/client.tgz',
    place: 'root',
    guard: { kind: 'operational' },
    summary: 'The TypeScript client of this release, for npm',
    answers: 'application/gzip',
    etag: true,
    async handle(_request, reply, incoming) {
      opening ??= openPackage();
      const { bytes, headers, etag } = await opening;
      if (reply.done) return;
      const isKnown = entityTagsOf(incoming.header('if-none-match'))?.includes(etag);
      if (isKnown) reply.send(304, headers, '');
      else reply.send(200, [['Content-Type', 'application/gzip'], ...headers], bytes);
    },
  });
}

async function openPackage(): Promise<ClientPackage> {
  const bytes = await readFile(PACKAGE);
  const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
  // Kept, and asked for again each time: the next release has another package at the same address.
  return {
    bytes,
    etag,
    headers: [
      ['ETag', etag],
      ['Cache-Control', 'no-cache'],
    ],
  };
}
