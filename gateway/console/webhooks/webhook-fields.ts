import type { WebhookView } from '../../../schema/notices/webhook.ts';
import { webhooksText } from '../text/english-webhooks.ts';

export const EVERYTHING = '*';

/** The content of the form. `events` may hold single types, `task.*` and the like, and `*`. */
export interface WebhookForm {
  readonly url: string;
  readonly description: string;
  readonly events: readonly string[];
  /** Empty: every status. */
  readonly statuses: readonly string[];
  /** Empty: every channel. */
  readonly channelIds: readonly number[];
  readonly concurrency: string;
}

export const EMPTY_WEBHOOK: WebhookForm = {
  url: '',
  description: '',
  events: [EVERYTHING],
  statuses: [],
  channelIds: [],
  concurrency: '1',
};
/** The one event that `statuses` narrows, and the choices that hold it. */
const STATUS_EVENTS = ['task.status_changed', 'task.*', EVERYTHING];

export interface Family {
  readonly name: string;
  /** `task.*` */
  readonly all: string;
  readonly types: readonly string[];
}

/** The events that one may choose, by what they are about. */
export const FAMILIES: readonly Family[] = Object.keys(webhooksText.families).map((name) => ({
  name,
  all: `${name}.*`,
  types: Object.keys(webhooksText.events).filter((type) => type.startsWith(`${name}.`)),
}));

export function formOfWebhook(webhook: WebhookView): WebhookForm {
  const { url, description, events, statuses, channelIds, concurrency } = webhook;
  return {
    url,
    description: description ?? '',
    events,
    statuses: statuses ?? [],
    channelIds: channelIds ?? [],
    concurrency: `${concurrency}`,
  };
}

/** Whether the statuses of the form change what is sent. */
export function narrowsStatuses({ events }: WebhookForm): boolean {
  return events.some((event) => STATUS_EVENTS.includes(event));
}

/** Adds an event or takes it away. A wider choice takes the place of the events that it holds. */
export function toggleEvent(events: readonly string[], name: string, isOn: boolean): readonly string[] {
  if (!isOn) return events.filter((event) => event !== name);
  if (name === EVERYTHING) return [EVERYTHING];
  const isNarrower = (event: string) => name.endsWith('.*') && event.startsWith(name.slice(0, -1));
  return [...events.filter((event) => !isNarrower(event)), name];
}

/** The body of the POST, or of the PATCH where there is a form before: the fields that differ. */
export function webhookBody(form: WebhookForm, before?: WebhookForm): Record<string, unknown> {
  const differs = (name: keyof WebhookForm) => JSON.stringify(form[name]) !== JSON.stringify(before?.[name]);
  const orNull = <Item>(list: readonly Item[]) => (list.length === 0 ? null : list);
  const body: Record<string, unknown> = {};
  if (differs('url')) body['url'] = form.url.trim();
  if (differs('description')) body['description'] = form.description.trim() || null;
  if (differs('events')) body['events'] = form.events;
  if (differs('statuses')) body['statuses'] = orNull(form.statuses);
  if (differs('channelIds')) body['channelIds'] = orNull(form.channelIds);
  if (differs('concurrency')) body['concurrency'] = Number(form.concurrency);
  return body;
}
