import type { Node } from 'oxc-parser';
import { type Finding, findingAt, isUnderAny, type Source, walk } from './source.ts';

const CLOCK = 'Clock of engine/runtime/clock.ts, taken as a parameter';
const SCHEDULER = 'Scheduler of engine/runtime/clock.ts, taken as a parameter';
const RANDOM = 'RandomSource of engine/runtime/random.ts, taken as a parameter';
const CONFIG = 'a field of Config (engine/runtime/config.ts), taken as a parameter';

/** Globals, and `object.member` pairs, with their replacements. */
const bannedNames = new Map([
  ['setTimeout', `after() of ${SCHEDULER}`],
  ['setInterval', `every() of ${SCHEDULER}`],
  ['setImmediate', `soon() of ${SCHEDULER}`],
  ['randomUUID', `uuid() of ${RANDOM}`],
]);
const bannedMembers = new Map([
  ['Date.now', `now() of ${CLOCK}`],
  ['performance.now', `monotonic() of ${CLOCK}`],
  ['process.hrtime', `monotonic() of ${CLOCK}`],
  ['Math.random', `text() of ${RANDOM}`],
  ['process.env', CONFIG],
]);
/** Modules that offer the same calls in another way. */
const bannedModules = new Map([
  ['node:timers', SCHEDULER],
  ['node:timers/promises', `sleep() of engine/runtime/clock.ts, or ${SCHEDULER}`],
  ['node:process', `the global process, and ${CONFIG}`],
  ['node:perf_hooks', CLOCK],
]);

/** The seams themselves, programs that only a developer or an operator runs by hand, and the client, which runs elsewhere. */
const freePlaces = [
  'engine/runtime',
  'gateway/client',
  'engine/launcher',
  'gateway/admin-cli',
  // Runs in browsers, whose tests turn the clock of the whole page.
  'gateway/console',
  'bench',
  'tests',
];
const consolePlaces = ['engine/launcher', 'bench', 'tests'];

export function bannedCallRule(sources: readonly Source[]): Finding[] {
  const findings: Finding[] = [];
  for (const source of sources) {
    if (isUnderAny(source.path, freePlaces)) continue;
    const report = (offset: number, what: string, instead: string) =>
      findings.push(findingAt(source, offset, 'banned-call', `${what}: use ${instead}`));

    walk(source, (node, parent) => {
      const named = referenceName(node, parent);
      const instead = named && (bannedNames.get(named) ?? bannedMembers.get(named));
      if (named && instead) report(node.start, named, instead);
      for (const taken of takenMembers(node)) {
        const seam = bannedMembers.get(taken);
        if (seam) report(node.start, taken, seam);
      }
      if (readsToday(node)) report(node.start, 'the date of today', `now() of ${CLOCK}`);
    });
    for (const { specifier, offset } of source.imports) {
      const instead = bannedModules.get(specifier);
      if (instead) report(offset, `import of ${specifier}`, instead);
    }
  }
  return findings;
}

export function consoleRule(sources: readonly Source[]): Finding[] {
  const findings: Finding[] = [];
  for (const source of sources) {
    if (isUnderAny(source.path, consolePlaces)) continue;
    walk(source, (node) => {
      if (!memberName(node)?.startsWith('console.')) return;
      const message = 'console: use the Log of engine/runtime/log.ts, whose lines are JSON and redacted';
      findings.push(findingAt(source, node.start, 'console', message));
    });
  }
  return findings;
}

/** `object.member` of a plain access on a named object. */
function memberName(node: Node): string | undefined {
  if (node.type !== 'MemberExpression' || node.object.type !== 'Identifier') return undefined;
  if (node.property.type === 'Identifier' && !node.computed) return `${node.object.name}.${node.property.name}`;
  if (node.property.type === 'Literal') return `${node.object.name}.${node.property.value}`;
  return undefined;
}

/**
 * The name that a node refers to: a global by name, or a member. Names that only label something (`{ setTimeout: … }`)
 * do not count.
 */
function referenceName(node: Node, parent: Node | undefined): string | undefined {
  const member = memberName(node);
  if (member) return member.replace(/^(globalThis|crypto)\./, '');
  if (node.type !== 'Identifier') return undefined;
  const labels =
    (parent?.type === 'MemberExpression' && parent.property === node && !parent.computed) ||
    (parent?.type === 'Property' && parent.key === node && !parent.shorthand) ||
    parent?.type === 'TSPropertySignature' ||
    parent?.type === 'TSMethodSignature';
  return labels ? undefined : node.name;
}

/** `const { env } = process` */
function takenMembers(node: Node): string[] {
  if (node.type !== 'VariableDeclarator' || node.init?.type !== 'Identifier' || node.id.type !== 'ObjectPattern')
    return [];
  const object = node.init.name;
  return node.id.properties.flatMap((property) =>
    property.type === 'Property' && property.key.type === 'Identifier' ? [`${object}.${property.key.name}`] : [],
  );
}

/** `new Date()` and `Date()` without an argument read the wall clock. */
function readsToday(node: Node): boolean {
  if (node.type !== 'NewExpression' && node.type !== 'CallExpression') return false;
  return node.callee.type === 'Identifier' && node.callee.name === 'Date' && node.arguments.length === 0;
}
