import { LIMITS } from '../../../schema/limits.ts';
import {
  type ExportTasksQuery,
  findCursor,
  formatCursor,
  type ListTasksQuery,
  type TaskSort,
} from '../../../schema/tasks/list-tasks.ts';
import { type ShownTask, TASK_STATUSES } from '../../../schema/tasks/task.ts';
import { filterOf, isCountedByKind, type TaskFilter } from '../../../schema/tasks/task-filter.ts';
import { dueAtOf } from '../../domain/tasks/delay.ts';
import { narrowToAgent } from '../../domain/tasks/task-filter.ts';
import type { Log } from '../../runtime/log.ts';
import type { Sql } from '../../store/postgres.ts';
import { exportTasks, type TakeTasks } from '../../store/task-lists/task-list-export.ts';
import { isCountedInPassing } from '../../store/task-lists/task-list-plan.ts';
import type { PageRequest } from '../../store/task-lists/task-list-request.ts';
import { type PageConnections, readTaskPage, type TaskPage } from '../../store/task-lists/task-list-store.ts';
import type { FilterCounts } from './filter-counts.ts';

export interface TaskList {
  readonly items: readonly ShownTask[];
  /** Exact number of matching tasks, of the same moment as the items. */
  readonly count: number;
  /** Leads to what comes after the items; null when nothing does. */
  readonly nextCursor: string | null;
  /** Sequence of the organization's log at which the page was true. */
  readonly sequence: number;
}

export interface TaskListsOptions {
  readonly pages: PageConnections;
  /** Connections for exports, as many as LIMITS.exports: each keeps one until it ends. */
  readonly exports: Sql;
  readonly counts: FilterCounts;
  readonly log: Log;
  /** Whether the commits of an organization are made, and so counted, in this process. */
  readonly isOwned: (organizationId: number) => boolean;
}

/** Pages of tasks: items from Postgres, counts from its counters or kept by this process. */
export class TaskLists {
  readonly #options: TaskListsOptions;
  /** Organizations of the exports under way, once for each. */
  readonly #exporting: number[] = [];

  constructor(options: TaskListsOptions) {
    this.#options = options;
  }

  /**
   * With `onlyAgentId` among the tasks of that agent. Rejects when Postgres is away or takes longer than
   * LIMITS.readDeadlineMs.
   */
  async list(organizationId: number, query: ListTasksQuery, onlyAgentId: number | null): Promise<TaskList> {
    const { pages, counts, isOwned } = this.#options;
    const request = requestOf(query, onlyAgentId);
    const { filter } = request;
    const isKept = !isCountedByKind(filter) && isOwned(organizationId);
    const epoch = isKept ? counts.follow(organizationId) : 0;
    const keep = ({ sequence }: TaskPage, count: number) => {
      if (isKept) this.#keep(organizationId, request, { count, sequence, epoch });
    };
    const matching = isKept ? counts.find(organizationId, filter) : undefined;
    const page = await readTaskPage(pages, organizationId, request, matching);
    const count = page.count ?? (await counts.countAt(organizationId, filter, page.sequence));
    if (count !== undefined && !isShort(page, request, count)) {
      if (page.count !== null) keep(page, count);
      return listOf(page, query, count);
    }
    // Counted and gathered, it is neither short nor without a count.
    const gathered = await readTaskPage(pages, organizationId, { ...request, isWhole: true }, undefined);
    keep(gathered, gathered.count!);
    return listOf(gathered, query, gathered.count!);
  }

  /** Counts that cost next to nothing would only push out those that took long to take. */
  #keep(organizationId: number, request: PageRequest, counted: Parameters<FilterCounts['remember']>[2]): void {
    if (isCountedInPassing(request, counted.count)) return;
    this.#options.counts.remember(organizationId, request.filter, counted);
  }

  /**
   * Hands over all tasks of a list, see exportTasks of the store; undefined when as many exports as there may be are
   * under way, in this process or of this organization.
   */
  export(
    organizationId: number,
    query: ExportTasksQuery,
    onlyAgentId: number | null,
    take: TakeTasks,
  ): Promise<void> | undefined {
    const own = this.#exporting.filter((other) => other === organizationId).length;
    if (this.#exporting.length >= LIMITS.exports || own >= LIMITS.exportsPerOrganization) return undefined;
    this.#exporting.push(organizationId);
    return this.#export(organizationId, narrowToAgent(filterOf(query), onlyAgentId), query, take);
  }

  async #export(organizationId: number, filter: TaskFilter, sort: TaskSort, take: TakeTasks): Promise<void> {
    try {
      await exportTasks(this.#options.exports, organizationId, filter, sort, take);
    } catch (error) {
      this.#options.log.warn({ err: error, organizationId }, 'an export broke off');
      throw error;
    } finally {
      this.#exporting.splice(this.#exporting.indexOf(organizationId), 1);
    }
  }
}

/** One task more than the page shows: it says whether there is more. Cursors belong to the query as it was asked. */
function requestOf(query: ListTasksQuery, onlyAgentId: number | null): PageRequest {
  const { limit, page = 1, sortBy, sortOrder } = query;
  const after = findCursor(query);
  const filter = narrowToAgent(filterOf(query), onlyAgentId);
  return { filter, sortBy, sortOrder, take: limit + 1, skip: after ? 0 : (page - 1) * limit, after };
}

function isShort({ items, mayFallShort }: TaskPage, { take, skip, after }: PageRequest, count: number): boolean {
  return mayFallShort && items.length < (after ? take : Math.min(take, count - skip));
}

function listOf({ items, sequence }: TaskPage, query: ListTasksQuery, count: number): TaskList {
  const shown = items.slice(0, query.limit);
  const last = shown.at(-1);
  const nextCursor = last && items.length > shown.length ? formatCursor(query, placeOf(last, query.sortBy)) : null;
  return { items: shown, count, nextCursor, sequence };
}

function placeOf({ task }: ShownTask, sortBy: ListTasksQuery['sortBy']) {
  if (sortBy === 'status') return { key: TASK_STATUSES.indexOf(task.status), id: task.id };
  return { key: sortBy === 'dueAt' ? dueAtOf(task) : task[sortBy], id: task.id };
}
