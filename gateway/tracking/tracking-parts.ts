import { isStillExpected } from '../../engine/domain/shown-time.ts';
import { directedText } from '../../engine/views/parts/directed-text.ts';
import { type Html, html } from '../../engine/views/parts/html.ts';
import type { LocalTime } from '../../engine/views/parts/local-time.ts';
import { LIMITS } from '../../schema/limits.ts';
import { isTerminal, type TaskStatus } from '../../schema/tasks/task.ts';
import type { TrackedPosition, TrackedTask } from '../../schema/tasks/tracking.ts';
import { distanceText, trackingMap } from './tracking-map.ts';

/** A task as the page shows it now. */
export interface PageTask {
  readonly shown: TrackedTask;
  readonly position: TrackedPosition | null;
}

/** The link of a page, and the zone and the moment of its times. */
export interface Telling {
  readonly token: string;
  readonly times: LocalTime;
  /** ISO 8601. */
  readonly now: string;
}

/** The parts of a task that change while its page is open, by the id of the element that holds each. */
export function partsOf({ shown, position }: PageTask, telling: Telling): Readonly<Record<string, Html>> {
  const { id } = shown;
  return {
    [`status-${id}`]: statusPart(shown, telling),
    [`name-${id}`]: html`<bdi>${directedText(shown.name)}</bdi>`,
    [`map-${id}`]: mapPart(shown, position, telling),
    [`steps-${id}`]: stepsPart(shown, telling),
    [`details-${id}`]: detailsPart(shown, telling),
    [`rating-${id}`]: ratingPart(shown, telling),
  };
}

const HEADLINES: Readonly<Record<TaskStatus, string>> = {
  new: 'Order received',
  awaiting_assignment: 'Looking for a courier',
  assigned: 'Courier found',
  accepted: 'Courier confirmed',
  in_transit: 'On its way',
  completed: 'Completed',
  cancelled: 'Cancelled',
};
const FAILED = 'Could not be completed';

export function headlineOf({ status, outcome }: TrackedTask): string {
  return outcome === 'failed' ? FAILED : HEADLINES[status];
}

function timeOf(at: string, { times, now }: Telling): Html {
  return html`<time datetime="${at}">${times.moment(at, now)}</time>`;
}

/** When the courier is expected, as the page tells it then; null for no time that is still to come. */
export function expectedAt({ status, etaAt, arrivedAt }: TrackedTask, now: string): string | null {
  if (etaAt === null || arrivedAt !== null || isTerminal(status)) return null;
  return isStillExpected(etaAt, now) ? etaAt : null;
}

function statusPart(task: TrackedTask, telling: Telling): Html {
  const { status, arrivedAt, stopsBefore, agent } = task;
  const etaAt = expectedAt(task, telling.now);
  const tone = hasStopped(task) ? 'stopped' : 'going';
  const name = agent && html`<bdi>${directedText(agent.firstName)}</bdi>`;
  return html`<div class="${tone}"><h2>${headlineOf(task)}</h2>${
    arrivedAt !== null && !isTerminal(status) && html`<p>The courier has arrived</p>`
  }${etaAt !== null && html`<p>Expected ${timeOf(etaAt, telling)}</p>`}${stopsBefore !== null && html`<p>${stopsText(stopsBefore)}</p>`}${
    name && !isTerminal(status) && html`<p>Your courier is ${name}</p>`
  }</div>`;
}

function stopsText(count: number): string {
  if (count === 0) return 'You are the next stop';
  return `The courier has ${count} ${count === 1 ? 'stop' : 'stops'} before you`;
}

function mapPart({ status, destination }: TrackedTask, position: TrackedPosition | null, telling: Telling): Html {
  if (status !== 'in_transit') return html``;
  if (!position) return html`<p class="name">The position of the courier is not known at the moment.</p>`;
  const seen = html`${position.isStale ? 'last seen' : 'seen'} ${timeOf(position.recordedAt, telling)}`;
  if (!destination) return html`<p class="name">Courier ${seen}</p>`;
  const distance = distanceText(position, destination);
  return html`<figure>${trackingMap(position, destination)}<figcaption>Courier ${distance} away in a straight line, ${seen}</figcaption></figure>`;
}

const STEPS = ['new', 'assigned', 'accepted', 'in_transit', 'completed'] as const;

function stepsPart(task: TrackedTask, telling: Telling): Html {
  const times = new Map(task.timeline.map(({ status, at }) => [status, at]));
  const made = [...times.keys()];
  const last = made.at(-1);
  const steps: readonly TaskStatus[] = task.status === 'cancelled' ? made : STEPS;
  const items = steps.map((step) => {
    const at = times.get(step);
    const isNow = step === last;
    const name = isNow && isTerminal(step) ? headlineOf(task) : HEADLINES[step];
    return html`<li${at !== undefined && html` class="done${isNow && ' now'}"`}${isNow && html` aria-current="step"`}>${name}${
      at === undefined ? html`<span class="hidden"> (to come)</span>` : html` ${timeOf(at, telling)}`
    }</li>`;
  });
  return html`<h3>Progress</h3><ol${hasStopped(task) && html` class="stopped"`}>${items}</ol>`;
}

function hasStopped({ status, outcome }: TrackedTask): boolean {
  return status === 'cancelled' || outcome === 'failed';
}

function detailsPart({ code, destination, window, packageCount, pin }: TrackedTask, { times, now }: Telling): Html {
  return html`<h3>Details</h3><dl>
<dt>Order</dt><dd><bdi>${directedText(code)}</bdi></dd>
${destination && html`<dt>To</dt><dd><bdi>${directedText(destination.address)}</bdi></dd>`}
${window && html`<dt>Time</dt><dd>${times.window(window, now)}</dd>`}
${packageCount > 0 && html`<dt>Packages</dt><dd>${packageCount}</dd>`}
${pin !== null && html`<dt>PIN</dt><dd>${pin}, for the courier at the door</dd>`}
</dl>`;
}

function ratingPart({ id, status, rating }: TrackedTask, { token }: Telling): Html {
  if (rating) {
    const comment = rating.comment !== null && html`<p dir="auto">${directedText(rating.comment)}</p>`;
    return html`<h3>Your rating</h3><p>${rating.score} of 5. Thank you.</p>${comment}`;
  }
  if (status !== 'completed') return html``;
  const scores = [1, 2, 3, 4, 5].map(
    (score) =>
      html`<label><input type="radio" name="score" value="${score}" required><span>${score}<span class="hidden"> of 5</span></span></label>`,
  );
  return html`<form method="post" action="${token}/rating"><input type="hidden" name="taskId" value="${id}">
<fieldset><legend>How was it? 1 is poor, 5 is excellent.</legend><div class="scores">${scores}</div></fieldset>
<label for="comment-${id}">Comment (optional)</label>
<textarea id="comment-${id}" name="comment" maxlength="${LIMITS.ratingCommentChars}" dir="auto"></textarea>
<button>Send rating</button></form>`;
}
