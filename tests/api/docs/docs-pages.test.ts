import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { guidePage } from '../../../gateway/docs/guide-page.ts';
import { useGateway } from '../api-fixture.ts';

const fixture = useGateway();
const get = (path: string, headers = {}) => fixture.api.raw({ method: 'GET', path, headers });

const ROOT = new URL('../../../docs/', import.meta.url);
const pages = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md') && name !== 'README.md')
  .map((name) => `/docs/${name.slice(0, -'.md'.length)}`);

test('every document of docs/ is a page, and its links and anchors lead to pages', async () => {
  assert.ok(pages.length > 20);
  const texts = new Map<string, string>();
  for (const page of [...pages, '/docs/guides', '/docs', '/']) {
    const { status, text, headers } = await get(page);
    assert.deepEqual([status, headers['content-type']], [200, 'text/html; charset=utf-8'], page);
    texts.set(page, text);
  }
  for (const [page, text] of texts) {
    for (const [, path, anchor] of text.matchAll(/href="(\/docs[^"#]*)(?:#([^"]+))?"/g)) {
      if (/\.(css|js)$/.test(path!)) assert.equal((await get(path!)).status, 200, path);
      else assert.ok(texts.has(path!), `${page} links to ${path}`);
      if (anchor) assert.ok(texts.get(path!)!.includes(`id="${anchor}"`), `${page} links to ${path}#${anchor}`);
    }
  }
});

test('pages allow nothing inline and no other origin, and are asked for again only when they change', async () => {
  for (const path of ['/', '/docs', '/docs/guides', '/docs/swagger-ui-bundle.js']) {
    const { headers } = await get(path);
    const policy = String(headers['content-security-policy']);
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/);
    assert.doesNotMatch(policy, /unsafe|https?:|\*/);
    const again = await get(path, { 'if-none-match': headers['etag'] });
    assert.deepEqual([again.status, again.text], [304, ''], path);
  }
});

test('a browser gets the icon that it asks for by itself', async () => {
  const { status, headers, text } = await get('/favicon.ico');
  assert.deepEqual([status, headers['content-type']], [200, 'image/svg+xml']);
  assert.match(text, /^<svg /);
});

test('a page has one address', async () => {
  for (const path of [
    '/docs/home',
    '/docs/icon',
    '/docs/reference',
    '/docs/docs',
    '/docs/docs/docs.css',
    '/docs/favicon.ico',
  ])
    assert.equal((await get(path)).status, 404, path);
});

test('no name leads out of docs/', async () => {
  for (const path of ['/docs/nope', '/docs/..%2fREADME', '/docs/guides/%2e%2e', '/docs/guides/README', '/docs/home.md'])
    assert.equal((await get(path)).status, 404, path);
});

test('a guide shows headings with anchors, code as it is, and links to other guides only', () => {
  const page = guidePage(
    'guides/x',
    '# A `b`\n\n[s](streams.md#why) [r](../README.md) [o](../../README.md)\n\n```\n<i>\n```\n',
  );
  assert.match(page, /<h1 id="a-b">A <code>b<\/code><\/h1>/);
  assert.match(page, /<a href="\/docs\/guides\/streams#why">s<\/a> <a href="\/docs\/guides">r<\/a> o/);
  assert.match(page, /<code>&lt;i&gt;<\/code>/);
});
