import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readConfig } from '../../../engine/runtime/config.ts';
import { networksOf } from '../../../engine/runtime/setting-checks.ts';
import { SECRETS } from '../../support/secrets.ts';

/** compose.yaml gives each program an environment that its settings' parser takes, and names services that are there. */

const root = new URL('../../../', import.meta.url);
const compose = readFileSync(new URL('compose.yaml', root), 'utf8').split('\n');
const settings = readFileSync(new URL('engine/runtime/config.ts', root), 'utf8');
const programs = readFileSync(new URL('engine/launcher/build/build-programs.mjs', root), 'utf8');

/** The lines that belong to a heading of the given depth, without comments. */
function blockOf(lines: readonly string[], heading: string, indent: number): string[] {
  const start = lines.findIndex((line) => line.startsWith(`${' '.repeat(indent)}${heading}:`));
  assert.notEqual(start, -1, `compose.yaml has no ${heading}`);
  const rest = lines.slice(start + 1).filter((line) => line.trim() !== '' && !/^ *#/.test(line));
  const end = rest.findIndex((line) => !line.startsWith(' '.repeat(indent + 1)));
  return end === -1 ? rest : rest.slice(0, end);
}

/** As Compose reads a value: with a default, or with what the environment must have. */
function asCompose(name: string, text: string): string {
  const bare = text.replace(/^"(.*)"$/, '$1');
  return bare.replace(/\$\{(\w+):([-?])([^}]*)\}/g, (_, variable: string, kind: string, fallback: string) => {
    if (kind === '-') return fallback;
    assert.ok(variable in SECRETS, `${name} needs ${variable}`);
    return SECRETS[variable as keyof typeof SECRETS];
  });
}

function pairsOf(lines: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const line of lines) {
    if (line.trim() === '<<: *environment') {
      Object.assign(found, shared);
      continue;
    }
    const [, name, text] = line.match(/^ +([A-Z_]+): (.*)$/) ?? [];
    assert.ok(name && text !== undefined, `not a setting with its value: ${line}`);
    found[name] = asCompose(name, text);
  }
  return found;
}

function environmentOf(service: readonly string[]): Record<string, string> {
  if (service.includes('    environment: *environment')) return shared;
  return pairsOf(blockOf(service, 'environment', 4));
}

/** Settings of the command line alone, of Node, and of the client of Postgres. */
const OF_OTHERS = ['ADMIN_URL', 'NODE_EXTRA_CA_CERTS', 'PGPASSWORD'];
const shared: Record<string, string> = pairsOf(blockOf(compose, 'x-environment', 0));
const services = blockOf(compose, 'services', 0);
const names = services.flatMap((line) => line.match(/^ {2}([\w-]+):$/)?.[1] ?? []);
const ours = names
  .map((name) => ({ name, lines: blockOf(services, name, 2) }))
  .filter(({ lines }) => lines.some((line) => /<<: \*program|target: all-in-one/.test(line)));

test('the gateway, the workers, the migrations, the command line and all in one run programs of this project', () => {
  assert.deepEqual(
    ours.map(({ name }) => name),
    ['gateway', 'workers', 'migrate', 'admin', 'all-in-one'],
  );
});

for (const { name, lines } of ours) {
  test(`the settings of the service ${name} can be used`, () => {
    const environment = environmentOf(lines);
    for (const setting of Object.keys(environment))
      if (!OF_OTHERS.includes(setting)) assert.match(settings, new RegExp(`^ {2}${setting}: `, 'm'));
    const { databaseUrl, redisUrl } = readConfig({ ...environment, NODE_ENV: 'production' });
    for (const url of [databaseUrl, redisUrl]) {
      if (url !== undefined) assert.ok(names.includes(new URL(url).hostname), `no service of ${url}`);
    }
  });
}

