import { LIMITS } from '../../../schema/limits.ts';
import {
  type ExportTasksQuery,
  findCursor,
  formatCursor,
  type ListTasksQuery,
  type TaskSort,
} from '../../../schema/tasks/list-tasks.ts';
import { filterKeyOf, filterOf, isCountedByKind, type TaskFilter } from '../../../schema/tasks/task-filter.ts';
import { narrowToAgent } from '../../domain/tasks/task-filter.ts';
import type { Log } from '../../runtime/log.ts';
import type { Sql } from '../../store/postgres.ts';
import { type ExportSink, exportTasks } from '../../store/task-lists/task-list-export.ts';
import { isCountedInPassing } from '../../store/task-lists/task-list-plan.ts';
import type { PageRequest } from '../../store/task-lists/task-list-request.ts';
import type { PageConnections, TaskPage } from '../../store/task-lists/task-list-store.ts';
import type { FilterCounts } from './filter-counts.ts';
import { readTexts, type TextSources } from './read-texts.ts';
import { RepeatRates } from './repeat-rates.ts';
import type { TaskText, TaskTexts } from './task-texts.ts';

export interface TaskList {
  readonly items: readonly TaskText[];
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
  readonly texts: TaskTexts;
  readonly log: Log;
  /** Whether the commits of an organization are made, and so counted, in this process. */
  readonly isOwned: (organizationId: number) => boolean;
}

type TextPage = TaskPage<TaskText>;

interface CountedPage {
  readonly page: TextPage;
  readonly count: number;
}

/** Pages of tasks: items from Postgres, counts from its counters or kept by this process. */
export class TaskLists {
  readonly #options: TaskListsOptions;
  readonly #sources: TextSources;
  /** Organizations of the exports under way, once for each. */
  readonly #exporting: number[] = [];
  /** Pages under way that count a filter for the first time. */
  readonly #counting = new Map<string, Promise<CountedPage>>();

  constructor(options: TaskListsOptions) {
    this.#options = options;
    this.#sources = { pages: options.pages, texts: options.texts, repeats: new RepeatRates() };
  }

  /**
   * With `onlyAgentId` among the tasks of that agent. Rejects when Postgres is away, or takes longer than
   * LIMITS.readDeadlineMs for one of the statements; with PageTooLargeError above LIMITS.listPageChars.
   */
  async list(organizationId: number, query: ListTasksQuery, onlyAgentId: number | null): Promise<TaskList> {
    const { counts, isOwned } = this.#options;
    const request = requestOf(query, onlyAgentId);
    const { filter } = request;
    if (isCountedByKind(filter) || !isOwned(organizationId)) {
      return listOf(query, await this.#read(organizationId, request, undefined, () => {}));
    }
    const key = `${organizationId} ${filterKeyOf(filter)}`;
    // One request counts a new filter. Others wait for it: they would count the same tasks, all at once.
    await this.#counting.get(key)?.catch(() => {});
    const epoch = counts.follow(organizationId);
    const matching = counts.find(organizationId, filter);
    const reading = this.#read(organizationId, request, matching, ({ sequence }, count) => {
      // Counts that cost next to nothing would only push out those that took long to take.
      if (!isCountedInPassing(request, count)) counts.remember(organizationId, filter, { count, sequence, epoch });
    });
    if (matching === undefined) this.#noteCounting(key, reading);
    return listOf(query, await reading);
  }

  /** Reads a page with its count; `keep` gets a count that was taken for it. */
  async #read(
    organizationId: number,
    request: PageRequest,
    matching: number | undefined,
    keep: (page: TextPage, count: number) => void,
  ): Promise<CountedPage> {
    const { counts } = this.#options;
    const page = await readTexts(this.#sources, organizationId, request, matching);
    const count = page.count ?? (await counts.countAt(organizationId, request.filter, page.sequence));
    if (count !== undefined && !isShort(page, request, count)) {
      if (page.count !== null) keep(page, count);
      return { page, count };
    }
    // Counted and gathered, it is neither short nor without a count.
    const gathered = await readTexts(this.#sources, organizationId, { ...request, isWhole: true }, undefined);
    keep(gathered, gathered.count!);
    return { page: gathered, count: gathered.count! };
  }

  #noteCounting(key: string, reading: Promise<CountedPage>): void {
    this.#counting.set(key, reading);
    const end = () => {
      if (this.#counting.get(key) === reading) this.#counting.delete(key);
    };
    reading.then(end, end);
  }

  /**
   * Hands over all tasks of a list, see exportTasks of the store; undefined when as many exports as there may be are
   * under way, in this process or of this organization.
   */
  export(
    organizationId: number,
    query: ExportTasksQuery,
    onlyAgentId: number | null,
    sink: ExportSink,
  ): Promise<void> | undefined {
    const own = this.#exporting.filter((other) => other === organizationId).length;
    if (this.#exporting.length >= LIMITS.exports || own >= LIMITS.exportsPerOrganization) return undefined;
    this.#exporting.push(organizationId);
    return this.#export(organizationId, narrowToAgent(filterOf(query), onlyAgentId), query, sink);
  }

  async #export(organizationId: number, filter: TaskFilter, sort: TaskSort, sink: ExportSink): Promise<void> {
    try {
      await exportTasks(this.#options.exports, organizationId, filter, sort, sink);
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

function isShort({ items, mayFallShort }: TextPage, { take, skip, after }: PageRequest, count: number): boolean {
  return mayFallShort && items.length < (after ? take : Math.min(take, count - skip));
}

function listOf(query: ListTasksQuery, { page: { items, sequence }, count }: CountedPage): TaskList {
  const shown = items.slice(0, query.limit);
  const last = shown.at(-1);
  const place = last && items.length > shown.length ? { key: last.keys[query.sortBy], id: last.id } : undefined;
  return { items: shown, count, nextCursor: place ? formatCursor(query, place) : null, sequence };
}
