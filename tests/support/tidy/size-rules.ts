import { posix } from 'node:path';
import type { Node } from 'oxc-parser';
import { type Finding, findingAt, lineAt, type Source, walk } from './source.ts';

const FILE_LINES = 400;
const FUNCTION_LINES = 70;
const FOLDER_FILES = 15;

/** Folders that may hold more files, each with its reason. This list only shrinks. */
const fullFolders: Readonly<Record<string, string>> = {
  '.': 'tools look for their files at the root: those of npm, git, editors, Docker, and the pages that readers expect there',
  'schema/migrations': 'one file per change of the schema, in order; none may ever move',
};

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

/** An exception that is no longer needed is a finding too. */
export function folderSizeRule(
  sources: readonly Source[],
  exceptions: Readonly<Record<string, string>> = fullFolders,
): Finding[] {
  const counts = new Map(Object.keys(exceptions).map((folder) => [folder, 0]));
  for (const { path } of sources) {
    const folder = posix.dirname(path);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  const findings: Finding[] = [];
  for (const [path, count] of counts) {
    const isExcepted = path in exceptions;
    if (count > FOLDER_FILES === isExcepted) continue;
    const message = isExcepted
      ? `only ${count} files: delete its entry in fullFolders`
      : `${count} files, ${FOLDER_FILES} allowed: give each kind of file a folder with a name`;
    findings.push({ path, line: 1, rule: 'folder-size', message });
  }
  return findings;
}

function isCode(source: Source): boolean {
  return source.program !== undefined;
}

function isChapter(parent: Node | undefined): boolean {
  return parent?.type === 'CallExpression' && parent.callee.type === 'Identifier' && testCalls.has(parent.callee.name);
}
