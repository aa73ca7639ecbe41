import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Node, parseSync, visitorKeys } from 'oxc-parser';

/** A place that breaks a rule. `message` names the fault and its replacement. */
export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly rule: string;
  readonly message: string;
}

/** A rule looks at the whole tree at once, so that one file and a relation between files are judged alike. */
export type Rule = (sources: readonly Source[]) => Finding[];

export interface Import {
  /** As written: `./clock.ts`, `node:fs`, `postgres`. */
  readonly specifier: string;
  readonly offset: number;
}

/** One file of the repository: `path` from its root, with forward slashes. */
export interface Source {
  readonly path: string;
  readonly text: string;
  /** The syntax tree; undefined for anything but TypeScript, with or without JSX. */
  readonly program: Node | undefined;
  readonly imports: readonly Import[];
}

/** Throws on TypeScript that does not parse: a rule that saw nothing must not pass. */
export function parseSource(path: string, text: string): Source {
  if (!/\.tsx?$/.test(path)) return { path, text, program: undefined, imports: [] };
  const { program, module, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} does not parse: ${errors[0]!.message}`);
  const requests = [
    ...module.staticImports.map((statement) => statement.moduleRequest),
    ...module.staticExports.flatMap((statement) => statement.entries.flatMap((entry) => entry.moduleRequest ?? [])),
  ];
  const imports = new Map<number, Import>();
  for (const { value, start } of requests) imports.set(start, { specifier: value, offset: start });
  for (const { moduleRequest } of module.dynamicImports) {
    const literal = text.slice(moduleRequest.start, moduleRequest.end).match(/^(['"])(.*)\1$/);
    if (literal) imports.set(moduleRequest.start, { specifier: literal[2]!, offset: moduleRequest.start });
  }
  return { path, text, program, imports: [...imports.values()] };
}

export function lineAt(source: Source, offset: number): number {
  let line = 1;
  for (let i = source.text.indexOf('\n'); i >= 0 && i < offset; i = source.text.indexOf('\n', i + 1)) line += 1;
  return line;
}

export function findingAt(source: Source, offset: number, rule: string, message: string): Finding {
  return { path: source.path, line: lineAt(source, offset), rule, message };
}

/** Calls `visit` for every node of the source, parents first. */
export function walk(source: Source, visit: (node: Node, parent: Node | undefined) => void): void {
  function descend(node: Node, parent: Node | undefined): void {
    visit(node, parent);
    for (const key of visitorKeys[node.type] ?? []) {
      const child = node[key as keyof Node] as unknown;
      for (const each of Array.isArray(child) ? child : [child]) if (each) descend(each as Node, node);
    }
  }
  if (source.program) descend(source.program, undefined);
}

/** Whether `path` is `place` itself or lies under it. */
export function isUnder(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`);
}

export function isUnderAny(path: string, places: readonly string[]): boolean {
  return places.some((place) => isUnder(path, place));
}

/** Every file that git would commit, read and parsed. `.gitignore` holds plain `folder/` and `*.suffix` lines only. */
export function readTree(root: string): Source[] {
  const ignored = readFileSync(join(root, '.gitignore'), 'utf8').split('\n').filter(Boolean);
  const ignoredFolders = new Set(ignored.filter((line) => line.endsWith('/')).map((line) => line.slice(0, -1)));
  const ignoredSuffixes = ignored.filter((line) => line.startsWith('*')).map((line) => line.slice(1));
  const sources: Source[] = [];

  function enter(folder: string): void {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      // A folder in a clone, a file in a worktree.
      if (entry.name === '.git') continue;
      const path = folder ? `${folder}/${entry.name}` : entry.name;
      if (entry.isDirectory()) {
        if (!ignoredFolders.has(entry.name)) enter(path);
      } else if (entry.isFile() && !ignoredSuffixes.some((suffix) => entry.name.endsWith(suffix))) {
        sources.push(parseSource(path, readFileSync(join(root, path), 'utf8')));
      }
    }
  }
  enter('');
  return sources.sort((a, b) => (a.path < b.path ? -1 : 1));
}
