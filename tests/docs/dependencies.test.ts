import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readPage } from './pages.ts';

interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
}

const FOLDER = 'node_modules/';
/** Our own, in the same repository. */
const WORKSPACES: readonly string[] = ['gateway/client'];

const { allowScripts, dependencies, devDependencies, optionalDependencies } = JSON.parse(
  readFileSync('package.json', 'utf8'),
);
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Record<string, LockedPackage>;
};
const foreign = Object.entries(packages).filter(([path, { link }]) => path.includes(FOLDER) && !link);

test('docs/operating/dependencies.md has for each package the versions that the lock file has', () => {
  const rows = [...readPage('docs/operating/dependencies.md').matchAll(/^\| `([^`]+)` \| ([^|]+) \|/gm)];
  assert.ok(rows.length > 0);
  const written = Object.fromEntries(rows.map(([, name, versions]) => [name, versions]));
  assert.equal(rows.length, Object.keys(written).length, 'a package has two rows');
  assert.deepEqual(written, Object.fromEntries(Object.keys(written).map((name) => [name, lockedVersions(name)])));
});

test('every package of the lock file has a hash and no address, for every platform', () => {
  assert.deepEqual(
    foreign
      .filter(([, { integrity, resolved }]) => !integrity?.startsWith('sha512-') || resolved)
      .map(([path]) => path),
    [],
  );
  const own = Object.keys(packages).filter((path) => path && !path.includes(FOLDER));
  assert.deepEqual(own, WORKSPACES);
});

test('package.json says of every package with a script whether npm may run it, and pins every version exactly', () => {
  const withScript = foreign.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => nameOf(path));
  assert.deepEqual([...new Set(withScript)].sort(), Object.keys(allowScripts).sort());
  const ranges = Object.entries<string>({ ...dependencies, ...devDependencies, ...optionalDependencies });
  assert.deepEqual(
    ranges.filter(([, range]) => !/^(npm:[\w@/.-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(range)),
    [],
  );
});

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf(FOLDER) + FOLDER.length);
}

/** The versions of a package in the order of their numbers; a lock file may have several. */
function lockedVersions(name: string): string {
  const versions = foreign.filter(([path]) => nameOf(path) === name).map(([, { version }]) => version!);
  return [...new Set(versions)].sort((a, b) => a.localeCompare(b, 'en', { numeric: true })).join(', ');
}
