import { EVENT_TYPES } from '../../../schema/events.ts';
import type { WebhookRecord } from '../../../schema/notices/webhook.ts';

/** The fields that the filter reads: `body` is the event's JSON. */
interface FilteredEvent {
  readonly type: string;
  readonly body: string;
}

/** Positions change all the time: only webhooks that name them get them. */
const ONLY_BY_NAME = 'agent.locations_updated';

/** The part of the body in front of the channel, as the log writes it. */
const head =
  /^\{"id":"[^"]*","type":"[^"]*","timestamp":"[^"]*","apiVersion":"v1","organizationId":\d+,"channelId":(\d+),/;

/** Whether a webhook wants an event. The body is read only if the type alone does not decide. */
export function compileWebhookFilter(
  webhook: Pick<WebhookRecord, 'events' | 'statuses' | 'channelIds' | 'channelId'>,
): (event: FilteredEvent) => boolean {
  const isWantedType = compileTypes(webhook.events);
  const statuses = webhook.statuses && new Set<unknown>(webhook.statuses);
  const channelIds = webhook.channelId === null ? webhook.channelIds : [webhook.channelId];
  const channels = channelIds && new Set<unknown>(channelIds);

  return ({ type, body }) =>
    isWantedType(type) &&
    (!channels || channels.has(channelOf(body))) &&
    (!statuses || type !== 'task.status_changed' || statuses.has(statusOf(body)));
}

/** The types of the log among which a webhook's events are. */
export function wantedTypes(events: WebhookRecord['events']): readonly string[] {
  return EVENT_TYPES.filter(compileTypes(events));
}

function compileTypes(events: readonly string[]): (type: string) => boolean {
  const names = new Set(events);
  const prefixes = events.filter((pattern) => pattern.endsWith('*')).map((pattern) => pattern.slice(0, -1));
  return (type) => names.has(type) || (type !== ONLY_BY_NAME && prefixes.some((prefix) => type.startsWith(prefix)));
}

function channelOf(body: string): unknown {
  const found = head.exec(body);
  return found ? Number(found[1]) : (JSON.parse(body) as { channelId?: unknown }).channelId;
}

/** It stands behind the task, whose own status is another. */
function statusOf(body: string): unknown {
  return (JSON.parse(body) as { data: { status?: unknown } }).data.status;
}
