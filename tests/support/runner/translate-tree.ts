import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transform } from 'esbuild';
import { bundleEntries, bundlePackages } from './bundle-entries.ts';
import { TRANSLATIONS, type Translations, translate } from './translation-hooks.ts';

const HOOKS = fileURLToPath(new URL('./translation-hooks.ts', import.meta.url));

/**
 * Translates the TypeScript of the tree once, into `directory`, for all the processes of a run: otherwise each would
 * spend half of its start on it. Returns the environment by which processes and their children load it from there,
 * under the URLs of the sources. Each of `entries`, paths from the root, is loaded in one piece. Only processes that start without this environment use tsx.
 */
export async function translateTree(
  root: string,
  directory: string,
  entries: readonly string[] = [],
): Promise<Record<string, string>> {
  mkdirSync(directory);
  const files: Record<string, Translations['files'][string]> = {};
  async function translateFile(path: string, index: number): Promise<void> {
    const translated = join(directory, `${index}.mjs`);
    // Taken before the text is read: a change in between shows.
    const { mtimeMs, size } = statSync(path);
    const code = await translate(path, transform).catch(() => undefined);
    // A process that loads an unfinished translation gets an error.
    if (code === undefined) return;
    writeFileSync(translated, code);
    files[pathToFileURL(path).href] = { translated, mtimeMs, size };
  }
  const isBundled = entries.length > 0;
  const [bundles, packages] = await Promise.all([
    // A file that does not parse is reported by the process that loads it.
    isBundled ? bundleEntries(root, join(directory, 'bundles'), entries).catch(() => ({})) : {},
    isBundled ? bundlePackages(root, join(directory, 'packages')) : {},
    ...listSources(root).map(translateFile),
  ]);
  const translations: Translations = {
    files,
    bundles,
    packages,
    translators: [import.meta.resolve('tsx'), import.meta.resolve('tsx/esm/api')],
    esbuild: import.meta.resolve('esbuild'),
  };
  writeFileSync(join(directory, TRANSLATIONS), JSON.stringify(translations));
  writeFileSync(join(directory, 'hooks.mjs'), await translate(HOOKS, transform));
  const register = join(directory, 'register.mjs');
  writeFileSync(register, "import { register } from 'node:module';\nregister('./hooks.mjs', import.meta.url);\n");
  const options = [process.env['NODE_OPTIONS'] ?? '', '--enable-source-maps', `--import=${pathToFileURL(register)}`];
  return { NODE_OPTIONS: options.join(' ').trim() };
}

/** Every TypeScript file of the folders that the compiler checks. */
function listSources(root: string): string[] {
  const { include }: { include: string[] } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'));
  return include.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => join(root, folder, path)),
  );
}
