import type * as v from 'valibot';
import type { Permission } from '../schema/accounts/permissions.ts';
import type { Role } from '../schema/accounts/role.ts';
import type { Caller, Origin, RequestFacts } from '../schema/commands.ts';
import type { Refusal } from '../schema/errors.ts';
import type { IdempotencyKey } from '../schema/fields/idempotency-key.ts';
import type { Header, IncomingRequest, Reply } from './http/port.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Who may call a route; a route without one does not type-check. */
export type Guard =
  /** Anyone, over plain HTTP too: the operational paths. */
  | { readonly kind: 'operational' }
  /** Anyone: signing in, and what goes with it. */
  | { readonly kind: 'public' }
  /** Whoever has signed in. */
  | { readonly kind: 'session' }
  /**
   * Callers whose role has the permission, inside their organization. With the scope `platform` the route is not about
   * one organization, and X-Organization-Id is not looked at.
   */
  | {
      readonly kind: 'permission';
      readonly permission: Permission;
      readonly scope?: 'platform';
      /** Remembered credentials do for a while when nothing can be heard about them: what is sent is of the moment. */
      readonly mayLag?: true;
    };

/** Shorthand for the usual guard. */
export function may(permission: Permission): Guard {
  return { kind: 'permission', permission };
}

/** A caller whom the guards have let in. */
export interface Identity {
  /** 0 for a super admin on a route that is not about one organization, and for nobody. */
  readonly organizationId: number;
  readonly role: Role;
  readonly caller: Caller;
  /** Of a user who has signed in; null for a key. */
  readonly sessionId: number | null;
  /** Until when an answer to this caller may last, in milliseconds since the epoch; see Credential. */
  readonly sessionEndsAtMs: number;
  /** SHA-256 of the key or access token, hex; empty for nobody. */
  readonly credentialHash: string;
  /** Of the look-up of the credential, see Credential; a super admin's organization is looked up after it. */
  readonly snapshot: string;
  /** Requests a second of the caller's channel or user; 0 = unlimited, null = the default. */
  readonly rateLimit: number | null;
  /** The channel whose key it is may stream positions. */
  readonly locationsWrite: boolean;
}

/** A request that has passed every guard and whose parts have been parsed. `route` types them by its schemas. */
export interface ParsedRequest<Ids = Readonly<Record<string, number>>, Query = unknown, Body = unknown> {
  readonly identity: Identity;
  /** Where it came from, also when nobody stands behind it. */
  readonly origin: Origin;
  readonly params: Ids;
  readonly query: Query;
  readonly body: Body;
  readonly facts: RequestFacts;
  readonly idempotency: IdempotencyKey | undefined;
  /** The entity tags of If-Match; undefined without one. */
  readonly ifMatch: readonly string[] | undefined;
  /** What every answer carries; a raw route sends them itself. */
  readonly replyHeaders: readonly Header[];
}

/** The ids of a path that names one record. */
export interface ById {
  readonly id: number;
}

/** What a handler answers: JSON `data` for the envelope, or a coded refusal. */
export type RouteAnswer =
  | {
      readonly status: number;
      readonly message: string;
      readonly data: string;
      readonly position?: string;
      readonly replayed?: boolean;
    }
  | { readonly refusal: Refusal; readonly replayed?: boolean };

export interface ApiRoute {
  readonly kind: 'api';
  readonly method: Method;
  /** Below /api/v1; `:name` segments are ids. */
  readonly path: string;
  /** Also answered without the /api/v1 prefix. */
  readonly bare?: boolean;
  readonly guard: Guard;
  readonly query?: QuerySchema;
  readonly body?: BodySchema;
  /** What stands in its `:name` segments is its own to read, by lastTextOf. */
  readonly textParams?: true;
  /** Also answered with `me` in place of `:id`, which stands for the agent that the caller is: 404 to who is none. */
  readonly me?: true;
  /** Successes carry an ETag of their `data`, and a GET honours If-None-Match. */
  readonly etag?: true;
  /** What a request costs beyond 1, of the caller's rate limit. */
  readonly extraCost?: (input: unknown) => number;
  /** What every answer carries, a refusal too. */
  readonly headers?: readonly Header[];
  /** An Idempotency-Key is ignored: nothing of the answer may be kept. */
  readonly keepsNothing?: true;
  readonly summary: string;
  readonly success: { readonly status: number; readonly data: v.GenericSchema };
  /** Statuses besides 400, 401, 403, 404 for ids and 503 that the handler may answer, with the codes. */
  readonly refusals: readonly string[];
  readonly handle: (request: ParsedRequest) => Promise<RouteAnswer>;
}

