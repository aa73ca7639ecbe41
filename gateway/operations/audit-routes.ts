import { listAudit } from '../../engine/store/records/audit-store.ts';
import { auditListView, listAuditQuery } from '../../schema/accounts/audit.ts';
import { formatPosition } from '../../schema/events.ts';
import type { Administration } from '../administration/open-administration.ts';
import { type ApiRoute, apiRoute, may } from '../route.ts';

/** The audit log: actor, change, time and address. No route writes it. Source: docs/contract.md §2 "Administration". */
export function auditRoutes({ reads, history }: Administration): ApiRoute[] {
  const list: ApiRoute = apiRoute({
    method: 'GET',
    path: '/audit-logs',
    guard: may('audit'),
    query: { schema: listAuditQuery, lists: new Set() },
    summary: 'List changes, newest first; `userId` is the acting user, in a session or through a channel',
    success: { status: 200, data: auditListView },
    refusals: ['503 OVERLOADED'],
    async handle({ identity: { organizationId }, query }) {
      const { items, count, sequence } = await reads.run(organizationId, (sql) =>
        listAudit(sql, organizationId, query),
      );
      const data = JSON.stringify({ items, count });
      return { status: 200, message: 'Audit log', data, position: formatPosition(history, sequence) };
    },
  });
  return [list];
}
