import { builtinModules } from 'node:module';
import { posix } from 'node:path';
import { type Finding, findingAt, isUnder, isUnderAny, type Source } from './source.ts';

/**
 * The folders that each part of the tree may import besides itself. The most specific folder decides; a part that is
 * not listed here is refused, so that a new one gets its row first.
 */
const mayImport: Record<string, readonly string[]> = {
  schema: [],
  'engine/domain': ['schema'],
  'engine/runtime': ['schema'],
  'engine/store': ['schema', 'engine/domain', 'engine/runtime', 'engine/bus'],
  'engine/bus': ['schema', 'engine/runtime', 'engine/store'],
  'engine/views': ['schema', 'engine/domain'],
  'engine/travel': ['schema', 'engine/domain', 'engine/runtime'],
  'engine/providers': ['schema', 'engine/domain', 'engine/runtime', 'engine/store'],
  'engine/positions': ['schema', 'engine/domain', 'engine/runtime', 'engine/store', 'engine/views'],
  'engine/org': [
    'schema',
    'engine/domain',
    'engine/runtime',
    'engine/store',
    'engine/bus',
    'engine/views',
    'engine/positions',
  ],
  'engine/planning': ['schema', 'engine/domain', 'engine/runtime', 'engine/store', 'engine/travel'],
  'engine/launcher': ['schema', 'engine/runtime', 'engine/store'],
  gateway: [
    'schema',
    'engine/domain',
    'engine/runtime',
    'engine/store',
    'engine/bus',
    'engine/views',
    'engine/org',
    'engine/positions',
    'engine/providers',
    'engine/travel',
    'engine/planning',
  ],
  // It runs in other people's programs, and knows the service by its document alone.
  'gateway/client': [],
  // It runs in a browser: of ours it knows the shapes of the contract, and the client.
  'gateway/console': ['schema', 'gateway/client'],
  // An operator runs it by hand, where `npm start` has noted the stores.
  'gateway/admin-cli': ['schema', 'engine/runtime', 'engine/store', 'engine/launcher'],
  workers: [
    'schema',
    'engine/domain',
    'engine/runtime',
    'engine/store',
    'engine/bus',
    'engine/views',
    'engine/providers',
    'engine/travel',
    'engine/planning',
  ],
  // Only these two see the whole engine, the launcher included.
  bench: ['schema', 'engine', 'gateway', 'workers', 'tests'],
  tests: ['schema', 'engine', 'gateway', 'workers', 'bench'],
};

interface PackageHome {
  readonly packages: readonly string[];
  readonly homes: readonly string[];
  readonly instead: string;
}

/** Packages that only these places may know, so that each can be replaced in one place. */
const packageHomes: readonly PackageHome[] = [
  {
    packages: ['uWebSockets.js'],
    homes: ['gateway/http', 'bench'],
    instead: 'go through the server port of gateway/http',
  },
  {
    packages: ['postgres'],
    homes: ['engine/store', 'engine/launcher', 'bench', 'tests'],
    instead: 'call a function of engine/store, which takes the organization id first',
  },
  {
    packages: ['ioredis'],
    homes: ['engine/store', 'engine/launcher', 'workers/job-runner.ts', 'bench', 'tests'],
    instead: 'call a function of engine/store, which knows the keys and their prefix',
  },
  {
    packages: ['bullmq'],
    homes: ['engine/store', 'workers/job-runner.ts', 'workers/job-worker.ts', 'bench', 'tests'],
    instead: 'hand the processor to workers/job-runner.ts, or enqueue through engine/store',
  },
  {
    packages: ['nodemailer'],
    homes: ['workers/notifications', 'tests'],
    instead: 'ask for a mail by a row of mail_requests',
  },
  {
    packages: ['pmtiles', '@protomaps/basemaps'],
    homes: ['gateway/console/map/ground'],
    instead: 'draw tiles through gateway/console/map/ground/tile-ground.ts',
  },
  {
    packages: ['bwip-js'],
    homes: ['gateway/pages'],
    instead: 'ask gateway/pages/code-symbols.ts for the drawing of a code',
  },
  {
    packages: ['undici'],
    homes: [
      'engine/runtime/outbound',
      'engine/travel',
      'engine/bus/owner-client.ts',
      'workers/notifications/senders',
      'workers/webhooks',
      'tests',
      'bench',
    ],
    instead: 'connect through engine/runtime/outbound, which keeps to public addresses',
  },
  {
    packages: ['stripe'],
    homes: ['engine/providers/stripe-provider.ts', 'tests'],
    instead: 'go through the port of engine/providers/payment-provider.ts',
  },
  {
    packages: ['web-push', 'jose'],
    homes: ['workers/notifications/senders', 'tests'],
    instead: 'hand a push to the sender of workers/notifications/senders',
  },
  {
    packages: ['eventsource-parser', 'openapi-typescript', 'nanotar'],
    homes: ['gateway/client', 'tests', 'bench'],
    instead: 'follow a stream through gateway/client',
  },
  {
    packages: ['smtp-server'],
    homes: ['tests'],
    instead: 'keep development packages out of what runs in production',
  },
  {
    packages: ['autocannon', 'fast-check', 'fastify', 'oxc-parser', 'playwright-core', 'standardwebhooks'],
    homes: ['bench', 'tests'],
    instead: 'keep development packages out of what runs in production',
  },
];

