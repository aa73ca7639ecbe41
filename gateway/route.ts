import type * as v from 'valibot';
import type { Permission } from '../schema/accounts/permissions.ts';
import type { Role } from '../schema/accounts/role.ts';
import type { Caller, Origin, RequestFacts } from '../schema/commands.ts';
import type { Refusal } from '../schema/errors.ts';
import { isStorableText } from '../schema/fields/fields.ts';
import type { IdempotencyKey } from '../schema/fields/idempotency-key.ts';
import type { Header, IncomingRequest, Reply } from './http/port.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The callers that a route accepts. A route without a guard does not type-check. */
export type Guard =
  /** Anyone, over plain HTTP too: the operational paths. */
  | { readonly kind: 'operational' }
  /** Anyone, over HTTPS: logging in and the routes around it. */
  | { readonly kind: 'public' }
  /** Any user with a session. */
  | { readonly kind: 'session' }
  /** Any key or session. A super admin may name an organization, and acts in none without. */
  | { readonly kind: 'caller' }
  /**
   * Callers whose role has the permission, inside their organization. With the scope `platform` the route is not about
   * one organization and ignores X-Organization-Id.
   */
  | {
      readonly kind: 'permission';
      readonly permission: Permission;
      readonly scope?: 'platform';
      /**
       * Cached credentials stay usable for a while when the access feed is down: the data of these routes is worthless
       * later.
       */
      readonly mayLag?: true;
    };

/** Shorthand for the usual guard. */
export function may(permission: Permission): Guard {
  return { kind: 'permission', permission };
}

/** A caller that the guards have accepted. */
export interface Identity {
  /**
   * The id of the organization. 0 for a super admin on a route that is not about one organization, and for an anonymous
   * caller.
   */
  readonly organizationId: number;
  readonly role: Role;
  readonly caller: Caller;
  /** The session of a signed-in user; null for a key. */
  readonly sessionId: number | null;
  /** When a stream to this caller must end, in milliseconds since the epoch; see Credential. */
  readonly sessionEndsAtMs: number;
  /** SHA-256 of the key or access token, hex; empty for an anonymous caller. */
  readonly credentialHash: string;
  /**
   * The position of the access feed at which the credential was looked up; see Credential. The organization of a super
   * admin is looked up after it.
   */
  readonly snapshot: string;
  /** The rate limit of the caller's channel or user in requests per second; 0 = unlimited, null = the default. */
  readonly rateLimit: number | null;
  /** Whether the channel of the key may stream positions. */
  readonly locationsWrite: boolean;
}

/** A request that has passed every guard and whose parts have been parsed. `route` types them by its schemas. */
export interface ParsedRequest<Ids = Readonly<Record<string, number>>, Query = unknown, Body = unknown> {
  readonly identity: Identity;
  /** The client's address, known for anonymous requests too. */
  readonly origin: Origin;
  readonly params: Ids;
  readonly query: Query;
  readonly body: Body;
  readonly facts: RequestFacts;
  readonly idempotency: IdempotencyKey | undefined;
  /** The entity tags of If-Match; undefined without the header. */
  readonly ifMatch: readonly string[] | undefined;
  /** Headers of every response. A raw route sends them itself. */
  readonly replyHeaders: readonly Header[];
}

/** The ids of a path that names one record. */
export interface ById {
  readonly id: number;
}

/** A page of a list: JSON `data`, in which its cursor still has to stand last. */
export interface Page {
  readonly data: string;
  /** Null at the end of the list. */
  readonly nextCursor: string | null;
}

/** The result of a handler: JSON `data` for the envelope, or a coded refusal. */
export type RouteAnswer =
  | {
      readonly status: number;
      readonly message: string;
      readonly data: string;
      /** Makes it a page. */
      readonly nextCursor?: Page['nextCursor'];
      /** The entity tag of `data`, where it is known already. */
      readonly etag?: string | undefined;
      readonly position?: string;
      readonly replayed?: boolean;
    }
  | { readonly refusal: Refusal; readonly replayed?: boolean };

