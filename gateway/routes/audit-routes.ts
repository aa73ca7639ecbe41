import { listAudit } from '../../engine/store/audit-store.ts';
import { auditListView, type ListAuditQuery, listAuditQuery } from '../../schema/audit.ts';
import { refusal } from '../../schema/errors.ts';
import { formatPosition } from '../../schema/events.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { Administration } from '../administration/open-administration.ts';
import { type ApiRoute, may } from '../route.ts';

/** Who changed what, when, and from where. There is no route that writes it. Source: decisions.md §2 "Administration". */
export function auditRoutes({ reads, history }: Administration): ApiRoute[] {
  /** Lists under way, by organization: each counts a whole log, and what waits in the pool waits for everybody. */
  const underWay = new Map<number, number>();
  const list: ApiRoute = {
    kind: 'api',
    method: 'GET',
    path: '/audit-logs',
    guard: may('audit'),
    query: { schema: listAuditQuery, lists: new Set() },
    summary: 'List changes, newest first; `userId` is whoever acted, in a session or through a channel',
    success: { status: 200, data: auditListView },
    refusals: ['503 OVERLOADED'],
    async handle({ identity: { organizationId }, query }) {
      const before = underWay.get(organizationId) ?? 0;
      if (before >= LIMITS.auditListsAtOnce) return { refusal: refusal('OVERLOADED') };
      underWay.set(organizationId, before + 1);
      try {
        const { items, count, sequence } = await listAudit(reads, organizationId, query as ListAuditQuery);
        const data = JSON.stringify({ items, count });
        return { status: 200, message: 'Audit log', data, position: formatPosition(history, sequence) };
      } finally {
        const now = underWay.get(organizationId)! - 1;
        if (now === 0) underWay.delete(organizationId);
        else underWay.set(organizationId, now);
      }
    },
  };
  return [list];
}
