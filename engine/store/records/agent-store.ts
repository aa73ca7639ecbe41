import type { AgentRecord, ListAgentsQuery } from '../../../schema/fleet/agent.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { PackageRecord } from '../../../schema/tasks/package.ts';
import type { TaskRecord } from '../../../schema/tasks/task.ts';
import { type Listed, type ListPage, listPartText, listPlace, pageOf } from '../list-page.ts';
import { Parameters } from '../parameters.ts';
import { numberArray, type Sql, textArray } from '../postgres.ts';
import { openTasksOf } from '../rows/open-tasks-of.ts';
import { AGENT, PACKAGE } from '../rows/record-tables.ts';
import { retried } from '../statements.ts';
import { customerSearchOf } from './customer-search.ts';

export interface AgentDetail {
  readonly agent: AgentRecord;
  /** Sequence of the organization's log at which it was true. */
  readonly sequence: number;
}

/** The text by which an agent `a` is found, made as `customers.search_text` is made for a customer. */
const SEARCH_TEXT = String.raw`fold_case(translate(CASE WHEN a.last_name = '' THEN a.first_name
    ELSE a.first_name || ' ' || a.last_name END, E'\x1e\x1f', ''))
  || E'\x1f' || fold_case(coalesce(a.email, '')) || E'\x1e' || coalesce(substr(a.phone_e164, 2), '')`;

/** A page of agents, newest first; of one agent alone with `onlyAgent`. They are few: counting them is cheap. */
export async function listAgents(
  sql: Sql,
  organizationId: number,
  { part, onDuty, isActive, search }: ListAgentsQuery,
  onlyAgent: number | null,
): Promise<ListPage<AgentRecord>> {
  const parameters = new Parameters(organizationId);
  const [own, duty, activity] = [
    parameters.add(onlyAgent, 'bigint'),
    parameters.add(onDuty ?? null, 'boolean'),
    parameters.add(isActive ?? null, 'boolean'),
  ];
  const patterns = search === undefined ? [] : customerSearchOf(search).patterns;
  const likes = patterns.map(
    (pattern) => `${SEARCH_TEXT} LIKE fold_case(${parameters.add(pattern, 'text')}) COLLATE "C"`,
  );
  const statement = `
    WITH matching AS (
      SELECT a.* FROM agents a
      WHERE a.organization_id = $1 AND (${own} IS NULL OR a.id = ${own}) AND (${duty} IS NULL OR a.on_duty = ${duty})
        AND (${activity} IS NULL OR a.is_active = ${activity}) ${likes.length > 0 ? `AND (${likes.join(' OR ')})` : ''})
    SELECT h.last_sequence AS sequence, (SELECT count(*) FROM matching) AS count, b.agent, ${listPlace()}
    FROM organization_heads h LEFT JOIN (
      SELECT a.created_at, a.id, ${AGENT.json('a')} AS agent FROM matching a
      WHERE true ${listPartText(part, 'a', parameters)}) b ON true
    WHERE h.organization_id = $1
    ORDER BY b.created_at DESC, b.id DESC`;
  const query = () => sql.unsafe<Listed<{ agent: unknown[] }>[]>(statement, parameters.values);
  const rows = await retried(query, LIMITS.readDeadlineMs, 'listing agents');
  return pageOf(rows, part, ({ agent }) => AGENT.ofJson(agent));
}

/** An agent of the organization; undefined when there is none. */
export async function readAgent(sql: Sql, organizationId: number, agentId: number): Promise<AgentDetail | undefined> {
  const query = () => sql<{ agent: unknown[]; sequence: number }[]>`
    SELECT h.last_sequence AS sequence, ${sql.unsafe(AGENT.json('a'))} AS agent
    FROM agents a JOIN organization_heads h ON h.organization_id = a.organization_id
    WHERE a.organization_id = ${organizationId} AND a.id = ${agentId}`;
  const [row] = await retried(query, LIMITS.readDeadlineMs, 'reading an agent');
  return row && { agent: AGENT.ofJson(row.agent), sequence: row.sequence };
}

/** An open task of an agent, with the fields of its load. */
export interface HeldTaskRow extends Pick<TaskRecord, 'timeToServe' | 'scheduledAt' | 'estimatedDuration'> {
  readonly agentId: number;
  readonly taskId: number;
  readonly packages: readonly PackageRecord[];
}

/** The facts that actors need about agents. */
export interface FetchedAgents {
  readonly agents: readonly AgentRecord[];
  /** Those of the requested addresses that a user has, in lower case. */
  readonly takenEmails: readonly string[];
  /** The agents whose open tasks are in `heldTasks`, every one of them listed. */
  readonly loadedAgentIds: readonly number[];
  readonly heldTasks: readonly HeldTaskRow[];
}

/** `userEmails` are in lower case, and may belong to users of any organization. */
export async function fetchAgents(
  sql: Sql,
  organizationId: number,
  needs: { readonly agentIds: Set<number>; readonly userEmails: Set<string>; readonly loadedAgentIds: Set<number> },
): Promise<FetchedAgents> {
  const [agents, users, heldTasks] = await Promise.all([
    needs.agentIds.size === 0
      ? []
      : sql<{ agent: unknown[] }[]>`
        SELECT ${sql.unsafe(AGENT.json('a'))} AS agent FROM agents a
        WHERE a.organization_id = ${organizationId} AND a.id = ANY(${numberArray(needs.agentIds)}::bigint[])`,
    needs.userEmails.size === 0
      ? []
      : sql<{ email: string }[]>`
        SELECT lower(email) AS email FROM users WHERE lower(email) = ANY(${textArray(needs.userEmails)}::text[])`,
    readHeldTasks(sql, organizationId, needs.loadedAgentIds),
  ]);
  return {
    agents: agents.map((row) => AGENT.ofJson(row.agent)),
    takenEmails: users.map(({ email }) => email),
    loadedAgentIds: [...needs.loadedAgentIds],
    heldTasks,
  };
}

/** The open tasks of these agents. */
async function readHeldTasks(sql: Sql, organizationId: number, agentIds: Iterable<number>): Promise<HeldTaskRow[]> {
  const ids = [...agentIds];
  if (ids.length === 0) return [];
  const rows = await sql<(Omit<HeldTaskRow, 'packages'> & { packages: unknown[][] })[]>`
    SELECT t.agent_id, t.id AS task_id, t.time_to_serve, t.scheduled_at, t.estimated_duration,
      array_to_json(ARRAY(SELECT ${sql.unsafe(PACKAGE.json('p'))} FROM packages p
        WHERE p.organization_id = t.organization_id AND p.task_id = t.id)) AS packages
    FROM ${openTasksOf(sql, organizationId, (agentId) => sql`${agentId} = ANY(${numberArray(ids)}::bigint[])`)} t`;
  return rows.map(({ packages, ...row }) => ({ ...row, packages: packages.map((one) => PACKAGE.ofJson(one)) }));
}
