import type { TaskStatus } from '../../../schema/tasks/task.ts';
import type { ListEntry, ListPart, ListQuery, TaskRow } from './protocol.ts';
import { type HeldTask, isOpen, nameOf, type Records } from './records.ts';

const LIFECYCLE: readonly TaskStatus[] = [
  'new',
  'awaiting_assignment',
  'assigned',
  'accepted',
  'in_transit',
  'completed',
  'cancelled',
];
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

  /** The part of the list that is on the screen. */
  part(records: Records, query: ListQuery): ListPart {
    const { offset: _, limit: __, isHeld: ___, closed: ____, ...shape } = query;
    const key = JSON.stringify(shape);
    const isHeld = query.isHeld && key === this.#key;
    const wanted = selected(records, query);
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

function selected(records: Records, query: ListQuery): HeldTask[] {
  const words = query.search.toLowerCase().split(/\s+/).filter(Boolean);
  const statuses = new Set(query.statuses);
  const isWanted = ({ row, text }: HeldTask) =>
    (statuses.size === 0 ? query.withDone || isOpen(row.status) : statuses.has(row.status)) &&
    (query.agentId === null || row.agentId === query.agentId) &&
    (!query.onlyLate || row.isLate) &&
    words.every((word) => text.includes(word));
  const found: HeldTask[] = [];
  for (const task of records.tasks.values()) if (isWanted(task)) found.push(task);
  return found;
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

function byStatus({ status }: TaskRow) {
  return { key: status, name: status, rank: LIFECYCLE.indexOf(status) };
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
