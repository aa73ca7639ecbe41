import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { createTar } from 'nanotar';
import ts from 'typescript';

const CLIENT = new URL('../', import.meta.url);
const ROOT = new URL('../../../', import.meta.url);
const LEVEL = { level: 9 };
/** The same sources give the same bytes, and so the same ETag at every gateway. */
const ATTRIBUTES = { mtime: 0, uid: 0, gid: 0, user: '', group: '', mode: '644' };

/** Packs the client as one module without dependencies, with its types, as `npm pack` would. */
export async function writePackage(file, documentTypes) {
  const files = {
    'package.json': manifest(),
    LICENSE: readFileSync(new URL('LICENSE', ROOT), 'utf8'),
    'client.js': await bundle(),
    'types/document.d.ts': documentTypes,
    ...declarations(),
  };
  const entries = Object.entries(files).map(([name, data]) => ({ name: `package/${name}`, data }));
  writeFileSync(file, gzipSync(createTar(entries, { attrs: ATTRIBUTES }), LEVEL));
}

/** The manifest of the package has no dependencies: they are in the bundle. */
function manifest() {
  const { name, description, license, type } = JSON.parse(readFileSync(new URL('package.json', CLIENT), 'utf8'));
  const { version } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8'));
  const entry = { types: './types/entry.d.ts', default: './client.js' };
  const rest = { exports: { '.': entry }, types: entry.types, sideEffects: false, engines: { node: '>=20.3' } };
  return `${JSON.stringify({ name, version, description, license, type, ...rest }, null, 2)}\n`;
}

async function bundle() {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('entry.ts', CLIENT))],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['import'],
    target: ['es2022', 'node20'],
    logLevel: 'warning',
  });
  return outputFiles[0].text;
}

/** The declarations of the sources. Every export writes its type down, so each file is translated by itself. */
function declarations() {
  const names = readdirSync(CLIENT).filter((name) => name.endsWith('.ts'));
  return Object.fromEntries(names.map((name) => [`types/${name.replace(/\.ts$/, '.d.ts')}`, declarationOf(name)]));
}

function declarationOf(name) {
  const source = readFileSync(new URL(name, CLIENT), 'utf8');
  const { outputText, diagnostics } = ts.transpileDeclaration(source, {
    fileName: name,
    reportDiagnostics: true,
    compilerOptions: { isolatedDeclarations: true, target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext },
  });
  if (diagnostics?.length)
    throw new Error(
      `${name}: ${diagnostics.map((one) => ts.flattenDiagnosticMessageText(one.messageText, ' ')).join('; ')}`,
    );
  // TypeScript 5.9 declares a method with a computed name a second time, as a property.
  const once = outputText.replace(/^ +\[Symbol\.\w+\]: .*;\n/m, '');
  return once
    .replace(/'\.\/generated\/document\.d\.ts'/, "'./document.js'")
    .replace(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'");
}
