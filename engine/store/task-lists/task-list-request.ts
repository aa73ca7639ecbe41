import { LIMITS } from '../../../schema/limits.ts';
import type { ListCursor, TaskSort } from '../../../schema/tasks/list-tasks.ts';
import type { TaskFilter } from '../../../schema/tasks/task-filter.ts';
import { Parameters } from '../parameters.ts';
import { byKeys, byTimeDue, type Sources, sourcesOf, UNDIVIDED } from './listed-tasks.ts';

/** A stretch of a list: `take` tasks after `skip` others, behind `after` when it is there. */
export interface PageRequest extends TaskSort {
  readonly filter: TaskFilter;
  readonly take: number;
  readonly skip: number;
  readonly after: ListCursor | undefined;
  /** It must not fall short: what a bounded way leaves out is gathered. */
  readonly isWhole?: boolean;
}

/** Parts of the statement that reads a page: common table expressions, the last of them `page (id, key)`. */
export interface PagePlan {
  readonly ctes: readonly string[];
  /** The number of matches, as an expression; null::bigint when this way does not give it. */
  readonly count: string;
  readonly parameters: Parameters;
  /** It looks at a bounded number of tasks: a page that is too short must be read in another way. */
  readonly mayFallShort: boolean;
  /** Its text is one of few, for any filter: worth preparing. */
  readonly isReusable: boolean;
}

/** The sort key of a list. Tasks without a time stand last in either order. */
export function sortKeyOf({ sortBy, sortOrder }: TaskSort): string {
  if (sortBy === 'scheduledAt') return `coalesce(t.scheduled_at, ${noTime(sortOrder)})`;
  return { createdAt: 't.created_at', updatedAt: 't.updated_at', dueAt: 't.due_at', status: 't.status_rank' }[sortBy];
}

/** The key of a task without a time. */
export function noTime(sortOrder: TaskSort['sortOrder']): string {
  return sortOrder === 'ASC' ? "timestamptz 'infinity'" : "timestamptz '-infinity'";
}

/**
 * Limits that stand in the text, since a planner that does not know a small limit reads too much; usual pages first.
 */
const LITERAL_LIMITS = [21, 51, 101, 1_024, 8_192];

/** The words of a request that every way to a page needs. `key` is the name of the sort key in what it selects from. */
export class PageText {
  readonly request: PageRequest;
  readonly parameters: Parameters;
  /** The sort key of task `t`. */
  readonly column: string;
  readonly take: string;
  readonly skip: string;
  readonly after: { readonly key: string; readonly id: string } | undefined;

  constructor(organizationId: number, request: PageRequest) {
    const { sortBy, sortOrder, take, skip, after } = request;
    this.request = request;
    this.parameters = new Parameters(organizationId);
    this.column = sortKeyOf(request);
    this.take = this.parameters.add(take, 'bigint');
    this.skip = this.parameters.add(skip, 'bigint');
    this.after = after && {
      key:
        after.key === null
          ? noTime(sortOrder)
          : this.parameters.add(after.key, sortBy === 'status' ? 'int' : 'timestamptz'),
      id: this.parameters.add(after.id, 'bigint'),
    };
  }

  /** The tasks, as indexes have them in the order of the list. */
  get inOrder(): Sources {
    const { sortBy, filter } = this.request;
    if (sortBy === 'dueAt') return byTimeDue(filter);
    return sortBy === 'updatedAt' ? byKeys(filter) : UNDIVIDED;
  }

  /** The same as indexes have them by the parts of the filter. */
  get byParts(): Sources {
    const { filter } = this.request;
    return (filter.dueFrom ?? filter.dueTo) === undefined ? sourcesOf(filter) : byTimeDue(filter);
  }

  get comparison(): '<' | '>' {
    return this.request.sortOrder === 'ASC' ? '>' : '<';
  }

  orderBy(key: string, id: string): string {
    const { sortOrder } = this.request;
    return `ORDER BY ${key} ${sortOrder}, ${id} ${sortOrder}`;
  }

  /** A task lies behind the cursor; always true without one. */
  behind(key: string, id: string): string {
    return this.after ? `(${key}, ${id}) ${this.comparison} (${this.after.key}, ${this.after.id})` : 'true';
  }

  /** The cursor points at a task without a time: those with one have been shown. */
  get isBehindTimes(): boolean {
    return this.request.after?.key === null;
  }

  /** Where the page ends, counted from the start of the list or from the cursor. */
  get end(): string {
    return `(${this.skip} + ${this.take})`;
  }

  /** Whether a walk may lead to the end of the page. */
  get isInReach(): boolean {
    return this.request.skip + this.request.take <= LIMITS.walkedTasks;
  }

  /** A limit that no page of this depth reaches, or none. */
  get enough(): string {
    const wanted = this.request.skip + this.request.take;
    const limit = LITERAL_LIMITS.find((each) => each >= wanted);
    return limit === undefined ? '' : `LIMIT ${limit}`;
  }

  /** The page out of `source (id, key)`. */
  page(source: string, skip: string = this.skip): string {
    return `page AS MATERIALIZED (SELECT id, key FROM ${source} ${this.orderBy('key', 'id')}
      LIMIT ${this.take} OFFSET ${skip})`;
  }
}
