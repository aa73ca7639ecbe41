import { posix } from 'node:path';
import { Marked, type Tokens } from 'marked';
import { type Html, html, trusted } from '../../engine/views/parts/html.ts';
import { docsPage } from './docs-page.ts';

/** The file that lists the guides, and the name that its page has. */
const INDEX_FILE = 'README.md';
const INDEX_PAGE = 'guides';

/** The file of a guide below `docs/`, by the name of its page: `guides/streams` → `guides/streams.md`. */
export function guideFile(page: string): string | undefined {
  if (page === INDEX_PAGE) return INDEX_FILE;
  return /^[a-z-]+(\/[a-z-]+)?$/.test(page) ? `${page}.md` : undefined;
}

/** Renders a guide. The Markdown is ours, so it may hold HTML. */
export function guidePage(page: string, markdown: string): string {
  const title = /^# (.+)$/m.exec(markdown)?.[1] ?? page;
  return docsPage({ title, current: 'guides', body: contentOf(guideFile(page)!, markdown) });
}

function contentOf(file: string, markdown: string): Html {
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading) {
        return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        const text = this.parser.parseInline(tokens);
        const target = targetOf(file, href);
        return target === undefined ? text : html`<a href="${target}">${trusted(text)}</a>`.toString();
      },
      code({ text }: Tokens.Code) {
        return html`<pre tabindex="0"><code>${text}</code></pre>`.toString();
      },
    },
  });
  const content = marked.parse(markdown, { async: false });
  return html`<main class="guide">${trusted(content.replace(/<table>[\s\S]*?<\/table>/g, '<div class="wide" tabindex="0">$&</div>'))}</main>`;
}

/** The anchor of a heading, as GitHub makes it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

/** The address that a link of a guide leads to here; undefined for a file that is not served. */
function targetOf(file: string, href: string): string | undefined {
  if (/^(https?:|#)/.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const target = posix.normalize(posix.join(posix.dirname(file), path));
  if (target.startsWith('..') || !target.endsWith('.md')) return undefined;
  const page = target === INDEX_FILE ? INDEX_PAGE : target.slice(0, -'.md'.length);
  return `/docs/${page}${anchor ? `#${anchor}` : ''}`;
}
