import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT_PAGES = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'];

/** The repository's pages for readers: those at the root and every page below `docs/`, by path. */
export function listPages(): string[] {
  const below = readdirSync('docs', { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.md'));
  return [...ROOT_PAGES.filter((path) => existsSync(path)), ...below.map((path) => join('docs', path))];
}

export function readPage(path: string): string {
  return readFileSync(path, 'utf8');
}

/** The headings of a page in order; `#` lines inside code blocks are not headings. */
export function headingsOf(text: string): { readonly level: number; readonly title: string }[] {
  return [...withoutCode(text).matchAll(/^(#{1,6}) +(.+?)\s*$/gm)].map(([, marks, title]) => ({
    level: marks!.length,
    title: title!,
  }));
}

/** The anchor that GitHub gives a heading. */
export function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/ /g, '-');
}

export function withoutCode(text: string): string {
  return text.replace(/^```[\s\S]*?^```/gm, '');
}
