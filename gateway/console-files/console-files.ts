import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Header } from '../http/port.ts';

/** Where `npm run build` puts the console; the same from this source and from the compiled gateway. */
const FOLDER = fileURLToPath(new URL('../../dist/console/', import.meta.url));

const MEDIA: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  woff2: 'font/woff2',
};
/** The media types of the files. */
export const CONSOLE_MEDIA: readonly string[] = Object.values(MEDIA).map((media) => media.replace(/;.*/, ''));
/** The names that the build makes. Nothing else is looked for, so no name leads out of the folder. */
const NAME = /^[a-z0-9-]+-[A-Z0-9]+\.(js|css|woff2)$/;
/** In the order of preference. */
const CODINGS = ['br', 'gzip'] as const;
const SUFFIX = { br: '.br', gzip: '.gz', identity: '' } as const;

interface ServedFile {
  readonly headers: readonly Header[];
  readonly bytes: Buffer;
}

/** The files of the built console, read when they are asked for first and kept. */
export class ConsoleFiles {
  readonly #kept = new Map<string, ServedFile | undefined>();

  /** The page that starts the console; undefined when the console is not built. */
  page(): string | undefined {
    return this.#read('page.html')?.toString('utf8');
  }

  /** An asset in the best coding that the client accepts; undefined when there is none of this name. */
  asset(name: string, acceptEncoding = ''): ServedFile | undefined {
    const media = NAME.exec(name)?.[1];
    if (!media) return undefined;
    const accepted = CODINGS.filter((coding) => accepts(acceptEncoding, coding));
    for (const coding of [...accepted, 'identity'] as const) {
      const key = name + SUFFIX[coding];
      if (!this.#kept.has(key)) {
        const bytes = this.#read(`assets/${key}`);
        // A name that does not exist is not kept: there are too many of them.
        if (!bytes) continue;
        this.#kept.set(key, { bytes, headers: headersOf(MEDIA[media]!, coding) });
      }
      return this.#kept.get(key);
    }
    return undefined;
  }

  #read(path: string): Buffer | undefined {
    try {
      return readFileSync(FOLDER + path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }
}

function headersOf(media: string, coding: keyof typeof SUFFIX): Header[] {
  return [
    ['Content-Type', media],
    // The name changes with the content.
    ['Cache-Control', 'public, max-age=31536000, immutable'],
    ['X-Content-Type-Options', 'nosniff'],
    ['Cross-Origin-Resource-Policy', 'same-origin'],
    ...(coding === 'identity' ? [] : [['Content-Encoding', coding] as const]),
    ['Vary', 'Accept-Encoding'],
  ];
}

/** Source: RFC 9110 §12.5.3; a weight of 0 refuses. */
function accepts(acceptEncoding: string, coding: string): boolean {
  return acceptEncoding.split(',').some((part) => {
    const [name, weight] = part.split(';').map((text) => text.trim().toLowerCase());
    return name === coding && !/^q=0(\.0*)?$/.test(weight ?? '');
  });
}
