import type { Log } from '../../engine/runtime/log.ts';
import type { Credential, CredentialStore } from '../../engine/store/access/credential-store.ts';
import type { StreamGrant, StreamTokenStore } from '../../engine/store/access/stream-token-store.ts';
import { isStoreAway } from '../../engine/store/postgres.ts';
import { errorBody, refusalBody, validationBody } from '../../engine/views/parts/error-body.ts';
import { holds } from '../../schema/accounts/permissions.ts';
import type { Origin } from '../../schema/commands.ts';
import { notFound, refusal } from '../../schema/errors.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { Headers, IncomingRequest } from '../http/port.ts';
import type { Guard, Identity, Route } from '../route.ts';
import { canonicalPath, TOKEN_PARAMETER } from '../router.ts';
import type { AccessFeed } from './access-feed.ts';
import type { CredentialCache } from './credential-cache.ts';
import { LookupRefused } from './credential-lookups.ts';

interface Refused {
  readonly status: number;
  readonly body: string;
  readonly headers?: Headers;
}

/** A caller who may go on, or the finished refusal. */
export type Authentication =
  | { readonly identity: Identity }
  | {
      readonly refused: Refused;
      /** The refused caller, when it is known. */
      readonly identity?: Identity;
    };

export type Authenticate = (
  request: IncomingRequest,
  route: Route,
  origin: Origin,
) => Authentication | Promise<Authentication>;

export interface AuthenticationParts {
  readonly credentials: Pick<CredentialCache, 'find' | 'findByHash'>;
  readonly streamTokens: Pick<StreamTokenStore, 'find' | 'take'>;
  readonly store: Pick<CredentialStore, 'findConsoleChannel' | 'findOfSession'>;
  readonly feed: Pick<AccessFeed, 'generation'>;
  readonly log: Log;
}

const API_KEY = /^dk_live_[A-Za-z0-9]{40}$/;
const BEARER = /^bearer +(\S+)$/i;
const ACCESS_TOKEN = /^da_[A-Za-z0-9]{40}$/;
const STREAM_TOKEN = /^dst_[A-Za-z0-9]{40}$/;
const ID = /^[1-9]\d{0,15}$/;
const ORGANIZATION_HEADER = 'X-Organization-Id';

const NOBODY: Authentication = {
  identity: {
    organizationId: 0,
    role: 'integration',
    caller: { type: 'system', id: null, channelId: 0, role: 'system', agentId: null },
    sessionId: null,
    sessionEndsAtMs: Number.POSITIVE_INFINITY,
    credentialHash: '',
    snapshot: '1:1:',
    rateLimit: null,
    locationsWrite: false,
  },
};
const UNAUTHORIZED = plain(401, 'Unauthorized');
const TWO_CREDENTIALS = plain(400, 'Exactly one credential may be given');
const NO_ORGANIZATION = plain(400, `${ORGANIZATION_HEADER} is required`);
const FORBIDDEN = plain(403, 'Forbidden');
const ORGANIZATION_NOT_ACTIVE = refusalBody(refusal('ORGANIZATION_NOT_ACTIVE'));
const EMAIL_NOT_VERIFIED = refusalBody(refusal('EMAIL_NOT_VERIFIED'));
const UNAVAILABLE = refusalBody(refusal('UNAVAILABLE'));

/**
 * Finds the caller, and checks that it may use the route: 401 without a valid key or access token, then 403 for the
 * organization, the channel, the user, the e-mail address and the permission, in this order. Answers at once when the
 * credential is known; 503 when Postgres cannot be asked about it.
 */
