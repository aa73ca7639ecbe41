import { type Refusal, refusal } from '../../schema/errors.ts';

export type QuotaResource = 'tasks' | 'customers' | 'agents' | 'warehouses';

/** Resources whose count starts again each calendar month (UTC); the others are counted for good. */
const MONTHLY: ReadonlySet<QuotaResource> = new Set(['tasks']);
const FOR_GOOD = '1970-01-01';

/** The period that `now` falls into: the first day of its month, or one day for resources counted for good. */
export function quotaPeriod(resource: QuotaResource, nowIso: string): string {
  return MONTHLY.has(resource) ? `${nowIso.slice(0, 7)}-01` : FOR_GOOD;
}

/**
 * Refuses `wanted` more of a resource, all or nothing, when that would pass the limit; a limit of undefined or null is
 * none. Wanting nothing is never refused, not even where a lowered limit is passed already.
 */
export function checkQuota(
  resource: QuotaResource,
  limit: number | null | undefined,
  used: number,
  wanted: number,
  nowIso: string,
): Refusal | undefined {
  if (limit === undefined || limit === null || wanted === 0 || used + wanted <= limit) return undefined;
  return refusal('PACKAGE_LIMIT_EXCEEDED', undefined, {
    resource,
    limit,
    used,
    remaining: Math.max(0, limit - used),
    resetsAt: MONTHLY.has(resource) ? nextMonth(nowIso) : null,
  });
}

function nextMonth(nowIso: string): string {
  const year = Number(nowIso.slice(0, 4));
  const month = Number(nowIso.slice(5, 7));
  return new Date(Date.UTC(year, month, 1)).toISOString();
}
