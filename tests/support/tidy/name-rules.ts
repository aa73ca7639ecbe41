import { posix } from 'node:path';
import { type Finding, findingAt, type Source, walk } from './source.ts';

const emptyNames = new Set(['util', 'utils', 'helper', 'helpers', 'common', 'misc', 'index']);
const kebabCase = /^[a-z0-9]+(-[a-z0-9]+)*$/;

export function fileNameRule(sources: readonly Source[]): Finding[] {
  const findings: Finding[] = [];
  for (const { path, program } of sources) {
    if (!program && !path.endsWith('.sql')) continue;
    const names = [...posix.dirname(path).split('/'), posix.basename(path).replace(/(\.test|\.d)?\.(tsx?|sql)$/, '')];
    for (const name of names) {
      const report = (message: string) => findings.push({ path, line: 1, rule: 'file-name', message });
      if (emptyNames.has(name)) report(`"${name}" says nothing: name it after what it holds`);
      else if (name !== '.' && !kebabCase.test(name))
        report(`"${name}" is not kebab-case: name it after its main export, in kebab-case`);
    }
  }
  return findings;
}

export function reExportRule(sources: readonly Source[]): Finding[] {
  const findings: Finding[] = [];
  for (const source of sources) {
    walk(source, (node) => {
      if (node.type !== 'ExportAllDeclaration') return;
      const message = '`export *` hides where a name lives: import it from the file that defines it';
      findings.push(findingAt(source, node.start, 're-export', message));
    });
  }
  return findings;
}
