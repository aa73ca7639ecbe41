import type { Actor } from '../../engine/domain/tasks/task-machine.ts';
import { PageTooLargeError } from '../../engine/org/lists/page-room.ts';
import type { Engine } from '../../engine/org/start-engine.ts';
import { type Refusal, refusal } from '../../schema/errors.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { ListTasksQuery } from '../../schema/tasks/list-tasks.ts';
import { pageAnswer } from '../page-answer.ts';
import type { RouteAnswer } from '../route.ts';

/** Answers with the tasks that the caller may see. Refuses 400 a page of large tasks: a smaller `limit` reads them. */
export async function answerTaskPage(
  engine: Pick<Engine, 'listTasks' | 'history'>,
  organizationId: number,
  query: ListTasksQuery,
  caller: Actor,
): Promise<RouteAnswer | { readonly refusal: Refusal }> {
  try {
    const page = await engine.listTasks(organizationId, query, caller);
    return pageAnswer(engine.history, 'Tasks', page, ({ json }) => json);
  } catch (error) {
    if (error instanceof PageTooLargeError) return { refusal: TOO_LARGE };
    throw error;
  }
}

const TOO_LARGE = refusal('VALIDATION_FAILED', undefined, {
  violations: [`limit is too high for these tasks: a page holds at most ${LIMITS.listPageChars} characters of JSON`],
});
