import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transform } from 'esbuild';
import { bundleGroups, bundlePackages } from './bundle-groups.ts';
import { PROGRAM_OPTIONS_VARIABLE } from './run-environment.ts';
import { listSources } from './test-files.ts';
import { TRANSLATIONS, type Translations, translate } from './translation-hooks.ts';

const HOOKS = fileURLToPath(new URL('./translation-hooks.ts', import.meta.url));

export interface Translated {
  /** The environment by which processes and their children load the translations, under the URLs of the sources. */
  readonly environment: Record<string, string>;
  /** The modules of the groups; undefined when there are none, or when a file does not parse. */
  readonly modules: readonly string[] | undefined;
}

/**
 * Translates the TypeScript of the tree once, into `directory`, for all the processes of a run: otherwise each would
 * spend half of its start on it. Joins the test files of each of `groups`, paths from the root, into a module. Only
 * processes that start without this environment use tsx.
 */
export async function translateTree(
  root: string,
  directory: string,
  groups: readonly (readonly string[])[] = [],
): Promise<Translated> {
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
  const [modules, packages] = await Promise.all([
    // The process that loads a file that does not parse reports it.
    groups.length > 0 ? bundleGroups(root, join(directory, 'bundles'), groups).catch(() => undefined) : undefined,
    groups.length > 0 ? bundlePackages(root, join(directory, 'packages')) : {},
    ...listSources(root, '.ts').map(translateFile),
  ]);
  const translations: Translations = {
    files,
    bundles: pathToFileURL(join(directory, 'bundles/')).href,
    root: pathToFileURL(join(root, 'package.json')).href,
    packages,
    translators: [import.meta.resolve('tsx'), import.meta.resolve('tsx/esm/api')],
    esbuild: import.meta.resolve('esbuild'),
  };
  writeFileSync(join(directory, TRANSLATIONS), JSON.stringify(translations));
  writeFileSync(join(directory, 'hooks.mjs'), await translate(HOOKS, transform));
  const register = join(directory, 'register.mjs');
  writeFileSync(register, "import { register } from 'node:module';\nregister('./hooks.mjs', import.meta.url);\n");
  const late = optimizingLate(directory);
  const options = [
    process.env['NODE_OPTIONS'] ?? '',
    late,
    '--enable-source-maps',
    // Loading modules leaves much garbage behind: with room for it, V8 collects it a few times, not dozens.
    '--max-semi-space-size=32',
    `--import=${pathToFileURL(register)}`,
  ];
  return { environment: { NODE_OPTIONS: options.join(' ').trim(), [PROGRAM_OPTIONS_VARIABLE]: late }, modules };
}

/**
 * The option by which V8 waits eight times as long before it optimizes a function: most processes of a run end within
 * seconds, before the work of its compiler pays. Node refuses the flag in NODE_OPTIONS, so a module sets it.
 */
function optimizingLate(directory: string): string {
  const module = join(directory, 'optimize-late.cjs');
  writeFileSync(module, "require('node:v8').setFlagsFromString('--interrupt-budget=540672');\n");
  return `--require=${JSON.stringify(module)}`;
}
