import type { AssignmentRequestRecord, ListRequestsQuery } from '../../../schema/assignment/assignment.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { type Listed, type ListPage, listPart, listPlace, pageOf } from '../list-page.ts';
import { type Fragment, isOneOf, numberArray, type Sql, textArray } from '../postgres.ts';
import { ASSIGNMENT_REQUEST } from '../rows/record-tables.ts';
import { retried } from '../statements.ts';

export interface AssignmentRequestDetail {
  readonly request: AssignmentRequestRecord;
  /** Sequence of the organization's log at which it was true. */
  readonly sequence: number;
}

/** A page of assignment requests, newest first; those of one agent alone with `onlyAgentId`. */
export async function listAssignmentRequests(
  sql: Sql,
  organizationId: number,
  { part, ...filter }: ListRequestsQuery,
  onlyAgentId: number | null,
): Promise<ListPage<AssignmentRequestRecord>> {
  const matching = matchingRequests(sql, organizationId, filter, onlyAgentId);
  const query = () => sql<Listed<AssignmentRequestRecord>[]>`
    SELECT h.last_sequence AS sequence, (SELECT count(*) FROM assignment_requests r WHERE ${matching}) AS count, b.*,
      ${sql.unsafe(listPlace())}
    FROM organization_heads h LEFT JOIN (
      SELECT ${sql.unsafe(ASSIGNMENT_REQUEST.list('r'))} FROM assignment_requests r WHERE ${matching}
        ${listPart(sql, part, 'r')}) b ON true
    WHERE h.organization_id = ${organizationId}
    ORDER BY b.created_at DESC, b.id DESC`;
  const rows = await retried(query, LIMITS.readDeadlineMs, 'listing assignment requests');
  return pageOf(rows, part, (request) => request);
}

function matchingRequests(
  sql: Sql,
  organizationId: number,
  { status, taskId, agentId }: Omit<ListRequestsQuery, 'part'>,
  onlyAgentId: number | null,
): Fragment {
  return sql`r.organization_id = ${organizationId}
    ${onlyAgentId === null ? sql`` : sql`AND r.agent_id = ${onlyAgentId}`}
    ${agentId?.length ? sql`AND r.agent_id ${isOneOf(sql, agentId)}` : sql``}
    ${taskId === undefined ? sql`` : sql`AND r.task_id = ${taskId}`}
    ${hasStatus(sql, status ?? [])}`;
}

/** Spelled out: the index of open requests serves the few among the many. */
function hasStatus(sql: Sql, statuses: readonly string[]): Fragment {
  if (statuses.length === 0) return sql``;
  if (statuses.every((status) => status === 'pending')) return sql`AND r.status = 'pending'`;
  return sql`AND r.status = ANY(${textArray(statuses)}::text[])`;
}

/** A request of the organization, and of the agent unless that is null; undefined when there is none. */
export async function readAssignmentRequest(
  sql: Sql,
  organizationId: number,
  requestId: number,
  onlyAgentId: number | null,
): Promise<AssignmentRequestDetail | undefined> {
  const query = () => sql<(AssignmentRequestRecord & { sequence: number })[]>`
    SELECT h.last_sequence AS sequence, ${sql.unsafe(ASSIGNMENT_REQUEST.list('r'))}
    FROM assignment_requests r JOIN organization_heads h ON h.organization_id = r.organization_id
    WHERE r.organization_id = ${organizationId} AND r.id = ${requestId}
      AND (${onlyAgentId}::bigint IS NULL OR r.agent_id = ${onlyAgentId}::bigint)`;
  const [row] = await retried(query, LIMITS.readDeadlineMs, 'reading an assignment request');
  if (!row) return undefined;
  const { sequence, ...request } = row;
  return { request, sequence };
}

/** Requests by their ids, and every open one of some agents. */
export async function fetchRequests(
  sql: Sql,
  organizationId: number,
  { requestIds, askedAgentIds }: { readonly requestIds: Set<number>; readonly askedAgentIds: Set<number> },
): Promise<readonly AssignmentRequestRecord[]> {
  const columns = sql.unsafe(ASSIGNMENT_REQUEST.json('r'));
  const [named, open] = await Promise.all([
    requestIds.size === 0
      ? []
      : sql<{ request: unknown[] }[]>`
        SELECT ${columns} AS request FROM assignment_requests r
        WHERE r.organization_id = ${organizationId} AND r.id = ANY(${numberArray(requestIds)}::bigint[])`,
    askedAgentIds.size === 0
      ? []
      : sql<{ request: unknown[] }[]>`
        SELECT ${columns} AS request FROM assignment_requests r
        WHERE r.organization_id = ${organizationId} AND r.agent_id = ANY(${numberArray(askedAgentIds)}::bigint[])
          AND r.status = 'pending'`,
  ]);
  return [...named, ...open].map((row) => ASSIGNMENT_REQUEST.ofJson(row.request));
}