export interface ApiRoute {
  readonly kind: 'api';
  readonly method: Method;
  /** Relative to /api/v1; `:name` segments are ids. */
  readonly path: string;
  /** Also served without the /api/v1 prefix. */
  readonly bare?: boolean;
  readonly guard: Guard;
  readonly query?: QuerySchema;
  readonly body?: BodySchema;
  /** The `:name` segments hold text instead of ids. The handler reads them with lastTextOf. */
  readonly textParams?: true;
  /**
   * Also served with `me` in place of `:id`. `me` is the agent that the caller is; 404 when the caller is not an agent.
   */
  readonly me?: true;
  /** Successful responses carry an ETag of their `data`, and a GET honours If-None-Match. */
  readonly etag?: true;
  /** The cost of a request beyond 1, counted against the caller's rate limit. */
  readonly extraCost?: (input: unknown) => number;
  /** Headers of every response, refusals included. */
  readonly headers?: readonly Header[];
  /** Ignores an Idempotency-Key: the response must not be stored, or there is no need to. */
  readonly keepsNothing?: true;
  readonly summary: string;
  readonly success: { readonly status: number; readonly data: v.GenericSchema };
  /** The statuses that the handler may return besides 400, 401, 403, 404 for ids and 503, with their codes. */
  readonly refusals: readonly string[];
  readonly handle: (request: ParsedRequest) => Promise<RouteAnswer>;
}

/** The schema of a body. `schemaFor` picks it by the caller; `schema` is then the widest one. */
export interface BodySchema<Output = unknown> {
  readonly schema: v.GenericSchema<unknown, Output>;
  /**
   * A faster reader for usual bodies. It returns the same value as the schema, or undefined; then the schema decides.
   */
  readonly quick?: (body: unknown) => Output | undefined;
  readonly schemaFor?: (identity: Identity) => v.GenericSchema<unknown, Output>;
  /**
   * Lists all violations of a body that was refused, including those that depend on the clock. The clock alone never
   * refuses a body, because the request may be a retry.
   */
  readonly complaintsFor?: (identity: Identity) => v.GenericSchema;
  /**
   * The schema that the OpenAPI document shows in place of `schema`, for handlers that judge parts of the body
   * themselves.
   */
  readonly described?: v.GenericSchema;
  /** An empty body stands for `{}`. */
  readonly mayBeAbsent?: true;
  readonly maxBytes: number;
}

/** The schema of a query, and the parameters that may be repeated or hold a comma list. */
export interface QuerySchema<Output = unknown> {
  readonly schema: v.GenericSchema<unknown, Output> & Pick<v.ObjectSchema<v.ObjectEntries, undefined>, 'entries'>;
  readonly lists: ReadonlySet<string>;
  /** The lists whose values may hold commas themselves: their schema cuts the texts. */
  readonly uncut?: ReadonlySet<string>;
  /** A page below /api/v1 whose links people send on: other names in them, as messengers add them, are ignored. */
  readonly ignoresOthers?: true;
}

/** A route outside the envelope. It answers with a stream, a page, a text or a probe result. */
export interface RawRoute {
  readonly kind: 'raw';
  readonly method: 'GET' | 'POST';
  /** The `:name` segments are ids unless the route has `textParams`. */
  readonly path: string;
  /** The `:name` segments hold text instead of ids. The handler reads them with lastSegmentOf. */
  readonly textParams?: true;
  /** Accepts a body, and passes its bytes as the `body` of the request. */
  readonly body?: { readonly maxBytes: number; readonly media: string };
  /** `root`: an operational path. `api`: a path below /api/v1, guarded like any other. */
  readonly place: 'root' | 'api';
  readonly bare?: boolean;
  readonly guard: Guard;
  readonly query?: QuerySchema;
  /** The cost of a request beyond 1, counted against the caller's rate limit, computed from its query. */
  readonly extraCost?: (query: unknown) => number;
  /** Also opened by the `?token=` of POST /realtime/token. Other routes do not accept that token. */
  readonly takesStreamToken?: true;
  readonly summary: string;
  /** The media types of its answer. */
  readonly answers: string | readonly string[];
  /** The schema of a JSON answer. */
  readonly data?: v.GenericSchema;
  /** The schemas of the messages of an event stream, by name. */
  readonly messages?: ReadonlyMap<string, v.GenericSchema>;
  /** Its answer carries an ETag, and it honours If-None-Match. */
  readonly etag?: true;
  /** Also answers with a part of what it has, by the header Range. */
  readonly ranges?: true;
  /** Further statuses with the same body form, and their meaning. */
  readonly alsoAnswers?: Readonly<Record<string, string>>;
  /** Headers that its 200 has beside those of every answer. */
  readonly carries?: readonly string[];
  /** Where the route redirects with a 303, sometimes or always. */
  readonly leadsOn?: { readonly to: string; readonly always: boolean };
  /** Same as in ApiRoute. */
  readonly refusals?: readonly string[];
  readonly handle: (request: ParsedRequest, reply: Reply, incoming: IncomingRequest) => void | Promise<void>;
}

