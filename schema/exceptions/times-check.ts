import * as v from 'valibot';
import { isPast } from '../fields/fields.ts';
import { isEmptyWindow } from '../fields/window.ts';

/** The violations of the planned times of a body; with `now`, of times that have passed too. */
export function timesCheck<T extends object>(now?: () => number) {
  return v.rawCheck<T>(({ dataset, addIssue }) => {
    const body = dataset.value as Readonly<Record<string, unknown>> | undefined;
    if (typeof body !== 'object' || body === null) return;
    const violation = (key: string, message: string) =>
      addIssue({ message, path: [{ type: 'object', origin: 'value', input: body, key, value: body[key] }] });
    if (isEmptyWindow(body['windowStart'], body['windowEnd'])) violation('windowEnd', 'must be after windowStart');
    if (isEmptyWindow(body['scheduledAt'], body['windowEnd'])) violation('scheduledAt', 'must be before windowEnd');
    if (!now) return;
    for (const key of ['scheduledAt', 'windowEnd']) {
      if (isPast(body[key], now)) violation(key, 'must be in the future');
    }
  });
}