export function createAuthenticator(parts: AuthenticationParts): Authenticate {
  return (request, route, origin) => {
    const { guard } = route;
    if (guard.kind === 'operational' || guard.kind === 'public') return NOBODY;
    const key = request.header('x-api-key');
    const authorization = request.header('authorization');
    const tokens = route.kind === 'raw' && route.takesStreamToken ? streamTokensIn(request.query) : [];
    const given = tokens.length + (key === undefined ? 0 : 1) + (authorization === undefined ? 0 : 1);
    if (given > 1) return { refused: TWO_CREDENTIALS };
    if (tokens.length > 0) return admitByStreamToken(parts, { request, guard, origin }, tokens[0]!);
    const secret = key === undefined ? accessTokenIn(authorization) : apiKeyIn(key);
    if (secret === undefined) return { refused: UNAUTHORIZED };
    const mayLag = guard.kind === 'permission' && guard.mayLag === true;
    const found = parts.credentials.find(secret, mayLag);
    if (!(found instanceof Promise) && !mayNameOrganization(found, guard)) return admit(found, guard, origin);
    const find = () => parts.credentials.find(secret);
    return admitOrRefuse(parts, { request, guard, origin, find, attempt: 1 }, found);
  };
}

/** The values of `token` in a query, by which a browser that cannot send headers opens a stream. */
function streamTokensIn(query: string): string[] {
  if (!query.includes(TOKEN_PARAMETER)) return [];
  const values = query.split('&').filter((part) => part.startsWith(TOKEN_PARAMETER));
  return values.map((part) => part.slice(TOKEN_PARAMETER.length)).filter((value) => value !== '');
}

/** The owner of the token, with its present rights. HEAD opens no stream, so it uses no token up. */
async function admitByStreamToken(
  parts: AuthenticationParts,
  asked: Pick<Asked, 'request' | 'guard' | 'origin'>,
  token: string,
): Promise<Authentication> {
  if (!STREAM_TOKEN.test(token)) return { refused: UNAUTHORIZED };
  const { streamTokens } = parts;
  const asking = asked.request.method === 'HEAD' ? streamTokens.find(token) : streamTokens.take(token);
  const grant = await asking.catch((error: unknown) => {
    parts.log.debug({ err: error }, 'a stream token could not be looked up');
    return 'unavailable' as const;
  });
  if (grant === 'unavailable') return { refused: UNAVAILABLE };
  if (!grant) return { refused: UNAUTHORIZED };
  const find = () => ownerOf(parts, grant);
  return admitOrRefuse(parts, { ...asked, find, organizationId: grant.organizationId, attempt: 1 }, find());
}

/** The asker of a stream token: by its credential or, where a refresh has replaced that or it has expired, by its session. */
async function ownerOf(
  { credentials, store, feed }: AuthenticationParts,
  { credentialHash, session }: StreamGrant,
): Promise<Credential | undefined> {
  const known = await credentials.findByHash(credentialHash);
  if (known || !session) return known;
  for (let attempt = 1; attempt <= LIMITS.credentialAttempts; attempt++) {
    const { generation } = feed;
    const found = await store.findOfSession(session);
    // A change that was heard meanwhile may not be in it, and nobody would hear of it again.
    if (feed.generation === generation) return found;
  }
  throw new LookupRefused('access changes faster than it can be looked up');
}

async function admitOrRefuse(
  parts: AuthenticationParts,
  asked: Asked,
  found: Credential | undefined | Promise<Credential | undefined>,
): Promise<Authentication> {
  try {
    return await admitLater(parts, asked, found);
  } catch (error) {
    const isForeseen = isStoreAway(error) || error instanceof LookupRefused;
    if (!isForeseen) parts.log.error({ err: error }, 'a credential could not be looked up');
    return { refused: UNAVAILABLE };
  }
}

/** A key that was sent twice arrives as a list, which is no key. */
function apiKeyIn(header: string): string | undefined {
  return API_KEY.test(header) ? header : undefined;
}

function accessTokenIn(header: string | undefined): string | undefined {
  const token = header === undefined ? undefined : BEARER.exec(header)?.[1];
  return token !== undefined && ACCESS_TOKEN.test(token) ? token : undefined;
}

function admit(credential: Credential | undefined, guard: Guard, origin: Origin): Authentication {
  if (!credential) return { refused: UNAUTHORIZED };
  const identity = identityOf(credential, origin, credential.organizationId, credential.channelId);
  const refused = refusalOf(credential, guard);
  return refused ? { refused, identity } : { identity };
}

