import type { Node } from 'oxc-parser';
import { type Finding, findingAt, type Source, walk } from './source.ts';

const testFunctions = new Set(['test', 'it', 'describe', 'suite', 't']);
const dodges = new Set(['only', 'skip', 'todo']);

export function testDodgeRule(sources: readonly Source[]): Finding[] {
  const findings: Finding[] = [];
  for (const source of sources.filter(isTest)) {
    walk(source, (node, parent) => {
      const dodge = memberDodge(node) ?? optionDodge(node, parent);
      if (!dodge) return;
      const message = `${dodge}: every test runs every time; repair it or remove it`;
      findings.push(findingAt(source, node.start, 'test-dodge', message));
    });
  }
  return findings;
}

export function testAssertionRule(sources: readonly Source[]): Finding[] {
  return sources.filter(isTest).flatMap((source) => {
    let asserts = false;
    walk(source, (node) => {
      if (
        node.type === 'CallExpression' &&
        /^(?:fc\.)?assert/.test(source.text.slice(node.callee.start, node.callee.end))
      ) {
        asserts = true;
      }
    });
    return asserts
      ? []
      : [findingAt(source, 0, 'test-assertion', 'asserts nothing: hold what it runs to an expectation')];
  });
}

/** `fc.assert(property, { seed })`: chance alone must not turn a run red, nor hide what turned another run red. */
export function testDrawRule(sources: readonly Source[]): Finding[] {
  const findings: Finding[] = [];
  for (const source of sources.filter(({ path }) => path.startsWith('tests/') && !path.startsWith('tests/slow/'))) {
    walk(source, (node) => {
      if (node.type !== 'CallExpression') return;
      const called = source.text.slice(node.callee.start, node.callee.end);
      const [, options] = node.arguments;
      const isSeeded = options !== undefined && /\bseed\b/.test(source.text.slice(options.start, options.end));
      if (!/^fc\.(?:assert|check|sample)$/.test(called) || isSeeded) return;
      const message = `${called} without a seed: outside tests/slow/ the same is drawn each time`;
      findings.push(findingAt(source, node.start, 'test-draw', message));
    });
  }
  return findings;
}

function isTest(source: Source): boolean {
  return source.path.endsWith('.test.ts');
}

/** `test.skip(…)`, `t.todo()` */
function memberDodge(node: Node): string | undefined {
  if (node.type !== 'MemberExpression' || node.object.type !== 'Identifier' || node.property.type !== 'Identifier')
    return undefined;
  const known = testFunctions.has(node.object.name) && dodges.has(node.property.name);
  return known ? `${node.object.name}.${node.property.name}` : undefined;
}

/** `test('…', { skip: … }, …)` */
function optionDodge(node: Node, parent: Node | undefined): string | undefined {
  if (node.type !== 'ObjectExpression' || parent?.type !== 'CallExpression') return undefined;
  if (parent.callee.type !== 'Identifier' || !testFunctions.has(parent.callee.name)) return undefined;
  for (const property of node.properties) {
    if (property.type === 'Property' && property.key.type === 'Identifier' && dodges.has(property.key.name)) {
      return `option ${property.key.name}`;
    }
  }
  return undefined;
}
