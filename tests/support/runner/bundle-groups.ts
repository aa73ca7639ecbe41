import { appendFileSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin, transform } from 'esbuild';
import { listSources } from './test-files.ts';

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
 * Joins the test files of each group, and everything of the tree that they import, into one module under `directory`.
 * Returns the paths of the modules. A module runs its files one after another.
 */
export async function bundleGroups(
  root: string,
  directory: string,
  groups: readonly (readonly string[])[],
): Promise<string[]> {
  const entries = groups.map((files, index) => ({ files, name: `${nameOf(files)}-${index}` }));
  const texts = new Map(entries.map(({ name, files }) => [join(root, `${name}.group`), groupText(files)]));
  await build({
    absWorkingDir: root,
    entryPoints: entries.map(({ name }) => ({ in: join(root, `${name}.group`), out: name })),
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: TARGET,
    outdir: directory,
    outExtension: { '.js': '.mjs' },
    sourcemap: 'external',
    sourcesContent: false,
    logLevel: 'silent',
    plugins: [virtualFiles(/\.group$/, texts, root), ownUrls(root)],
  });
  return entries.map(({ name }) => {
    const file = join(directory, `${name}.mjs`);
    // A path: of a URL with a scheme Node takes only data.
    appendFileSync(file, `//# sourceMappingURL=${pathToFileURL(`${file}.map`).pathname}\n`);
    return file;
  });
}

/** The stage of the files: a module shows what it holds. */
function nameOf([file = '']: readonly string[]): string {
  return file.split('/')[1]!.replace(/\.test\.ts$/, '');
}

function groupText(files: readonly string[]): string {
  const runner = `import { runInTurn } from '${join(HERE, 'run-in-turn.ts')}';`;
  return [runner, ...files.map((file) => `await runInTurn('${file}', () => import('./${file}'));`)].join('\n');
}

/** Modules that are no files, by their paths; `resolveDir` is the place from which they import. */
function virtualFiles(filter: RegExp, texts: ReadonlyMap<string, string>, resolveDir: string): Plugin {
  return {
    name: 'virtual files',
    setup({ onLoad, onResolve }) {
      onResolve({ filter }, ({ path }) => ({ path }));
      onLoad({ filter }, ({ path }) => ({ contents: texts.get(path)!, resolveDir, loader: 'js' }));
    },
  };
}

/**
 * In a bundle each source keeps the URL that it has by itself. Only the sources that ask for it are handed over to this
 * process: esbuild reads the thousands of others in a third of the time.
 */
function ownUrls(root: string): Plugin {
  const asking = new Set(
    listSources(root, '.ts', '.mjs').filter((path) => readFileSync(path, 'utf8').includes('import.meta.url')),
  );
  const names = [...new Set([...asking].map((path) => basename(path)))];
  const filter = new RegExp(`/(?:${names.map((name) => name.replaceAll('.', '\\.')).join('|')})$`);
  return {
    name: 'own URLs',
    setup({ onLoad }) {
      onLoad({ filter }, async ({ path }) => {
        if (!asking.has(path)) return undefined;
        const define = { 'import.meta.url': JSON.stringify(pathToFileURL(path).href) };
        const options = { loader: 'ts', define, sourcefile: path, sourcemap: 'inline', target: TARGET } as const;
        return { loader: 'js', contents: (await transform(readFileSync(path, 'utf8'), options)).code };
      });
    },
  };
}

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
    plugins: [virtualFiles(/package-\d+\.mjs$/, texts, HERE)],
  });
  return Object.fromEntries(
    shims.map(({ name }, index) => [name, pathToFileURL(join(directory, `package-${index}.mjs`)).href]),
  );
}
