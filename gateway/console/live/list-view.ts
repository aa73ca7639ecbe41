import type { EndedToday, ListEntry, ListPart, ListQuery, TaskRow } from './protocol.ts';
import { type HeldTask, isOpen, nameOf, type Records } from './records.ts';
import { fits, searchQueryOf } from './search-query.ts';
import { SHOWN_STATUSES } from './shown-status.ts';

const UNASSIGNED = 'unassigned';
const EXTERNAL = 'external';
const DONE = 'done';

interface Group {
  readonly key: string;
  readonly name: string;
  readonly rank: number;
  readonly ids: number[];
}

/** The order of one page's list. It stands still while the page is read, and rows that come meanwhile are counted. */
export class ListView {
  #groups: Group[] = [];
  #key = '';
  #known = new Set<number>();

  /** The part of the list that is on the screen. Today begins at `todayMs`. */
  part(records: Records, query: ListQuery, todayMs: number): ListPart {
    const { offset: _, limit: __, isHeld: ___, closed: ____, ...shape } = query;
    const key = JSON.stringify(shape);
    const isHeld = query.isHeld && key === this.#key;
    const wanted = selected(records, query, todayMs);
    let waiting = 0;
    if (isHeld) {
      for (const { row } of wanted) if (!this.#known.has(row.id)) waiting += 1;
      // A new snapshot may lack tasks that the rows are of.
      this.#groups = this.#groups.map((group) => ({ ...group, ids: group.ids.filter((id) => records.tasks.has(id)) }));
    } else {
      this.#key = key;
      this.#groups = groupsOf(records, wanted, query);
      this.#known = new Set(wanted.map(({ row }) => row.id));
    }
    return { ...this.#slice(records, query), tasks: wanted.length, waiting };
  }

  #slice(records: Records, { offset, limit, closed }: ListQuery): Omit<ListPart, 'tasks' | 'waiting'> {
    const entries: ListEntry[] = [];
    const isClosed = new Set(closed);
    let at = 0;
    const isShown = () => at >= offset && at < offset + limit;
    for (const { key, ids } of this.#groups) {
      const hidden = isClosed.has(key);
      if (isShown()) {
        const late = ids.reduce((sum, id) => sum + (records.late.has(id) ? 1 : 0), 0);
        entries.push({ kind: 'group', key, count: ids.length, late, closed: hidden });
      }
      at += 1;
      if (hidden) continue;
      const from = Math.max(0, offset - at);
      for (const id of ids.slice(from, Math.max(from, offset + limit - at))) {
        entries.push({ kind: 'task', row: records.tasks.get(id)!.row });
      }
      at += ids.length;
    }
    return { offset, entries, total: at };
  }
}

function selected(records: Records, query: ListQuery, todayMs: number): HeldTask[] {
  const search = searchQueryOf(query.search);
  const statuses = new Set(query.statuses);
  // A search is for a task, whether or not it is done.
  const withDone = query.withDone || search.words.length > 0;
  const isInTime = ({ status, endedAtMs }: TaskRow) =>
    isOpen(status) || (withDone && (endedAtMs === null || endedAtMs >= todayMs || search.words.length > 0));
  const hasStatus = (row: TaskRow) => {
    if (query.ended !== null) return isEnded(row, query.ended, todayMs);
    return statuses.size === 0 ? isInTime(row) : statuses.has(row.status);
  };
  const isWanted = (task: HeldTask) =>
    hasStatus(task.row) &&
    (query.agentId === null || task.row.agentId === query.agentId) &&
    (!query.onlyLate || task.row.isLate) &&
    fits(search, task);
  const found: HeldTask[] = [];
  for (const task of records.tasks.values()) if (isWanted(task)) found.push(task);
  return found;
}

/** The same as the figures of the header count. */
function isEnded({ status, shown, endedAtMs, isLate }: TaskRow, ended: EndedToday, todayMs: number): boolean {
  if (status !== 'completed' || endedAtMs === null || endedAtMs < todayMs) return false;
  return ended === 'failed' ? shown === 'failed' : shown !== 'failed' && !isLate;
}

function groupsOf(records: Records, tasks: readonly HeldTask[], query: ListQuery): Group[] {
  const groups = new Map<string, { group: Group; rows: TaskRow[] }>();
  for (const task of tasks) {
    const { key, name, rank } = query.grouping === 'status' ? byStatus(task.row) : byCourier(records, task);
    const found = groups.get(key) ?? { group: { key, name, rank, ids: [] }, rows: [] };
    groups.set(key, found);
    found.rows.push(task.row);
  }
  const sorted = [...groups.values()].sort(
    (a, b) => a.group.rank - b.group.rank || a.group.name.localeCompare(b.group.name),
  );
  return sorted.map(({ group, rows }) => ({ ...group, ids: rows.sort(inOrder).map(({ id }) => id) }));
}

function byStatus({ shown }: TaskRow) {
  return { key: shown, name: shown, rank: SHOWN_STATUSES.indexOf(shown) };
}

function byCourier(records: Records, { row, view }: HeldTask) {
  if (!isOpen(row.status)) return { key: DONE, name: '', rank: 4 };
  if (view.courierId !== null) return { key: EXTERNAL, name: '', rank: 3 };
  if (row.agentId === null) return { key: UNASSIGNED, name: '', rank: 0 };
  const agent = records.agents.get(row.agentId)?.view ?? view.agent;
  return { key: `agent-${row.agentId}`, name: agent ? nameOf(agent.user) : `${row.agentId}`, rank: 1 };
}

/** The stops of a courier: the one on its way first, then in the order in which they are expected. */
function inOrder(a: TaskRow, b: TaskRow): number {
  const isDone = Number(!isOpen(a.status)) - Number(!isOpen(b.status));
  if (isDone !== 0) return isDone;
  const moving = Number(b.status === 'in_transit') - Number(a.status === 'in_transit');
  return moving || (a.etaAtMs ?? a.dueAtMs) - (b.etaAtMs ?? b.dueAtMs) || a.id - b.id;
}
