import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { readTree } from '../support/tidy/source.ts';
import { anchorOf, headingsOf, listPages, readPage, withoutCode } from './pages.ts';

test('every relative link of the documents leads to a file and a heading that exist', () => {
  const broken: string[] = [];
  for (const page of listPages()) {
    for (const [, target] of withoutCode(readPage(page)).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target!)) continue;
      const [path, anchor] = target!.split('#');
      const file = path ? join(dirname(page), path) : page;
      if (!existsSync(file)) broken.push(`${page}: ${target}`);
      else if (anchor && !headingsOf(readPage(file)).some(({ title }) => anchorOf(title) === anchor))
        broken.push(`${page}: ${target}`);
    }
  }
  assert.deepEqual(broken, []);
});

test('every citation of the contract in the code names a section and its headings', () => {
  const titles = new Map<string, Set<string>>();
  let section = '';
  for (const { level, title } of headingsOf(readPage('docs/contract.md'))) {
    section = level === 2 ? title.split(' ')[0]! : section;
    titles.set(section, (titles.get(section) ?? new Set()).add(title));
  }
  const wrong: string[] = [];
  for (const { path, text } of readTree('.')) {
    if (!/\.(ts|sql)$/.test(path) || path.startsWith('tests/docs/')) continue;
    for (const [citation] of text.matchAll(/contract\.md (?:§\d|"[^"\n]+"|,? and |, | )+/g)) {
      let cited = '';
      for (const [, number, title] of citation.matchAll(/(§\d)|"([^"]+)"/g)) {
        cited = number ?? cited;
        if (!titles.get(cited)?.has(title ?? [...(titles.get(cited) ?? [])][0]!)) wrong.push(`${path}: ${citation}`);
      }
    }
  }
  assert.deepEqual(wrong, []);
});
