import type { Node } from 'oxc-parser';
import { type Finding, findingAt, lineAt, type Source, walk } from './source.ts';

const FILE_LINES = 400;
const FUNCTION_LINES = 70;

const functionTypes = new Set<Node['type']>(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);
const testCalls = new Set(['describe', 'suite']);

export function fileSizeRule(sources: readonly Source[]): Finding[] {
  return sources.filter(isCode).flatMap((source) => {
    const lines = source.text.replace(/\n$/, '').split('\n').length;
    if (lines <= FILE_LINES) return [];
    const message = `${lines} lines, ${FILE_LINES} allowed: split it by what its parts are for`;
    return [{ path: source.path, line: FILE_LINES + 1, rule: 'file-size', message }];
  });
}

/** `describe` bodies do not count: they are chapters, not steps. */
export function functionSizeRule(sources: readonly Source[]): Finding[] {
  const findings: Finding[] = [];
  for (const source of sources) {
    walk(source, (node, parent) => {
      if (!functionTypes.has(node.type) || isChapter(parent)) return;
      const lines = lineAt(source, node.end) - lineAt(source, node.start) + 1;
      if (lines <= FUNCTION_LINES) return;
      const message = `a function of ${lines} lines, ${FUNCTION_LINES} allowed: give its steps functions with names`;
      findings.push(findingAt(source, node.start, 'function-size', message));
    });
  }
  return findings;
}

function isCode(source: Source): boolean {
  return source.program !== undefined;
}

function isChapter(parent: Node | undefined): boolean {
  return parent?.type === 'CallExpression' && parent.callee.type === 'Identifier' && testCalls.has(parent.callee.name);
}
