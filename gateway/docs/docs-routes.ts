import { refusalBody } from '../../engine/views/parts/error-body.ts';
import { refusal } from '../../schema/errors.ts';
import type { Header, IncomingRequest, Reply } from '../http/port.ts';
import { type ParsedRequest, type RawRoute, rawRoute } from '../route.ts';
import { DocsFiles, HOME, ICON, REFERENCE } from './docs-files.ts';

/** A page loads and sends to this origin alone, and nothing in it is inline. Swagger UI has icons as data. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS: readonly Header[] = [
  ['Content-Security-Policy', POLICY],
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'no-referrer'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Cache-Control', 'no-cache'],
];

const PAGE = ['text/html'];
const FILES = [...PAGE, 'text/css', 'text/javascript', 'application/json'];

/** The page at the root, the reference, and the guides beside it. */
export function docsRoutes(reference: () => string): RawRoute[] {
  const files = new DocsFiles(reference);
  const route = (path: string, summary: string, nameOf: (path: string) => string, answers = PAGE): RawRoute =>
    rawRoute({
      method: 'GET',
      path,
      textParams: true,
      place: 'root',
      guard: { kind: 'public' },
      summary,
      answers,
      etag: true,
      refusals: path.includes(':') ? ['404 Unknown page'] : [],
      handle: (request, reply, incoming) => send(files, nameOf(incoming.path), { request, reply, incoming }),
    });
  const below = (path: string) => path.slice('/docs/'.length);
  return [
    route('/', 'The page that leads to the console, the reference and the guides', () => HOME),
    route(
      '/favicon.ico',
      'The icon of the console and the documentation, which browsers ask for by themselves',
      () => ICON,
      ['image/svg+xml'],
    ),
    route('/docs', 'The reference of the API, as a page', () => REFERENCE),
    route('/docs/:page', 'A guide as a page, or a file of the reference', below, FILES),
    route('/docs/:folder/:page', 'A guide as a page', below),
  ];
}

interface Exchange {
  readonly request: Pick<ParsedRequest, 'replyHeaders'>;
  readonly reply: Reply;
  readonly incoming: IncomingRequest;
}

async function send(files: DocsFiles, name: string, { request, reply, incoming }: Exchange): Promise<void> {
  const file = await files.find(name);
  if (reply.done) return;
  if (!file) {
    const { status, body } = refusalBody(refusal('NOT_FOUND', 'There is no such page; /docs/guides lists the guides'));
    return reply.send(status, [['Content-Type', 'application/json; charset=utf-8'], ...request.replyHeaders], body);
  }
  const headers: Header[] = [['ETag', file.etag], ...HEADERS, ...request.replyHeaders];
  if (incoming.header('if-none-match') === file.etag) return reply.send(304, headers, '');
  reply.send(200, [['Content-Type', file.type], ...headers], file.body);
}
