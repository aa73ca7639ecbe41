import { readCaller } from '../../engine/store/accounts/caller-store.ts';
import { encodeCaller } from '../../engine/views/caller-view.ts';
import { callerView } from '../../schema/accounts/caller.ts';
import { permissionsOf } from '../../schema/accounts/permissions.ts';
import { refusal } from '../../schema/errors.ts';
import { formatPosition } from '../../schema/events.ts';
import type { Reads } from '../reads.ts';
import { type ApiRoute, apiRoute } from '../route.ts';

/** Tells a caller who it is. Read from Postgres, so that a name is never older than its last change. */
export function meRoute(reads: Reads, history: string): ApiRoute {
  return apiRoute({
    method: 'GET',
    path: '/auth/me',
    guard: { kind: 'caller' },
    etag: true,
    summary:
      'Read who is calling: the user, the organization and channel that it acts in, the agent that it is, and its ' +
      'permissions by the names that this document has as `x-permission`',
    success: { status: 200, data: callerView },
    refusals: [],
    async handle({ identity }) {
      const { organizationId, role, caller } = identity;
      const ids = {
        homeId: role === 'super_admin' ? 0 : organizationId,
        userId: caller.userId!,
        organizationId,
        channelId: caller.channelId,
      };
      const found = await reads.run(organizationId, (sql) => readCaller(sql, ids));
      if (!found) return { refusal: refusal('UNAUTHORIZED') };
      const { person: user, organization, channel, agent, sequence } = found;
      const credential = identity.sessionId === null ? 'apiKey' : 'session';
      const permissions = permissionsOf(identity);
      return {
        status: 200,
        message: 'Caller',
        data: encodeCaller({ credential, user, organization, channel, agent, permissions }),
        ...(sequence === null ? {} : { position: formatPosition(history, sequence) }),
      };
    },
  });
}
