import { html } from '../../engine/views/parts/html.ts';
import { refusal } from '../../schema/errors.ts';
import type { Header, Reply } from '../http/port.ts';
import { pageKind } from '../pages/page-kind.ts';
import { RefusalError } from '../refusal-error.ts';
import { lastSegmentOf, type ParsedRequest, type RawRoute, rawRoute } from '../route.ts';
import { CONSOLE_MEDIA, ConsoleFiles } from './console-files.ts';
import { MAP_PATH, type MapFileParts, mapRoute } from './map-route.ts';

/** The views that have an address of their own. The page finds out by itself which one is asked for. */
const VIEWS = new Set(['attention', 'board', 'charts', 'couriers', 'settings']);

/** With and without a slash at the end, as people type them. */
const PAGES = [
  ['/console', 'The dispatch console'],
  ['/console/', 'The dispatch console'],
  ['/console/:view', 'A view of the dispatch console'],
  ['/console/:view/', 'A view of the dispatch console'],
  ['/console/:view/:record', 'A record in a view of the dispatch console'],
] as const;

const ROUTE = {
  method: 'GET',
  place: 'root',
  guard: { kind: 'public' },
  refusals: ['404 A page that says so'],
} as const;

/** The ground of the map, by a style or by a file of tiles. With neither it has a quiet one of its own. */
export interface MapGround {
  readonly styleUrl: string | undefined;
  readonly file: MapFileParts | undefined;
}

/** The dispatch console: a page that anyone may load, and which signs its user in. */
export function consoleRoutes(ground: MapGround): RawRoute[] {
  const files = new ConsoleFiles();
  const show = (request: ParsedRequest, reply: Reply): void => {
    const page = files.page();
    if (page === undefined)
      return sendNote(request, reply, 'The console is not built', 'Run npm run build, then reload.');
    const style = html`${ground.styleUrl ?? ''}`.toString();
    const headers = [...pageHeaders(ground.styleUrl), ...request.replyHeaders];
    if (!reply.done)
      reply.send(
        200,
        headers,
        page.replace('%MAP_STYLE%', () => style).replace('%MAP_TILES%', ground.file ? MAP_PATH : ''),
      );
  };
  return [
    ...PAGES.map(([path, summary]) =>
      rawRoute({
        ...ROUTE,
        path,
        textParams: true,
        summary,
        answers: 'text/html',
        handle(request, reply, incoming) {
          const [, , view = ''] = incoming.path.split('/');
          if (view === '' || VIEWS.has(view)) return show(request, reply);
          sendNote(request, reply, 'Nothing to see here', 'The console is at /console.');
        },
      }),
    ),
    rawRoute({
      ...ROUTE,
      path: '/console/assets/:file',
      textParams: true,
      summary: 'A file of the dispatch console, whose name changes with its content',
      answers: CONSOLE_MEDIA,
      refusals: ['404 Unknown file'],
      handle({ replyHeaders }, reply, incoming) {
        const file = files.asset(lastSegmentOf(incoming.path), incoming.header('accept-encoding'));
        if (file) reply.send(200, [...file.headers, ...replyHeaders], file.bytes);
        else throw new RefusalError(refusal('NOT_FOUND', 'There is no such file'));
      },
    }),
    mapRoute(ground.file),
  ];
}

/** The page may load what this origin serves, and the map's ground from its own. Photos of proofs are data URLs. */
function pageHeaders(mapStyleUrl: string | undefined): Header[] {
  const ground = mapStyleUrl ? ` ${new URL(mapStyleUrl).origin}` : '';
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    `img-src 'self' data:${ground}`,
    `connect-src 'self'${ground}`,
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return [
    ['Content-Type', 'text/html; charset=utf-8'],
    ['Content-Security-Policy', policy.join('; ')],
    ['X-Content-Type-Options', 'nosniff'],
    ['Referrer-Policy', 'no-referrer'],
    ['Cross-Origin-Opener-Policy', 'same-origin'],
    ['Cross-Origin-Resource-Policy', 'same-origin'],
    ['X-Robots-Tag', 'noindex'],
    // The names of its files change with each build.
    ['Cache-Control', 'no-cache'],
  ];
}

const NOTE = pageKind({ style: 'body{font:16px/1.5 system-ui;margin:15vh auto;max-width:30rem;padding:0 1rem}' });

function sendNote({ replyHeaders }: ParsedRequest, reply: Reply, title: string, text: string): void {
  const body = html`<h1>${title}</h1><p>${text}</p>`;
  if (!reply.done) reply.send(404, [...NOTE.headers, ...replyHeaders], NOTE.document({ title, body }));
}