interface Asked {
  readonly request: IncomingRequest;
  readonly guard: Guard;
  readonly origin: Origin;
  /** Looks the credential up once more. */
  readonly find: () => Credential | undefined | Promise<Credential | undefined>;
  /** Where the credential itself names the organization that a super admin acts in. */
  readonly organizationId?: number;
  readonly attempt: number;
}

/** For those about whom Postgres has to be asked: credentials that are not known yet, and super admins. */
async function admitLater(
  parts: AuthenticationParts,
  asked: Asked,
  found: Credential | undefined | Promise<Credential | undefined>,
): Promise<Authentication> {
  const { request, guard, origin, find, attempt } = asked;
  const credential = await found;
  if (!credential || !mayNameOrganization(credential, guard)) return admit(credential, guard, origin);
  const outside = admit(credential, guard, origin);
  if ('refused' in outside) return outside;
  const named = asked.organizationId ?? organizationIn(request, origin);
  if (named === NO_ORGANIZATION && guard.kind === 'caller') return outside;
  if (typeof named !== 'number') return { ...outside, refused: named };
  const { generation } = parts.feed;
  const channelId = await parts.store.findConsoleChannel(named);
  if (parts.feed.generation !== generation) {
    if (attempt === LIMITS.credentialAttempts)
      throw new LookupRefused('access changes faster than it can be looked up');
    return admitLater(parts, { ...asked, attempt: attempt + 1 }, find());
  }
  if (channelId === undefined) return { ...outside, refused: refusalBody(notFound('Organization', named)) };
  return { identity: identityOf(credential, origin, named, channelId) };
}

/** Super admins belong to no organization: where a route is about one, they say which. */
function mayNameOrganization(credential: Credential | undefined, guard: Guard): boolean {
  const isAboutOne = guard.kind === 'caller' || (guard.kind === 'permission' && guard.scope !== 'platform');
  return credential?.role === 'super_admin' && isAboutOne;
}

function organizationIn(request: IncomingRequest, { correlationId }: Origin): number | Refused {
  const text = request.header(ORGANIZATION_HEADER.toLowerCase());
  if (text === undefined || text === '') return NO_ORGANIZATION;
  const id = Number(text);
  if (ID.test(text) && Number.isSafeInteger(id)) return id;
  const facts = { correlationId, canonicalPath: canonicalPath(request.path, request.query), method: request.method };
  return { status: 400, body: validationBody(facts, [`${ORGANIZATION_HEADER} must be a positive integer`]) };
}

function refusalOf(credential: Credential, guard: Guard): Refused | undefined {
  const { role, sessionId } = credential;
  if (role !== 'super_admin' && credential.organizationStatus !== 'active') return ORGANIZATION_NOT_ACTIVE;
  if (role !== 'super_admin' && credential.channelStatus !== 'ACTIVE') return FORBIDDEN;
  if (!credential.isActive) return FORBIDDEN;
  if (!credential.isVerified) return EMAIL_NOT_VERIFIED;
  if (guard.kind === 'session' && sessionId === null) return FORBIDDEN;
  if (guard.kind === 'permission' && !holds(credential, guard.permission)) return FORBIDDEN;
  return undefined;
}

function identityOf(credential: Credential, origin: Origin, organizationId: number, channelId: number): Identity {
  const { role, agentId, userId, sessionId, sessionEndsAtMs, rateLimit, locationsWrite } = credential;
  const { hash: credentialHash, snapshot } = credential;
  const type = sessionId === null ? 'channel' : 'user';
  const id = sessionId === null ? channelId : userId;
  const caller = { type, id, channelId, role, agentId, userId, origin } as const;
  return {
    organizationId,
    role,
    caller,
    sessionId,
    sessionEndsAtMs,
    credentialHash,
    snapshot,
    rateLimit,
    locationsWrite,
  };
}

function plain(status: number, message: string): Refused {
  return { status, body: errorBody(status, message) };
}
