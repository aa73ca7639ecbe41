import { isBelowApi, type Route } from './route.ts';

export const API_PREFIX = '/api/v1';

export type RouteMatch =
  | { readonly kind: 'found'; readonly route: Route; readonly params: Readonly<Record<string, string>> }
  | { readonly kind: 'wrong-method'; readonly allow: string }
  | { readonly kind: 'unknown' };

interface Node {
  readonly literals: Map<string, Node>;
  parameter: { readonly name: string; readonly node: Node } | undefined;
  readonly routes: Map<string, Route>;
  /** The methods of the path, for `Allow`; made when a request needs them first. */
  allow: string | undefined;
}

/** Finds the route of a path. Literal segments win over parameters, and a path that exists never falls through. */
export class Router {
  readonly #root = newNode();

  constructor(routes: readonly Route[]) {
    for (const route of routes) {
      const isApi = isBelowApi(route);
      const paths = route.kind === 'api' && route.me ? [route.path, route.path.replace('/:id', '/me')] : [route.path];
      for (const path of paths) {
        if (isApi) this.#add(`${API_PREFIX}${path}`, route);
        if (!isApi || route.bare) this.#add(path, route);
      }
    }
  }

  match(method: string, path: string): RouteMatch {
    const params: Record<string, string> = {};
    let node: Node | undefined = this.#root;
    for (let start = 1; node && start <= path.length; ) {
      const slash = path.indexOf('/', start);
      const end = slash === -1 ? path.length : slash;
      const segment = path.slice(start, end);
      const next: Node | undefined = node.literals.get(segment);
      if (!next && node.parameter && segment !== '') {
        params[node.parameter.name] = segment;
        node = node.parameter.node;
      } else {
        node = next;
      }
      start = end + 1;
    }
    if (!node || node.routes.size === 0) return { kind: 'unknown' };
    const route = node.routes.get(method) ?? (method === 'HEAD' ? node.routes.get('GET') : undefined);
    if (route) return { kind: 'found', route, params };
    node.allow ??= methodsOf(node).join(', ');
    return { kind: 'wrong-method', allow: node.allow };
  }

  #add(path: string, route: Route): void {
    let node = this.#root;
    for (const segment of path.slice(1).split('/')) {
      if (segment.startsWith(':')) {
        node.parameter ??= { name: segment.slice(1), node: newNode() };
        node = node.parameter.node;
      } else {
        const next = node.literals.get(segment) ?? newNode();
        node.literals.set(segment, next);
        node = next;
      }
    }
    if (node.routes.has(route.method)) throw new Error(`two routes for ${route.method} ${path}`);
    node.routes.set(route.method, route);
  }
}

/** The methods of a path. A path that serves GET serves HEAD. */
function methodsOf({ routes }: Node): string[] {
  return [...routes.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
}

function newNode(): Node {
  return { literals: new Map(), parameter: undefined, routes: new Map(), allow: undefined };
}

/** The start of a credential in a query. */
export const TOKEN_PARAMETER = 'token=';
/** Any letter of the name may be percent-encoded: it is read decoded. */
const TOKEN_VALUE = /(^|&)((?:t|%74)(?:o|%6[fF])(?:k|%6[bB])(?:e|%65)(?:n|%6[eE])=)[^&]*/g;

/** Paths that contain a token. */
const TRACKING_LINK = /^\/t\/[^/]*/;

/** The path as response bodies show it: `/v1/tasks` for every prefix, with the raw query. Tokens are masked. */
export function canonicalPath(path: string, query: string): string {
  const below = path.startsWith(`${API_PREFIX}/`)
    ? path.slice(API_PREFIX.length)
    : path.replace(TRACKING_LINK, '/t/***');
  if (query === '') return `/v1${below}`;
  const mayHaveToken = query.includes(TOKEN_PARAMETER) || query.includes('%');
  return `/v1${below}?${mayHaveToken ? query.replace(TOKEN_VALUE, '$1$2***') : query}`;
}
