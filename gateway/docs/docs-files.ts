import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { LIGHT } from '../../engine/views/parts/design-tokens.ts';
import { DOCS_STYLE, REFERENCE_STYLE } from './docs-style.ts';
import { guideFile, guidePage } from './guide-page.ts';
import { HOME_PAGE } from './home-page.ts';
import { REFERENCE_PAGE, REFERENCE_SCRIPT } from './reference-page.ts';

/** A file of the documentation, as it is sent. */
export interface DocsFile {
  readonly type: string;
  readonly body: string;
  readonly etag: string;
}

/** The name of the page at the root. */
export const HOME = 'home';
/** The name of the reference. */
export const REFERENCE = 'reference';
/** The name of the icon. */
export const ICON = 'icon';

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

const OWN: Readonly<Record<string, () => Promise<Omit<DocsFile, 'etag'>>>> = {
  [HOME]: async () => ({ type: HTML, body: HOME_PAGE }),
  [REFERENCE]: async () => ({ type: HTML, body: REFERENCE_PAGE }),
  [ICON]: async () => ({ type: 'image/svg+xml', body: ICON_IMAGE }),
  'docs.css': async () => ({ type: STYLE, body: DOCS_STYLE }),
  'reference.css': async () => ({ type: STYLE, body: REFERENCE_STYLE }),
  'reference.js': async () => ({ type: SCRIPT, body: REFERENCE_SCRIPT }),
  'swagger-ui.css': async () => ({ type: STYLE, body: await packaged('swagger-ui-dist/swagger-ui.css') }),
  'swagger-ui-bundle.js': async () => ({ type: SCRIPT, body: await packaged('swagger-ui-dist/swagger-ui-bundle.js') }),
};

function packaged(name: string): Promise<string> {
  return readFile(packages.resolve(name), 'utf8');
}

/** The files of the documentation. Each is made when somebody asks for it first, so that a start costs nothing. */
export class DocsFiles {
  readonly #files = new Map<string, DocsFile>();
  readonly #reference: () => string;

  /** `reference` makes the document that the reference shows. */
  constructor(reference: () => string) {
    this.#reference = reference;
  }

  /** The file with a name such as `docs.css` or `guides/streams`; undefined when there is none. */
  async find(name: string): Promise<DocsFile | undefined> {
    const known = this.#files.get(name);
    if (known) return known;
    const made = await this.#make(name);
    if (!made) return undefined;
    const etag = `"${createHash('sha256').update(made.body).digest('base64url')}"`;
    const file = { ...made, etag };
    this.#files.set(name, file);
    return file;
  }

  async #make(name: string): Promise<Omit<DocsFile, 'etag'> | undefined> {
    if (name === 'openapi.json') return { type: 'application/json; charset=utf-8', body: this.#reference() };
    return Object.hasOwn(OWN, name) ? await OWN[name]!() : await guide(name);
  }
}

async function guide(name: string): Promise<Omit<DocsFile, 'etag'> | undefined> {
  const file = guideFile(name);
  if (!file) return undefined;
  const markdown = await readFile(new URL(file, GUIDES), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return markdown === undefined ? undefined : { type: HTML, body: guidePage(name, markdown) };
}
