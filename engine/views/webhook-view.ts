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

/** The JSON of a webhook: the same bytes in answers and lists. */
export function encodeWebhook(webhook: Webhook): string {
  return serializeWebhook(viewOf(webhook));
}

/** The JSON of a webhook with the secret that it has just been given. */
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

/** The JSON of a delivery. What was sent is in it byte for byte. */
export function encodeDelivery({ url, body, ...facts }: Delivery): string {
  return `${serializeDelivery(facts).slice(0, -1)},"request":{"url":${JSON.stringify(url)},"body":${body ?? 'null'}}}`;
}

/** The body of the event by which a webhook is tried. It has no place in the log. */
export function encodeTestEvent(webhook: Webhook, { channelId }: Caller, eventId: string, now: string): string {
  const { organizationId } = webhook;
  return (
    `{"id":"${eventId}","type":"${TEST_EVENT}","timestamp":"${now}","apiVersion":"v1",` +
    `"organizationId":${organizationId},"channelId":${channelId},"sequence":null,` +
    `"data":{"webhook":${encodeWebhook(webhook)}}}`
  );
}
