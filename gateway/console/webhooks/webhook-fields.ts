import type { WebhookView } from '../../../schema/notices/webhook.ts';
import { webhooksText } from '../text/english-webhooks.ts';

export const EVERYTHING = '*';

/** The content of the form. `events` may hold single types, `task.*` and the like, and `*`. */
export interface WebhookForm {
  readonly url: string;
  readonly description: string;
  readonly events: readonly string[];
  readonly concurrency: string;
}

export const EMPTY_WEBHOOK: WebhookForm = { url: '', description: '', events: [EVERYTHING], concurrency: '1' };

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

export function formOfWebhook({ url, description, events, concurrency }: WebhookView): WebhookForm {
  return { url, description: description ?? '', events, concurrency: `${concurrency}` };
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
  const body: Record<string, unknown> = {};
  if (differs('url')) body['url'] = form.url.trim();
  if (differs('description')) body['description'] = form.description.trim() || null;
  if (differs('events')) body['events'] = form.events;
  if (differs('concurrency')) body['concurrency'] = Number(form.concurrency);
  return body;
}
