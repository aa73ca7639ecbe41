import * as v from 'valibot';
import { isoTime, oneOf, queryId } from '../fields/fields.ts';
import { named } from '../fields/named.ts';
import { pageQuery } from '../fields/page-query.ts';
import { nullableId, shownId, shownInteger, shownTime } from '../fields/shown-fields.ts';

/** The kinds of records whose changes are in the audit log. */
export const AUDITED_TYPES = named('AuditedType', [
  'task',
  'customer',
  'warehouse',
  'agent',
  'organization',
  'payment',
  'top_up',
  'user',
  'channel',
  'webhook',
  'session',
] as const);
export type AuditedType = (typeof AUDITED_TYPES)[number];

/** The query of GET /audit-logs. `userId`: the acting user, in a session or through a channel's key. */
export const listAuditQuery = v.object({
  ...pageQuery,
  recordType: v.optional(oneOf(AUDITED_TYPES)),
  recordId: v.optional(queryId),
  userId: v.optional(queryId),
  from: v.optional(isoTime),
  to: v.optional(isoTime),
});
export type ListAuditQuery = v.InferOutput<typeof listAuditQuery>;

/** The query of the audit log of one record. */
export const recordAuditQuery = v.object(pageQuery);
export type RecordAuditQuery = v.InferOutput<typeof recordAuditQuery>;

const fields = v.nullable(v.record(v.string(), v.unknown()));

/** One change. `before` and `after` are the record, or of a task's later changes the fields that changed. */
const auditEntryView = named(
  'AuditEntry',
  v.object({
    id: v.string(),
    at: shownTime,
    action: v.string(),
    record: named('AuditedRecord', v.object({ type: v.picklist(AUDITED_TYPES), id: shownId })),
    /** `userId`: the account behind it; null for the system. */
    actor: named('AuditActor', v.object({ type: v.string(), id: nullableId, userId: nullableId })),
    before: fields,
    after: fields,
    correlationId: v.nullable(v.string()),
    /** The client's address, as far as trusted proxies tell. */
    address: v.nullable(v.string()),
  }),
);
export type AuditEntryView = v.InferOutput<typeof auditEntryView>;

export const auditListView = named('AuditList', v.object({ items: v.array(auditEntryView), count: shownInteger }));
