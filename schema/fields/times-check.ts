import * as v from 'valibot';
import { isPast, parseIsoTime } from './fields.ts';

type Body = Readonly<Record<string, unknown>>;

/**
 * The violations of the planned times of a body; with `now`, of times that have passed too. `takesTimes`: whether a body
 * has any, or only fields that are ignored.
 */
export function timesCheck<T extends object>(now?: () => number, takesTimes: (body: Body) => boolean = () => true) {
  return v.rawCheck<T>(({ dataset, addIssue }) => {
    const body = dataset.value as Body | undefined;
    if (typeof body !== 'object' || body === null || !takesTimes(body)) return;
    const violation = (key: string, message: string) =>
      addIssue({ message, path: [{ type: 'object', origin: 'value', input: body, key, value: body[key] }] });
    if (isEmptyWindow(body['windowStart'], body['windowEnd'])) violation('windowEnd', 'must be after windowStart');
    if (isEmptyWindow(body['scheduledAt'], body['windowEnd'])) violation('scheduledAt', 'must be before windowEnd');
    if (isAfter(body['readyAt'], body['windowEnd'])) violation('readyAt', 'must not be after windowEnd');
    if (!now) return;
    for (const key of ['scheduledAt', 'windowEnd']) {
      if (isPast(body[key], now)) violation(key, 'must be in the future');
    }
  });
}

/** Whether a window would end before it begins, or at once. Of fields as they came; false where one is no moment. */
export function isEmptyWindow(windowStart: unknown, windowEnd: unknown): boolean {
  const [start, end] = [momentOf(windowStart), momentOf(windowEnd)];
  return start !== undefined && end !== undefined && end <= start;
}

/** Whether one moment is after another; as isEmptyWindow takes them. */
export function isAfter(one: unknown, other: unknown): boolean {
  const [moment, bound] = [momentOf(one), momentOf(other)];
  return moment !== undefined && bound !== undefined && moment > bound;
}

function momentOf(value: unknown) {
  return typeof value === 'string' ? parseIsoTime(value) : undefined;
}