/** A body's schema; `schemaFor` where it depends on who sends it, of which `schema` is then the widest. */
export interface BodySchema<Output = unknown> {
  readonly schema: v.GenericSchema<unknown, Output>;
  /** Reads usual bodies faster; what it returns is what the schema would, or undefined, and the schema is asked. */
  readonly quick?: (body: unknown) => Output | undefined;
  readonly schemaFor?: (identity: Identity) => v.GenericSchema<unknown, Output>;
  /** Names all that is wrong with a body that was refused, by the clock too, which alone refuses none: it may be a retry. */
  readonly complaintsFor?: (identity: Identity) => v.GenericSchema;
  /** What the OpenAPI document shows in place of `schema`, where the handler judges parts of the body by themselves. */
  readonly described?: v.GenericSchema;
  /** No body at all stands for `{}`. */
  readonly mayBeAbsent?: true;
  readonly maxBytes: number;
}

/** A query's schema and the parameters that may be repeated or hold a comma list. */
export interface QuerySchema<Output = unknown> {
  readonly schema: v.GenericSchema<unknown, Output> & Pick<v.ObjectSchema<v.ObjectEntries, undefined>, 'entries'>;
  readonly lists: ReadonlySet<string>;
}

/** A route outside the envelope: it answers by itself, with a stream, a page, a text or a probe. */
export interface RawRoute {
  readonly kind: 'raw';
  readonly method: 'GET' | 'POST';
  /** Its `:name` segments are ids, too, unless it has `textParams`. */
  readonly path: string;
  /** What stands in its `:name` segments is its own to read, by lastSegmentOf. */
  readonly textParams?: true;
  /** Takes a body, whose bytes are the `body` of the request. */
  readonly body?: { readonly maxBytes: number; readonly media: string };
  /** `root`: an operational path; `api`: below /api/v1, and guarded like any other. */
  readonly place: 'root' | 'api';
  readonly bare?: boolean;
  readonly guard: Guard;
  readonly query?: QuerySchema;
  /** What a request costs beyond 1, of the caller's rate limit, by its query. */
  readonly extraCost?: (query: unknown) => number;
  /** Also opened by `?token=` of POST /realtime/token; elsewhere that is no credential. */
  readonly takesStreamToken?: true;
  readonly summary: string;
  readonly answers: string;
  /** Statuses besides 200 that are told in the same form, with what they mean. */
  readonly alsoAnswers?: Readonly<Record<string, string>>;
  /** Where it leads by a 303: now and then in place of its answer, or always. */
  readonly leadsOn?: { readonly to: string; readonly always: boolean };
  /** As of an ApiRoute. */
  readonly refusals?: readonly string[];
  readonly handle: (request: ParsedRequest, reply: Reply, incoming: IncomingRequest) => void | Promise<void>;
}

export type Route = ApiRoute | RawRoute;

/** The `:name` segments of a path. */
type SegmentNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | SegmentNames<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** The ids of a path; none where the segments are text. */
type Ids<Path extends string, Text> = { readonly [Name in Text extends true ? never : SegmentNames<Path>]: number };

/** An ApiRoute as it is declared: its path and schemas give the types of the request that its handler gets. */
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

/** The router and the parser treat all routes alike, so the types of one route's request end here. */
export function apiRoute<
  Path extends string,
  Text extends true | undefined = undefined,
  Query = undefined,
  Body = undefined,
>(declared: DeclaredApiRoute<Path, Text, Query, Body>): ApiRoute {
  return { kind: 'api', ...declared } as unknown as ApiRoute;
}

/** The same for a RawRoute, whose body is bytes. */
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

/** What a path ends with, as it was sent. */
export function lastSegmentOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The same of a canonical path, decoded; undefined for what cannot be. */
export function lastTextOf(canonicalPath: string): string | undefined {
  try {
    return decodeURIComponent(lastSegmentOf(canonicalPath.replace(/\?.*$/, '')));
  } catch {
    return undefined;
  }
}
