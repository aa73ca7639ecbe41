import { refusalBody } from '../../engine/views/parts/error-body.ts';
import { refusal } from '../../schema/errors.ts';
import type { Header, IncomingRequest, Reply } from '../http/port.ts';
import { sendKept } from '../request/kept-file.ts';
import { type ParsedRequest, type RawRoute, rawRoute } from '../route.ts';
import { DocsFiles } from './docs-files.ts';

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
];

const PAGE = ['text/html'];
const FILES = [...PAGE, 'text/css', 'text/javascript', 'application/json'];

/** The page at the root, the reference, and the guides beside it. */
export function docsRoutes(reference: () => string): RawRoute[] {
  const files = new DocsFiles(reference);
  const route = (path: string, summary: string, answers = PAGE): RawRoute =>
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
      handle: (request, reply, incoming) =>
        send(files, path.includes(':') ? incoming.path : path, { request, reply, incoming }),
    });
  return [
    route('/', 'The page that leads to the console, the reference and the guides'),
    route('/favicon.ico', 'The icon of the console and the documentation, which browsers ask for by themselves', [
      'image/svg+xml',
    ]),
    route('/docs', 'The reference of the API, as a page'),
    route('/docs/:page', 'A guide as a page, or a file of the reference', FILES),
    route('/docs/:folder/:page', 'A guide as a page'),
  ];
}

interface Exchange {
  readonly request: Pick<ParsedRequest, 'replyHeaders'>;
  readonly reply: Reply;
  readonly incoming: IncomingRequest;
}

async function send(files: DocsFiles, path: string, { request, reply, incoming }: Exchange): Promise<void> {
  const file = await files.find(path);
  if (reply.done) return;
  if (!file) {
    const { status, body } = refusalBody(refusal('NOT_FOUND', 'There is no such page; /docs/guides lists the guides'));
    return reply.send(status, [['Content-Type', 'application/json; charset=utf-8'], ...request.replyHeaders], body);
  }
  sendKept(file, [...HEADERS, ...request.replyHeaders], { reply, incoming });
}
