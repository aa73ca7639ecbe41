import { byName } from '../by-name.ts';
import type { BoardPart, BoardQuery, EndedToday, ListEntry, ListPart, ListQuery, TaskRow } from '../protocol.ts';
import { type HeldTask, isOpen, nameOf, type Records } from '../records.ts';
import { fits, searchQueryOf } from '../search-query.ts';
import { SHOWN_STATUSES } from '../shown-status.ts';

const UNASSIGNED = 'unassigned';
const EXTERNAL = 'external';
const JOBS = 'jobs';
const DONE = 'done';

interface Group {
  readonly key: string;
  readonly name: string;
  readonly rank: number;
  readonly ids: number[];
}

type Counts = Pick<ListPart, 'tasks' | 'waiting' | 'away'>;

/** The order of one page's list. It stands still while the page is read, and rows that come meanwhile are counted. */
export class ListView {
  #groups: Group[] = [];
  #key = '';

  /** The part of the list that is on the screen. Today begins at `todayMs`. */
  part(records: Records, query: ListQuery, todayMs: number): ListPart {
    const counts = this.#order(records, query, todayMs);
    return { search: query.search, ...this.#slice(records, query), ...counts };
  }

  /** The columns of a board with the rows that are on the screen. */
  board(records: Records, { list, ranges }: BoardQuery, todayMs: number): BoardPart {
    const counts = this.#order(records, list, todayMs, true);
    const columns = this.#groups.map(({ key, ids }) => {
      const { offset = 0, limit = 0 } = ranges[key] ?? {};
      const rows = ids.slice(offset, offset + limit).map((id) => records.tasks.get(id)!.row);
      return { key, count: ids.length, late: lateOf(records, ids), offset, rows };
    });
    return { ...counts, columns };
  }

  /**
   * The tasks from one to another in the order of the screen, both included and in either order; those of folded groups are not
   * there. Empty where one of the two is not. With `isByColumn`, a range does not leave its column.
   */
  between(from: number, to: number, closed: readonly string[], isByColumn = false): readonly number[] {
    const shown = this.#groups.filter(({ key }) => !closed.includes(key)).map(({ ids }) => ids);
    const lists = isByColumn ? shown : [shown.flat()];
    const ids = lists.find((list) => list.includes(from) && list.includes(to)) ?? [];
    const [one, other] = [ids.indexOf(from), ids.indexOf(to)];
    return ids.slice(Math.min(one, other), Math.max(one, other) + 1);
  }

  /**
   * Orders the tasks, unless the reader holds them. Returns how many there are, how many wait, and which selected ones are not among
   * them. `isStrict` lets tasks leave a held group that they no longer belong to: a column says what state its tasks are in.
   */
  #order(records: Records, query: ListQuery, todayMs: number, isStrict = false): Counts {
    const { offset: _, limit: __, isHeld: ___, closed: ____, selected: _____, ...shape } = query;
    const key = JSON.stringify(shape);
    const isHeld = query.isHeld && key === this.#key;
    const wanted = wantedOf(records, query, todayMs);
    // Tasks are counted as the figures of the header count them; a search counts what it finds.
    const counted = query.search === '' ? wanted.filter(({ row }) => !row.isJob) : wanted;
    const counts = { tasks: counted.length, away: awayOf(wanted, query.selected) };
    if (!isHeld) {
      this.#key = key;
      this.#groups = groupsOf(records, wanted, query);
      return { ...counts, waiting: 0 };
    }
    const stays = (id: number, group: string) => {
      // A new snapshot may lack tasks that the rows are of.
      const task = records.tasks.get(id);
      return task !== undefined && (!isStrict || groupOf(records, task, query.grouping).key === group);
    };
    this.#groups = this.#groups.map((group) => ({ ...group, ids: group.ids.filter((id) => stays(id, group.key)) }));
    const placed = new Set(this.#groups.flatMap(({ ids }) => ids));
    return { ...counts, waiting: wanted.filter(({ row }) => !placed.has(row.id)).length };
  }

  #slice(records: Records, { offset, limit, closed }: ListQuery): Omit<ListPart, 'search' | keyof Counts> {
    const entries: ListEntry[] = [];
    const isClosed = new Set(closed);
    let at = 0;
    const isShown = () => at >= offset && at < offset + limit;
    for (const { key, ids } of this.#groups) {
      const hidden = isClosed.has(key);
      if (isShown()) {
        entries.push({ kind: 'group', key, count: ids.length, late: lateOf(records, ids), closed: hidden });
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

function lateOf(records: Records, ids: readonly number[]): number {
  return ids.reduce((sum, id) => sum + (records.late.has(id) ? 1 : 0), 0);
}

/** The selected tasks that search and filters hide, and those that are no longer loaded. */
function awayOf(wanted: readonly HeldTask[], selected: readonly number[]): number[] {
  if (selected.length === 0) return [];
  const ids = new Set(wanted.map(({ row }) => row.id));
  return selected.filter((id) => !ids.has(id));
}

function wantedOf(records: Records, query: ListQuery, todayMs: number): HeldTask[] {
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
  // A list behind a figure holds what the figure counts.
  const isOfFigure = query.ended !== null || statuses.size > 0 || query.onlyLate;
  const isWanted = (task: HeldTask) =>
    !(isOfFigure && task.row.isJob) &&
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
    const { key, name, rank } = groupOf(records, task, query.grouping);
    const found = groups.get(key) ?? { group: { key, name, rank, ids: [] }, rows: [] };
    groups.set(key, found);
    found.rows.push(task.row);
  }
  const sorted = [...groups.values()].sort((a, b) => a.group.rank - b.group.rank || byName(a.group.name, b.group.name));
  return sorted.map(({ group, rows }) => ({ ...group, ids: rows.sort(inOrder).map(({ id }) => id) }));
}

function groupOf(records: Records, task: HeldTask, grouping: ListQuery['grouping']) {
  if (grouping === 'courier') return byCourier(records, task);
  return grouping === 'status' ? byStatus(task.row) : byStage(task.row);
}

/** Tasks that somebody has to act on are one column, and those that are over another one. */
function byStage({ status, shown }: TaskRow) {
  const waits = shown === 'new' || shown === 'nobody' || shown === 'unassigned';
  const key = isOpen(status) ? (waits ? UNASSIGNED : shown) : DONE;
  return { key, name: key, rank: SHOWN_STATUSES.indexOf(shown) };
}

function byStatus({ shown }: TaskRow) {
  return { key: shown, name: shown, rank: SHOWN_STATUSES.indexOf(shown) };
}

function byCourier(records: Records, { row, view }: HeldTask) {
  if (row.isJob) return { key: JOBS, name: '', rank: 4 };
  if (!isOpen(row.status)) return { key: DONE, name: '', rank: 5 };
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