export type Route = ApiRoute | RawRoute;

/** Served below /api/v1. The other routes are operational paths and pages at the root. */
export function isBelowApi(route: Route): boolean {
  return route.kind === 'api' || route.place === 'api';
}

/** The names of the `:name` segments of a path. */
type SegmentNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | SegmentNames<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** The ids of a path. Empty for a path whose segments are text. */
type Ids<Path extends string, Text> = { readonly [Name in Text extends true ? never : SegmentNames<Path>]: number };

/** Declares an ApiRoute. Its path and schemas give the types of the request that its handler gets. */
type DeclaredApiRoute<Path extends string, Text, Query, Body> = Omit<
  ApiRoute,
  'kind' | 'path' | 'textParams' | 'query' | 'body' | 'extraCost' | 'handle'
> & {
  readonly path: Path;
  readonly textParams?: Text;
  readonly query?: QuerySchema<Query>;
  readonly body?: BodySchema<Body>;
  readonly extraCost?: (input: Body) => number;
  readonly handle: (request: ParsedRequest<Ids<Path, Text>, Query, Body>) => Promise<RouteAnswer>;
};

/** The router and the parser treat all routes alike, so the request types of one route end here. */
export function apiRoute<
  Path extends string,
  Text extends true | undefined = undefined,
  Query = undefined,
  Body = undefined,
>(declared: DeclaredApiRoute<Path, Text, Query, Body>): ApiRoute {
  return { kind: 'api', ...declared } as unknown as ApiRoute;
}

/** Declares a RawRoute. Its body is bytes. */
type DeclaredRawRoute<Path extends string, Text, Query> = Omit<
  RawRoute,
  'kind' | 'path' | 'textParams' | 'query' | 'extraCost' | 'handle'
> & {
  readonly path: Path;
  readonly textParams?: Text;
  readonly query?: QuerySchema<Query>;
  readonly extraCost?: (query: Query) => number;
  readonly handle: (
    request: ParsedRequest<Ids<Path, Text>, Query, Buffer>,
    reply: Reply,
    incoming: IncomingRequest,
  ) => void | Promise<void>;
};

export function rawRoute<Path extends string, Text extends true | undefined = undefined, Query = undefined>(
  declared: DeclaredRawRoute<Path, Text, Query>,
): RawRoute {
  return { kind: 'raw', ...declared } as unknown as RawRoute;
}

/** The media type of the forms of our pages. */
export const FORM_MEDIA = 'application/x-www-form-urlencoded';

/** Whether the body of a route is a form of ours. Callbacks of providers are judged by their signature instead. */
export function takesForm(route: Route): boolean {
  return route.kind === 'raw' && route.body?.media === FORM_MEDIA;
}

/** The last segment of a path, as it was sent. */
export function lastSegmentOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The last segment of a canonical path, decoded; undefined when it cannot be decoded, or not be stored. */
export function lastTextOf(canonicalPath: string): string | undefined {
  try {
    const decoded = decodeURIComponent(lastSegmentOf(canonicalPath.replace(/\?.*$/, '')));
    return isStorableText(decoded) ? decoded : undefined;
  } catch {
    return undefined;
  }
}
