import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { LIGHT } from '../../engine/views/parts/design-tokens.ts';
import { type KeptFile, keptFile } from '../request/kept-file.ts';
import { DOCS_STYLE, REFERENCE_STYLE } from './docs-style.ts';
import { guideFile, guidePage } from './guide-page.ts';
import { HOME_PAGE } from './home-page.ts';
import { REFERENCE_PAGE, REFERENCE_SCRIPT } from './reference-page.ts';

/** A file of the documentation before it has its tag. */
interface Content {
  readonly type: string;
  readonly body: string;
}

const GUIDES = new URL('../../docs/', import.meta.url);
const packages = createRequire(import.meta.url);
const HTML = 'text/html; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';

/** A pin on the colour of the pages. */
const ICON_IMAGE = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="${LIGHT.accent}"/>
<path fill="${LIGHT.onAccent}" d="M16 5a8.5 8.5 0 0 0-8.5 8.5C7.5 20 16 27.5 16 27.5S24.5 20 24.5 13.5A8.5 8.5 0 0 0 16 5Z"/>
<circle cx="16" cy="13.5" r="3.2" fill="${LIGHT.accent}"/>
</svg>
`;

/** Files that are no guides, by path. */
const OWN: Readonly<Record<string, () => Promise<Content>>> = {
  '/': async () => ({ type: HTML, body: HOME_PAGE }),
  '/docs': async () => ({ type: HTML, body: REFERENCE_PAGE }),
  '/favicon.ico': async () => ({ type: 'image/svg+xml', body: ICON_IMAGE }),
  '/docs/docs.css': async () => ({ type: STYLE, body: DOCS_STYLE }),
  '/docs/reference.css': async () => ({ type: STYLE, body: REFERENCE_STYLE }),
  '/docs/reference.js': async () => ({ type: SCRIPT, body: REFERENCE_SCRIPT }),
  '/docs/swagger-ui.css': async () => ({ type: STYLE, body: await packaged('swagger-ui-dist/swagger-ui.css') }),
  '/docs/swagger-ui-bundle.js': async () => ({
    type: SCRIPT,
    body: await packaged('swagger-ui-dist/swagger-ui-bundle.js'),
  }),
};

function packaged(name: string): Promise<string> {
  return readFile(packages.resolve(name), 'utf8');
}

/** The files of the documentation. Each is made when somebody asks for it first, so that a start costs nothing. */
export class DocsFiles {
  readonly #files = new Map<string, KeptFile>();
  readonly #reference: () => string;

  /** `reference` makes the document that the reference shows. */
  constructor(reference: () => string) {
    this.#reference = reference;
  }

  /** The file at a path such as `/docs/docs.css` or `/docs/guides/streams`; undefined when there is none. */
  async find(path: string): Promise<KeptFile | undefined> {
    const known = this.#files.get(path);
    if (known) return known;
    const made = await this.#make(path);
    if (!made) return undefined;
    const file = keptFile(made.type, made.body);
    this.#files.set(path, file);
    return file;
  }

  async #make(path: string): Promise<Content | undefined> {
    if (path === '/docs/openapi.json') return { type: 'application/json; charset=utf-8', body: this.#reference() };
    return Object.hasOwn(OWN, path) ? await OWN[path]!() : await guide(path.slice('/docs/'.length));
  }
}

async function guide(name: string): Promise<Content | undefined> {
  const file = guideFile(name);
  if (!file) return undefined;
  const markdown = await readFile(new URL(file, GUIDES), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return markdown === undefined ? undefined : { type: HTML, body: guidePage(name, markdown) };
}
