import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** The folder of the console's sources, from the root of the repository. */
const SOURCES = 'gateway/console';
/** Below this there is no gain in compressing. */
const LEAST_BYTES = 256;
const COMPRESSED = /\.(js|css|html|svg)$/;

/**
 * Compiles the console into `<dist>/console`: `page.html`, and files with hashed names in `assets`, each beside its
 * compressed forms. Returns the paths of its sources from the root.
 */
export async function buildConsole(build, root, dist) {
  const common = {
    absWorkingDir: root,
    outdir: join(dist, 'console/assets'),
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: ['es2022', 'chrome109', 'firefox115', 'safari16'],
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    publicPath: '/console/assets',
    loader: { '.svg': 'text', '.woff2': 'file' },
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  };
  const workers = await build({
    ...common,
    entryPoints: {
      live: join(SOURCES, 'live/worker.ts'),
      'map-worker': 'node_modules/maplibre-gl/dist/maplibre-gl-worker.mjs',
    },
  });
  const page = await build({
    ...common,
    splitting: true,
    entryPoints: { console: join(SOURCES, 'main.tsx') },
    define: {
      LIVE_WORKER_URL: JSON.stringify(addressOf(workers, 'live')),
      MAP_WORKER_URL: JSON.stringify(addressOf(workers, 'map-worker')),
    },
  });
  const html = join(SOURCES, 'page.html');
  const shell = readFileSync(join(root, html), 'utf8')
    .replace('%SCRIPT%', addressOf(page, 'console'))
    .replace('%STYLE%', addressOf(page, 'console', '.css'));
  mkdirSync(join(dist, 'console'), { recursive: true });
  writeFileSync(join(dist, 'console/page.html'), shell);
  await compressAll(join(dist, 'console/assets'));
  return [html, ...Object.keys(workers.metafile.inputs), ...Object.keys(page.metafile.inputs)];
}

function addressOf({ metafile }, name, suffix = '.js') {
  const found = Object.keys(metafile.outputs).find((path) => new RegExp(`/${name}-[A-Z0-9]+\\${suffix}$`).test(path));
  return `/console/assets/${found.slice(found.lastIndexOf('/') + 1)}`;
}

async function compressAll(folder) {
  const brotli = promisify(brotliCompress);
  const zip = promisify(gzip);
  await Promise.all(
    readdirSync(folder)
      .filter((name) => COMPRESSED.test(name))
      .map(async (name) => {
        const path = join(folder, name);
        const bytes = readFileSync(path);
        if (bytes.length < LEAST_BYTES) return;
        const params = { [constants.BROTLI_PARAM_QUALITY]: 10, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
        writeFileSync(`${path}.br`, await brotli(bytes, { params }));
        writeFileSync(`${path}.gz`, await zip(bytes, { level: 9 }));
      }),
  );
}
