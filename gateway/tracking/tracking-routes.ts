import { refusal } from '../../schema/errors.ts';
import { LIMITS } from '../../schema/limits.ts';
import { rateTaskInput, ratingView } from '../../schema/tasks/rating.ts';
import type { FollowedTask } from '../../schema/tasks/tracking.ts';
import {
  trackedLocationView,
  trackedTaskView,
  trackingListQuery,
  trackingQuery,
  trackingView,
} from '../../schema/tasks/tracking.ts';
import { type ApiRoute, apiRoute, type ParsedRequest, type RouteAnswer } from '../route.ts';
import { type Link, type Tracking, taskOf } from './open-tracking.ts';

/** The same for every link that shows nothing, and for every task that a link does not show. */
const NOT_FOUND: RouteAnswer = { refusal: refusal('NOT_FOUND', 'Tracking link not found') };

/**
 * The customers' view of their tasks, as JSON: `token` is the last part of a task's `trackingUrl`. Source:
 * docs/contract.md §7.
 */
export function trackingRoutes(tracking: Tracking): ApiRoute[] {
  return [listTracked(tracking), readTracked(tracking), locateTracked(tracking), rateTracked(tracking)];
}

const TRACKING = {
  bare: true,
  guard: { kind: 'public' },
  // A link is a secret: what it shows is neither kept on the way nor found by a search engine.
  headers: [
    ['Cache-Control', 'no-store'],
    ['X-Robots-Tag', 'noindex'],
  ],
} as const;
const BY_TOKEN = { schema: trackingQuery, lists: new Set<string>() };

function listTracked(tracking: Tracking): ApiRoute {
  return apiRoute({
    ...TRACKING,
    method: 'GET',
    path: '/tracking/tasks',
    query: { schema: trackingListQuery, lists: new Set() },
    summary: 'Follow the task of a link, or the parts of a job, of which `taskId` selects one',
    success: { status: 200, data: trackingView },
    refusals: ['404'],
    async handle({ query }) {
      const { token, taskId } = query;
      const link = await tracking.follow(token);
      const chosen = link && taskId !== undefined ? taskOf(link, taskId) : undefined;
      if (!link || (taskId !== undefined && !chosen)) return NOT_FOUND;
      const items = (chosen ? [chosen] : link.tasks).map(({ shown }) => shown);
      return found({ organization: link.letterhead, items, count: items.length });
    },
  });
}

function readTracked(tracking: Tracking): ApiRoute {
  return apiRoute({
    ...TRACKING,
    method: 'GET',
    path: '/tracking/tasks/:id',
    query: BY_TOKEN,
    summary: 'Follow one task of a link',
    success: { status: 200, data: trackedTaskView },
    refusals: ['404'],
    async handle(request) {
      const at = await findTask(tracking, request);
      return at ? found(at.task.shown) : NOT_FOUND;
    },
  });
}

function locateTracked(tracking: Tracking): ApiRoute {
  return apiRoute({
    ...TRACKING,
    method: 'GET',
    path: '/tracking/tasks/:id/location',
    query: BY_TOKEN,
    summary: 'See where the agent of a task is while the task is on its way',
    success: { status: 200, data: trackedLocationView },
    refusals: ['404'],
    async handle(request) {
      const at = await findTask(tracking, request);
      if (!at) return NOT_FOUND;
      const { id: taskId, status, etaAt } = at.task.shown;
      return found({ taskId, status, etaAt, location: await tracking.locate(at.link.organizationId, at.task) });
    },
  });
}

function rateTracked(tracking: Tracking): ApiRoute {
  return apiRoute({
    ...TRACKING,
    method: 'POST',
    path: '/tracking/tasks/:id/rating',
    query: BY_TOKEN,
    body: { schema: rateTaskInput, maxBytes: LIMITS.bodyBytes },
    summary: 'Rate a completed task of a link, once',
    success: { status: 201, data: ratingView },
    refusals: ['404', '409 TASK_NOT_COMPLETED', '409 TASK_ALREADY_RATED', '422 IDEMPOTENCY_KEY_REUSED'],
    async handle(request) {
      const at = await findTask(tracking, request);
      if (!at) return NOT_FOUND;
      const { identity, origin, body, idempotency } = request;
      const rating = { caller: { ...identity.caller, origin }, input: body, idempotency };
      const answer = await tracking.rate(at.link.organizationId, at.task.shown.id, rating);
      const replayed = answer.replayed === true;
      if (!answer.ok) return { refusal: answer.refusal, replayed };
      return { status: answer.status, message: 'Task rated', data: answer.data, replayed };
    },
  });
}

/** The task that a request is about, if its link shows it. */
async function findTask(
  tracking: Tracking,
  { query, params }: ParsedRequest<{ readonly id: number }, { readonly token?: string | undefined }>,
): Promise<{ readonly link: Link; readonly task: FollowedTask } | undefined> {
  const link = await tracking.follow(query.token);
  const task = link && taskOf(link, params.id);
  return task && { link, task };
}

/** Without a position in the log: how much an organization does is not for its customers to see. */
function found(data: object): RouteAnswer {
  return { status: 200, message: 'Tracking', data: JSON.stringify(data) };
}