/** The decisions and the contract stay free of I/O; the actor gets its own through parameters. */
const pureParts = ['schema', 'engine/domain', 'engine/org'];
const pureBuiltins = ['assert', 'assert/strict', 'crypto', 'url', 'util'];

function partOf(path: string): string | undefined {
  const [first = '', second = ''] = path.split('/');
  return [`${first}/${second}`, first].find((part) => part in mayImport);
}

/** The imported file's path from the root, or undefined for a package. */
function targetOf(source: Source, specifier: string): string | undefined {
  return specifier.startsWith('.') ? posix.normalize(posix.join(posix.dirname(source.path), specifier)) : undefined;
}

export function importTableRule(sources: readonly Source[]): Finding[] {
  const findings: Finding[] = [];
  for (const source of sources) {
    if (!source.program) continue;
    const part = partOf(source.path);
    if (!part) {
      findings.push(
        findingAt(source, 0, 'import-table', 'this folder has no row in the import table: add one to mayImport'),
      );
      continue;
    }
    for (const { specifier, offset } of source.imports) {
      const target = targetOf(source, specifier);
      const allowed = [part, ...mayImport[part]!];
      if (target === undefined || isUnderAny(target, allowed)) continue;
      const message = `${part} may import ${mayImport[part]!.join(', ') || 'nothing of ours'}, not ${target}: move the code, or pass it in as a parameter`;
      findings.push(findingAt(source, offset, 'import-table', message));
    }
  }
  return findings;
}

export function packageRule(sources: readonly Source[]): Finding[] {
  const findings: Finding[] = [];
  for (const source of sources) {
    for (const { specifier, offset } of source.imports) {
      for (const { packages, homes, instead } of packageHomes) {
        const known = packages.some((name) => isUnder(specifier, name));
        if (!known || isUnderAny(source.path, homes)) continue;
        const message = `only ${homes.join(', ')} may import ${specifier}: ${instead}`;
        findings.push(findingAt(source, offset, 'package-home', message));
      }
      const builtin = specifier.replace(/^node:/, '');
      if (builtinModules.includes(builtin) && isUnderAny(source.path, pureParts) && !pureBuiltins.includes(builtin)) {
        const message = `no ${specifier} in ${pureParts.join(', ')}: take what it does as a parameter`;
        findings.push(findingAt(source, offset, 'package-home', message));
      }
    }
  }
  return findings;
}

/** One edge of a graph, with the import that made it. */
interface Edge {
  readonly to: string;
  readonly source: Source;
  readonly offset: number;
}

type Graph = Map<string, Edge[]>;

export function fileCycleRule(sources: readonly Source[]): Finding[] {
  return cycles(
    graphOf(sources, (path) => path),
    'file-cycle',
  );
}

/** A folder and the folders inside it count as one place here: a parent names its children. */
export function folderCycleRule(sources: readonly Source[]): Finding[] {
  return cycles(graphOf(sources, posix.dirname), 'folder-cycle');
}

function graphOf(sources: readonly Source[], nodeOf: (path: string) => string): Graph {
  const graph: Graph = new Map();
  for (const source of sources) {
    const from = nodeOf(source.path);
    const edges = graph.get(from) ?? [];
    graph.set(from, edges);
    for (const { specifier, offset } of source.imports) {
      const target = targetOf(source, specifier);
      const to = target === undefined ? from : nodeOf(target);
      if (!isUnder(from, to) && !isUnder(to, from)) edges.push({ to, source, offset });
    }
  }
  return graph;
}

/** Reports each import that closes a cycle, once, with the path of the cycle. */
function cycles(graph: Graph, rule: string): Finding[] {
  const findings: Finding[] = [];
  const done = new Set<string>();
  const trail: string[] = [];

  function enter(node: string): void {
    trail.push(node);
    for (const edge of graph.get(node) ?? []) {
      const start = trail.indexOf(edge.to);
      if (start >= 0) {
        const way = [...trail.slice(start), edge.to].join(' → ');
        const message = `${way} is a cycle: move what both need into a third place that imports neither`;
        findings.push(findingAt(edge.source, edge.offset, rule, message));
      } else if (!done.has(edge.to)) {
        enter(edge.to);
      }
    }
    trail.pop();
    done.add(node);
  }
  for (const node of graph.keys()) if (!done.has(node)) enter(node);
  return findings;
}
