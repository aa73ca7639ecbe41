import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin, transform } from 'esbuild';
import type { Bundle } from './translation-hooks.ts';

/** Packages that take long to load in their many small files, and that do not look for files beside their own. */
const PACKAGES = [
  'bullmq',
  'ioredis',
  'undici',
  'stripe',
  'bwip-js/node',
  'libphonenumber-js',
  'nodemailer',
  'jose',
  'web-push',
  'fast-json-stringify',
  'prom-client',
];

const HERE = fileURLToPath(new URL('.', import.meta.url));
const TARGET = `node${process.versions.node}`;

/** CommonJS in a module needs a `require` for the modules of Node. */
const BANNER = [
  "import { createRequire as createOwnRequire } from 'node:module';",
  'const require = createOwnRequire(import.meta.url);',
].join('\n');

/**
 * Joins each entry with everything of the tree that it imports into one file under `directory`: a process that loads a
 * gateway from one file starts in half of the time. Returns the bundles by the URLs of their entries.
 */
export async function bundleEntries(
  root: string,
  directory: string,
  entries: readonly string[],
): Promise<Record<string, Bundle>> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [...entries],
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: TARGET,
    outdir: directory,
    outbase: root,
    sourcemap: 'external',
    sourcesContent: false,
    metafile: true,
    logLevel: 'silent',
    plugins: [ownUrls],
  });
  const bundles: Record<string, Bundle> = {};
  for (const [output, { entryPoint, inputs }] of Object.entries(metafile.outputs)) {
    if (entryPoint === undefined) continue;
    const file = join(root, output);
    // A path: of a URL with a scheme Node takes only data.
    appendFileSync(file, `//# sourceMappingURL=${pathToFileURL(`${file}.map`).pathname}\n`);
    const urls = Object.keys(inputs).map((input) => pathToFileURL(join(root, input)).href);
    writeFileSync(`${file}.inputs`, JSON.stringify(urls));
    bundles[pathToFileURL(join(root, entryPoint)).href] = { file, inputs: `${file}.inputs` };
  }
  return bundles;
}

/** In a bundle each source keeps the URL that it has by itself. */
const ownUrls: Plugin = {
  name: 'own URLs',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (!text.includes('import.meta.url')) return undefined;
      const define = { 'import.meta.url': JSON.stringify(pathToFileURL(path).href) };
      const options = { loader: 'ts', define, sourcefile: path, sourcemap: 'inline', target: TARGET } as const;
      return { loader: 'js', contents: (await transform(text, options)).code };
    });
  },
};

/** Joins each of the slow packages into one file, shared parts beside it. Returns their URLs by the names of the packages. */
export async function bundlePackages(root: string, directory: string): Promise<Record<string, string>> {
  const shims = await Promise.all(
    PACKAGES.map(async (name, index) => {
      const names = Object.keys(await import(name)).filter(
        (one) => /^[A-Za-z_$][\w$]*$/.test(one) && one !== 'default',
      );
      const exports = [...names.map((one) => `export const ${one} = all.${one};`), 'export default all.default;'];
      return {
        name,
        in: join(root, `package-${index}.mjs`),
        text: [`import * as all from '${name}';`, ...exports].join('\n'),
      };
    }),
  );
  const texts = new Map(shims.map((shim) => [shim.in, shim.text]));
  await build({
    absWorkingDir: root,
    entryPoints: shims.map((shim) => ({ in: shim.in, out: relative(root, shim.in).replace(/\.mjs$/, '') })),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: TARGET,
    outdir: directory,
    outExtension: { '.js': '.mjs' },
    banner: { js: BANNER },
    logLevel: 'silent',
    plugins: [
      {
        name: 'shims',
        setup({ onLoad, onResolve }) {
          onResolve({ filter: /package-\d+\.mjs$/ }, ({ path }) => ({ path }));
          onLoad({ filter: /package-\d+\.mjs$/ }, ({ path }) => ({
            contents: texts.get(path)!,
            resolveDir: HERE,
            loader: 'js',
          }));
        },
      },
    ],
  });
  return Object.fromEntries(
    shims.map(({ name }, index) => [name, pathToFileURL(join(directory, `package-${index}.mjs`)).href]),
  );
}