test('the password of Postgres may have any characters: it stands in no URL', () => {
  const { password } = new URL(shared['DATABASE_URL']!);
  assert.equal(password, '');
  const given = (lines: readonly string[], name: string) =>
    lines.find((line) => line.trim().startsWith(`${name}: `))?.split(': ')[1];
  const ofServer = given(blockOf(services, 'postgres', 2), 'POSTGRES_PASSWORD');
  assert.equal(given(blockOf(compose, 'x-environment', 0), 'PGPASSWORD'), ofServer);
  assert.match(ofServer!, /^\$\{POSTGRES_PASSWORD/);
});

test('workers reach the gateway by the name of its service', () => {
  const { lines } = ours.find(({ name }) => name === 'gateway')!;
  assert.equal(readConfig(environmentOf(lines)).internalHost, 'gateway');
});

test('the command line asks the proxy by a name that the certificate for a first try has', () => {
  const { lines } = ours.find(({ name }) => name === 'admin')!;
  const { hostname, protocol } = new URL(environmentOf(lines)['ADMIN_URL']!);
  assert.deepEqual([protocol, names.includes(hostname)], ['https:', true]);
  assert.ok(compose.some((line) => line.includes(`subjectAltName=DNS:localhost,DNS:${hostname} `)));
});

test('each program that compose.yaml or the Dockerfile starts is compiled', () => {
  const files = [...compose, readFileSync(new URL('Dockerfile', root), 'utf8')];
  const started = new Set(files.flatMap((text) => [...text.matchAll(/dist\/bin\/([\w-]+)\.js/g)].map((hit) => hit[1])));
  assert.ok(started.size >= 4);
  for (const program of started) assert.match(programs, new RegExp(`^ {2}'?${program}'?: '`, 'm'));
});

test('the build of the image gets every source of the programs', () => {
  const lines = readFileSync(new URL('.dockerignore', root), 'utf8').split('\n');
  const given = lines.flatMap((line) => (line.startsWith('!') ? line.slice(1) : []));
  const sources = Object.keys(JSON.parse(readFileSync(new URL('dist/inputs.json', root), 'utf8')));
  assert.ok(lines.includes('*') && sources.length > 100);
  const missing = sources.filter((path) => !given.some((entry) => path === entry || path.startsWith(`${entry}/`)));
  assert.deepEqual(missing, []);
});

test('the image has the manifest of every workspace before it installs, and none of what was installed outside', () => {
  const steps = readFileSync(new URL('Dockerfile', root), 'utf8').split('\n');
  const { workspaces } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
  const before = steps.slice(
    0,
    steps.findIndex((step) => step.startsWith('RUN npm ci')),
  );
  assert.ok(workspaces.length > 0);
  for (const each of workspaces) assert.ok(before.includes(`COPY ${each}/package.json ${each}/`), each);
  const ignored = readFileSync(new URL('.dockerignore', root), 'utf8').split('\n');
  // The last line that fits decides.
  const last = ignored.findLastIndex((line) => line.startsWith('!'));
  assert.ok(ignored.indexOf('**/node_modules') > last && ignored.indexOf('gateway/client/generated') > last);
});

test('the gateway trusts the address of the proxy and no other', () => {
  const { lines } = ours.find(({ name }) => name === 'gateway')!;
  const trusted = environmentOf(lines)['TRUSTED_PROXIES'];
  assert.ok(blockOf(services, 'proxy', 2).includes(`      default: { ipv4_address: ${trusted} }`));
});

test('the proxy and the gateway that it looks up once keep addresses that no other container is given', () => {
  const [, subnet, range] = compose.join('\n').match(/subnet: ([\d./]+), ip_range: ([\d./]+)/) ?? [];
  assert.ok(subnet && range, 'no range for the other containers');
  const fixed = ['proxy', 'gateway'].map((name) => {
    const [address] = blockOf(services, name, 2).flatMap((line) => line.match(/ipv4_address: ([\d.]+)/)?.[1] ?? []);
    assert.ok(address, `the ${name} has no fixed address`);
    return address;
  });
  assert.equal(new Set(fixed).size, 2);
  for (const address of fixed) {
    assert.ok(networksOf([subnet]).check(address), address);
    assert.ok(!networksOf([range]).check(address), address);
  }
});

test('files that compose.yaml mounts from this folder are there', () => {
  const mounted = compose.flatMap((line) => line.match(/^ +- \.\/([^:]+):/)?.[1] ?? []);
  assert.ok(mounted.length > 0);
  for (const file of mounted) assert.ok(existsSync(new URL(file, root)), file);
});
