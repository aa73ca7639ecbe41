import type { ChannelCredential } from '../../engine/store/credential-store.ts';
import { errorBody, refusalBody } from '../../engine/views/error-body.ts';
import type { Origin } from '../../schema/commands.ts';
import { refusal } from '../../schema/errors.ts';
import { isPermitted, type Permission } from '../../schema/permissions.ts';
import type { Role } from '../../schema/role.ts';
import type { Headers, IncomingRequest } from '../http/port.ts';
import type { Identity, Route } from '../route.ts';
import type { CredentialCache } from './credential-cache.ts';

/** A caller who may go on, or the finished refusal. */
export type Authentication =
  | { readonly identity: Identity }
  | {
      readonly refused: { readonly status: number; readonly body: string; readonly headers?: Headers };
      /** Who is refused, when it is known. */
      readonly identity?: Identity;
    };

export type Authenticate = (
  request: IncomingRequest,
  route: Route,
  origin: Origin,
) => Authentication | Promise<Authentication>;

const NOBODY: Identity = {
  organizationId: 0,
  role: 'integration',
  caller: { type: 'system', id: null, channelId: 0, role: 'system', agentId: null },
  sessionId: null,
  rateLimit: null,
  locationsWrite: false,
};
const UNAUTHORIZED = plain(401, 'Unauthorized');
const FORBIDDEN = plain(403, 'Forbidden');
const TWO_CREDENTIALS = plain(400, 'Exactly one credential may be given');

/**
 * Who is calling and whether this route is theirs: 401 without a valid key, then 403 for the organization, the channel
 * and the role, in this order. Answers at once when the key is known; rejects when Postgres cannot be asked.
 */
export function createAuthenticator(credentials: CredentialCache): Authenticate {
  return (request, route, origin) => {
    const { guard } = route;
    if (guard.kind === 'operational' || guard.kind === 'public') return { identity: NOBODY };
    if (guard.kind === 'session') return UNAUTHORIZED;
    const { permission } = guard;
    const key = request.header('x-api-key');
    if (key !== undefined && request.header('authorization') !== undefined) return TWO_CREDENTIALS;
    if (key === undefined || request.headerCount('x-api-key') !== 1) return UNAUTHORIZED;
    const found = credentials.find(key);
    if (!(found instanceof Promise)) return admit(found, permission, origin);
    return found.then(
      (credential) => admit(credential, permission, origin),
      () => ({ refused: refusalBody(refusal('UNAVAILABLE')) }),
    );
  };
}

/** Whether a key may still do what these roles may. When Postgres cannot be asked, nothing has changed. */
export function createRecheck(credentials: CredentialCache): (key: string, permission: Permission) => Promise<boolean> {
  return async (key, permission) => {
    try {
      return 'identity' in admit(await credentials.find(key), permission, undefined);
    } catch {
      return true;
    }
  };
}

function admit(
  credential: ChannelCredential | undefined,
  permission: Permission,
  origin: Origin | undefined,
): Authentication {
  if (!credential) return UNAUTHORIZED;
  const { organizationId, channelId, role } = credential;
  if (credential.organizationStatus !== 'active') return { refused: refusalBody(refusal('ORGANIZATION_NOT_ACTIVE')) };
  if (credential.channelStatus !== 'ACTIVE') return FORBIDDEN;
  if (!isPermitted(role as Role, permission)) return FORBIDDEN;
  const { userId } = credential;
  const caller = {
    type: 'channel',
    id: channelId,
    channelId,
    role: role as Role,
    agentId: null,
    userId,
    origin,
  } as const;
  return {
    identity: {
      organizationId,
      role: role as Role,
      caller,
      sessionId: null,
      rateLimit: null,
      locationsWrite: false,
    },
  };
}

function plain(status: number, message: string): Extract<Authentication, { refused: unknown }> {
  return { refused: { status, body: errorBody(status, message) } };
}
