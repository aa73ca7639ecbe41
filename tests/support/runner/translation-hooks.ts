import { readFileSync, statSync } from 'node:fs';
import type { LoadHook, ResolveHook } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { transform } from 'esbuild';

/**
 * The file that translateTree() leaves for the processes of a run, beside its copy of this file, which they load as
 * hooks.
 */
export interface Translations {
  /** Translations by the URL of a source. `mtimeMs` and `size` are those of the translated text. */
  readonly files: Record<string, { readonly translated: string; readonly mtimeMs: number; readonly size: number }>;
  /** The start of the URLs of modules that hold a group of test files. They import packages as a file of `root` does. */
  readonly bundles: string;
  readonly root: string;
  /** Packages of one file, by the names under which the sources import them. */
  readonly packages: Record<string, string>;
  /** The entries of tsx: a process that should load tsx has these hooks already. */
  readonly translators: readonly string[];
  /** The place of esbuild, seen from here. */
  readonly esbuild: string;
}

export const TRANSLATIONS = 'translations.json';

let translations: Translations;

export function initialize(): void {
  translations = JSON.parse(readFileSync(new URL(TRANSLATIONS, import.meta.url), 'utf8'));
}

/** Resolves relative specifiers directly, as every file here uses them, and spares Node's search. */
export const resolve: ResolveHook = (specifier, context, nextResolve) => {
  const { parentURL } = context;
  if (specifier.startsWith('.') && parentURL?.startsWith('file:')) {
    const { href } = new URL(specifier, parentURL);
    if (href in translations.files) return { url: href, format: 'module', shortCircuit: true };
  }
  const isBundle = parentURL?.startsWith(translations.bundles) ?? false;
  const joined = translations.packages[specifier];
  if (joined !== undefined && parentURL !== undefined && (isBundle || parentURL in translations.files)) {
    return { url: joined, format: 'module', shortCircuit: true };
  }
  return nextResolve(specifier, isBundle ? { ...context, parentURL: translations.root } : context);
};

export const load: LoadHook = async (url, context, nextLoad) => {
  if (url.startsWith('file:') && url.endsWith('.ts')) {
    const source = findTranslation(url) ?? (await translateNow(fileURLToPath(url)));
    return { format: 'module', source, shortCircuit: true };
  }
  if (translations.translators.includes(url)) {
    return { format: 'module', source: 'export function register() {}', shortCircuit: true };
  }
  return nextLoad(url, context);
};

/** Undefined for a file that is new or has changed since. */
function findTranslation(url: string): Buffer | undefined {
  return isUnchanged(url) ? readFileSync(translations.files[url]!.translated) : undefined;
}

function isUnchanged(url: string): boolean {
  const known = translations.files[url];
  if (!known) return false;
  const { mtimeMs, size } = statSync(new URL(url));
  return mtimeMs === known.mtimeMs && size === known.size;
}

async function translateNow(path: string): Promise<string> {
  const esbuild: { readonly transform: typeof transform } = await import(translations.esbuild);
  return translate(path, esbuild.transform);
}

/** Keeps the lines that errors name, by a source map. */
export async function translate(path: string, by: typeof transform): Promise<string> {
  const { code } = await by(readFileSync(path, 'utf8'), {
    loader: 'ts',
    format: 'esm',
    target: `node${process.versions.node}`,
    sourcemap: 'inline',
    sourcesContent: false,
    sourcefile: path,
  });
  return code;
}
