import * as v from 'valibot';
import { systemClock } from '../../engine/runtime/clock.ts';
import { LIMITS } from '../../schema/limits.ts';
import { type RateTaskInput, rateTaskInput } from '../../schema/tasks/rating.ts';
import type { Reply } from '../http/port.ts';
import { buttonLink, leadOn } from '../pages/screen.ts';
import { RefusalError } from '../refusal-error.ts';
import { FORM_MEDIA, type ParsedRequest, type RawRoute, rawRoute } from '../route.ts';
import { type Link, type Tracking, taskOf } from './open-tracking.ts';
import { TRACKING_SCREEN, tellingOf, trackingPage } from './tracking-page.ts';
import { pageTasks, type TrackingStreams } from './tracking-streams.ts';

/** The page that a task's `trackingUrl` leads to. Source: docs/contract.md §7. */
export function trackingPageRoutes(tracking: Tracking, streams: TrackingStreams): RawRoute[] {
  return [showPage(tracking), followPage(tracking, streams), ratePage(tracking)];
}

const PAGE = {
  place: 'root',
  textParams: true,
  guard: { kind: 'public' },
  answers: 'text/html',
} as const;

function showPage(tracking: Tracking): RawRoute {
  return rawRoute({
    ...PAGE,
    method: 'GET',
    path: '/t/:token',
    summary: 'For the customer: follow the task of a link',
    refusals: ['404 A page that says so', '503 A page that says so'],
    handle: (request, reply, { path }) =>
      TRACKING_SCREEN.answering(request, reply, async () => {
        const token = tokenIn(path);
        const link = await tracking.follow(token);
        if (!link) return show(request, reply, 404, UNKNOWN);
        show(
          request,
          reply,
          200,
          trackingPage(link, await pageTasks(tracking, link), tellingOf(link, token, systemClock.now())),
        );
      }),
  });
}

const seenQuery = v.object({ seen: v.optional(v.string()) });

function followPage(tracking: Tracking, streams: TrackingStreams): RawRoute {
  return rawRoute({
    ...PAGE,
    method: 'GET',
    path: '/t/:token/events',
    query: { schema: seenQuery, lists: new Set() },
    answers: 'text/event-stream',
    summary: 'For the page of a link: the parts of it that change, as HTML; `seen` is the digest of those it has',
    refusals: ['404 A page that says so', '429 A page that says so', '503 A page that says so'],
    handle(request, reply, incoming) {
      // A browser that opens the stream again knows what it was sent last.
      const seen = incoming.header('last-event-id') || request.query.seen;
      const token = tokenIn(incoming.path);
      return TRACKING_SCREEN.answering(request, reply, async () => {
        const link = await tracking.follow(token);
        if (!link) return show(request, reply, 404, UNKNOWN);
        const full = streams.refusalOf(token);
        if (full) throw new RefusalError(full);
        const { identity, replyHeaders } = request;
        if (!reply.done) streams.open(reply, { link, token, seen, identity, replyHeaders });
      });
    },
  });
}

function ratePage(tracking: Tracking): RawRoute {
  return rawRoute({
    ...PAGE,
    method: 'POST',
    path: '/t/:token/rating',
    body: { maxBytes: LIMITS.ratingFormBytes, media: FORM_MEDIA },
    summary: 'For the page of a link: take the rating of a task, and lead back to the page',
    leadsOn: { to: 'back to the page', always: true },
    refusals: ['400', '404', '409', '503'].map((status) => `${status} A page that says so`),
    handle: (request, reply, { path }) =>
      TRACKING_SCREEN.answering(request, reply, async () => {
        const token = tokenIn(path);
        const link = await tracking.follow(token);
        const form = new URLSearchParams(request.body.toString('utf8'));
        const task = link && taskOf(link, Number(form.get('taskId')));
        if (!task) return show(request, reply, 404, UNKNOWN);
        const input = ratingIn(form);
        if (!input) return show(request, reply, 400, notSent(NOT_A_RATING, token));
        const caller = { ...request.identity.caller, origin: request.origin };
        const answer = await tracking.rate((link as Link).organizationId, task.shown.id, { caller, input });
        if (!answer.ok && answer.refusal.code === 'TASK_NOT_COMPLETED')
          return show(request, reply, 409, notSent('This is not completed yet.', token));
        // One that is there already is what the page shows.
        if (!answer.ok && answer.refusal.code !== 'TASK_ALREADY_RATED') throw new RefusalError(answer.refusal);
        leadOn(request, reply, `../../t/${token}`);
      }),
  });
}

const UNKNOWN = TRACKING_SCREEN.note({
  title: 'Nothing to see here',
  text: 'This tracking link is not valid, or no longer.',
});
const NOT_A_RATING = `A rating has a score from 1 to 5 and at most ${LIMITS.ratingCommentChars} characters.`;

function notSent(text: string, token: string): string {
  return TRACKING_SCREEN.note({ title: 'Not sent', text, actions: buttonLink(`../../t/${token}`, 'Back') });
}

function ratingIn(form: URLSearchParams): RateTaskInput | undefined {
  // Browsers send line ends as two characters, and count them as one.
  const comment = (form.get('comment') ?? '').replaceAll('\r\n', '\n').trim();
  const parsed = v.safeParse(rateTaskInput, { score: Number(form.get('score')), comment: comment || null });
  return parsed.success ? parsed.output : undefined;
}

/** `/t/<token>` and what is below it. */
function tokenIn(path: string): string {
  return path.split('/')[2]!;
}

function show(request: ParsedRequest, reply: Reply, status: number, page: string): void {
  TRACKING_SCREEN.send(request, reply, { status, page });
}
