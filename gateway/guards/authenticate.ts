import type { ChannelCredential } from '../../engine/store/credential-store.ts';
import { errorBody, refusalBody } from '../../engine/views/error-body.ts';
import { refusal } from '../../schema/errors.ts';
import type { IncomingRequest } from '../http/port.ts';
import type { Identity, Role, Route } from '../route.ts';
import type { CredentialCache } from './credential-cache.ts';

/** A caller who may go on, or the finished refusal. */
export type Authentication =
  | { readonly identity: Identity }
  | { readonly refused: { readonly status: number; readonly body: string } };

const NOBODY: Identity = {
  organizationId: 0,
  role: 'integration',
  caller: { type: 'system', id: null, channelId: 0, role: 'system', agentId: null },
};
const UNAUTHORIZED = plain(401, 'Unauthorized');
const FORBIDDEN = plain(403, 'Forbidden');
const TWO_CREDENTIALS = plain(400, 'Exactly one credential may be given');

/**
 * Who is calling and whether this route is theirs: 401 without a valid key, then 403 for the organization, the channel
 * and the role, in this order. Answers at once when the key is known; rejects when Postgres cannot be asked.
 */
export function createAuthenticator(
  credentials: CredentialCache,
): (request: IncomingRequest, route: Route) => Authentication | Promise<Authentication> {
  return (request, route) => {
    if (route.guard.kind === 'public') return { identity: NOBODY };
    const { roles } = route.guard;
    const key = request.header('x-api-key');
    if (key !== undefined && request.header('authorization') !== undefined) return TWO_CREDENTIALS;
    if (key === undefined || request.headerCount('x-api-key') !== 1) return UNAUTHORIZED;
    const found = credentials.find(key);
    if (!(found instanceof Promise)) return admit(found, roles);
    return found.then(
      (credential) => admit(credential, roles),
      () => ({ refused: refusalBody(refusal('UNAVAILABLE')) }),
    );
  };
}

/** Whether a key may still do what these roles may. When Postgres cannot be asked, nothing has changed. */
export function createRecheck(credentials: CredentialCache): (key: string, roles: readonly Role[]) => Promise<boolean> {
  return async (key, roles) => {
    try {
      return 'identity' in admit(await credentials.find(key), roles);
    } catch {
      return true;
    }
  };
}

function admit(credential: ChannelCredential | undefined, roles: readonly Role[]): Authentication {
  if (!credential) return UNAUTHORIZED;
  const { organizationId, channelId, role } = credential;
  if (credential.organizationStatus !== 'active') return { refused: refusalBody(refusal('ORGANIZATION_NOT_ACTIVE')) };
  if (credential.channelStatus !== 'ACTIVE') return FORBIDDEN;
  if (!roles.includes(role as Role)) return FORBIDDEN;
  const caller = { type: 'channel', id: channelId, channelId, role: role as Role, agentId: null } as const;
  return { identity: { organizationId, role: role as Role, caller } };
}

function plain(status: number, message: string): Authentication {
  return { refused: { status, body: errorBody(status, message) } };
}
