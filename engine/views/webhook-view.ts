import type { Caller } from '../../schema/commands.ts';
import {
  type Delivery,
  deliveryFacts,
  TEST_EVENT,
  type Webhook,
  type WebhookView,
  webhookSecretView,
  webhookView,
} from '../../schema/notices/webhook.ts';
import { compileSerializer } from './parts/serializer.ts';

const serializeWebhook = compileSerializer(webhookView);
const serializeWithSecret = compileSerializer(webhookSecretView);
const serializeDelivery = compileSerializer(deliveryFacts);

/** Returns the JSON of a webhook: the same bytes in responses and lists. */
export function encodeWebhook(webhook: Webhook): string {
  return serializeWebhook(viewOf(webhook));
}

/** Returns the JSON of a webhook together with its newly created secret. */
export function encodeWebhookWithSecret(webhook: Webhook, secret: string): string {
  return serializeWithSecret({ ...viewOf(webhook), secret });
}

function viewOf({ events, statuses, channelIds, ...webhook }: Webhook): WebhookView {
  return {
    ...webhook,
    events: [...events],
    statuses: statuses && [...statuses],
    channelIds: channelIds && [...channelIds],
  };
}

/** Returns the JSON of a delivery. It contains the sent body byte for byte. */
export function encodeDelivery({ url, body, ...facts }: Delivery): string {
  return `${serializeDelivery(facts).slice(0, -1)},"request":{"url":${JSON.stringify(url)},"body":${body ?? 'null'}}}`;
}

/** Returns the body of the event that tests a webhook. The event is not stored in the event log. */
export function encodeTestEvent(webhook: Webhook, { channelId }: Caller, eventId: string, now: string): string {
  const { organizationId } = webhook;
  return (
    `{"id":"${eventId}","type":"${TEST_EVENT}","timestamp":"${now}","apiVersion":"v1",` +
    `"organizationId":${organizationId},"channelId":${channelId},"sequence":null,` +
    `"data":{"webhook":${encodeWebhook(webhook)}}}`
  );
}
