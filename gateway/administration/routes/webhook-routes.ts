import { listDeliveries, readDelivery } from '../../../engine/store/webhooks/delivery-log.ts';
import { listWebhooks, readWebhook } from '../../../engine/store/webhooks/webhook-store.ts';
import { encodeDelivery, encodeWebhook } from '../../../engine/views/webhook-view.ts';
import { notFound } from '../../../schema/errors.ts';
import { formatPosition } from '../../../schema/events.ts';
import { formatIdCursor } from '../../../schema/fields/page-query.ts';
import { nothingView } from '../../../schema/fields/shown-fields.ts';
import { LIMITS } from '../../../schema/limits.ts';
import {
  createWebhookInput,
  deliveryPageView,
  deliveryView,
  listDeliveriesQuery,
  listWebhooksQuery,
  orderedDeliveryView,
  replayInput,
  replayView,
  updateWebhookInput,
  webhookListView,
  webhookSecretView,
  webhookView,
} from '../../../schema/notices/webhook.ts';
import { pageAnswer } from '../../page-answer.ts';
import { type ApiRoute, apiRoute, may } from '../../route.ts';
import { ADMINISTERED } from '../administer.ts';
import { changeWebhook, createWebhook, ownChannelOf, removeWebhook, rotateSecret } from '../administer-webhooks.ts';
import type { Administration } from '../open-administration.ts';
import { orderRedelivery, orderReplay, orderTest } from '../order-deliveries.ts';

/** The addresses for an organization's events, and the log of deliveries. Source: docs/contract.md §6 "Webhooks". */
export function webhookRoutes(administration: Administration): ApiRoute[] {
  return [
    ...writingRoutes(administration),
    ...orderingRoutes(administration),
    ...readingRoutes(administration),
    ...deliveryRoutes(administration),
    removingRoute(administration),
  ];
}

function writingRoutes(administration: Administration): ApiRoute[] {
  const create: ApiRoute = apiRoute({
    method: 'POST',
    path: '/webhooks',
    guard: may('webhooks'),
    body: { schema: createWebhookInput, maxBytes: LIMITS.bodyBytes },
    summary:
      'Create a webhook; its secret is shown in this answer only. A channel gets its own events, with any channelIds',
    success: { status: 201, data: webhookSecretView },
    refusals: ['404', '409 WEBHOOK_LIMIT_REACHED', ...ADMINISTERED],
    handle: (request) => createWebhook(administration, request),
  });
  const change: ApiRoute = apiRoute({
    method: 'PATCH',
    path: '/webhooks/:id',
    guard: may('webhooks'),
    body: { schema: updateWebhookInput, maxBytes: LIMITS.bodyBytes },
    etag: true,
    summary:
      'Change a webhook: only the fields that are sent. One that is switched on, or was disabled, starts afresh: a replay sends the events that it missed. One with another url has no failures and no pause, and what is pending is sent at once. Switching it off ends what is pending',
    success: { status: 200, data: webhookView },
    refusals: ['404', '412 PRECONDITION_FAILED', ...ADMINISTERED],
    handle: (request) => changeWebhook(administration, request),
  });
  const rotate: ApiRoute = apiRoute({
    method: 'POST',
    path: '/webhooks/:id/rotate-secret',
    guard: may('webhooks'),
    summary:
      'Replace the secret of a webhook: the new one is shown in this answer only, the last one signs along for 24 h. A call ' +
      'that comes again within ten minutes replaces only the new one',
    success: { status: 200, data: webhookSecretView },
    refusals: ['404', ...ADMINISTERED],
    handle: (request) => rotateSecret(administration, request),
  });
  return [create, change, rotate];
}

function orderingRoutes(administration: Administration): ApiRoute[] {
  const test: ApiRoute = apiRoute({
    method: 'POST',
    path: '/webhooks/:id/test',
    guard: may('webhooks'),
    summary: 'Send a webhook.test event, also to a webhook that is not active',
    success: { status: 202, data: orderedDeliveryView },
    refusals: ['404', ...ADMINISTERED, '429 TOO_MANY_ORDERS'],
    handle: (request) => orderTest(administration, request),
  });
  const redeliver: ApiRoute = apiRoute({
    method: 'POST',
    path: '/webhooks/deliveries/:id/redeliver',
    guard: may('webhooks'),
    summary: 'Attempt a delivery once more, now',
    success: { status: 202, data: orderedDeliveryView },
    refusals: ['404', '410 EVENTS_EXPIRED', ...ADMINISTERED, '429 TOO_MANY_ORDERS'],
    handle: (request) => orderRedelivery(administration, request),
  });
  const replay: ApiRoute = apiRoute({
    method: 'POST',
    path: '/webhooks/:id/replay',
    guard: may('webhooks'),
    body: { schema: replayInput, maxBytes: LIMITS.bodyBytes },
    summary:
      'Send the events of a stretch of time again, as far as they are kept: the answer says from where to where the log is looked through',
    success: { status: 202, data: replayView },
    refusals: ['404', '410 EVENTS_EXPIRED', ...ADMINISTERED, '429 TOO_MANY_ORDERS'],
    handle: (request) => orderReplay(administration, request),
  });
  return [test, redeliver, replay];
}

function readingRoutes({ reads, history }: Administration): ApiRoute[] {
  const list: ApiRoute = apiRoute({
    method: 'GET',
    path: '/webhooks',
    guard: may('webhooks:read'),
    query: { schema: listWebhooksQuery, lists: new Set(['status']) },
    summary: 'List webhooks, newest first, without their secrets; a channel sees its own',
    success: { status: 200, data: webhookListView },
    refusals: [],
    async handle({ identity, query }) {
      const { organizationId } = identity;
      const page = await reads.run(organizationId, (sql) =>
        listWebhooks(sql, organizationId, ownChannelOf(identity), query),
      );
      return pageAnswer(history, 'Webhooks', page, encodeWebhook);
    },
  });
  const readOne: ApiRoute = apiRoute({
    method: 'GET',
    path: '/webhooks/:id',
    guard: may('webhooks:read'),
    etag: true,
    summary: 'Read a webhook',
    success: { status: 200, data: webhookView },
    refusals: ['404'],
    async handle({ identity, params }) {
      const { organizationId } = identity;
      const webhookId = params.id;
      const found = await reads.run(organizationId, (sql) =>
        readWebhook(sql, organizationId, ownChannelOf(identity), webhookId),
      );
      if (!found) return { refusal: notFound('Webhook', webhookId) };
      const position = formatPosition(history, found.sequence);
      return { status: 200, message: 'Webhook', data: encodeWebhook(found.webhook), position };
    },
  });
  return [list, readOne];
}

function deliveryRoutes({ reads, history }: Administration): ApiRoute[] {
  const list: ApiRoute = apiRoute({
    method: 'GET',
    path: '/webhooks/:id/deliveries',
    guard: may('webhooks:read'),
    query: { schema: listDeliveriesQuery, lists: new Set() },
    summary: 'List what was sent to a webhook, or waits to be sent again, newest first',
    success: { status: 200, data: deliveryPageView },
    refusals: ['404'],
    async handle({ identity, params, query }) {
      const { organizationId } = identity;
      const webhookId = params.id;
      const found = await reads.run(organizationId, (sql) =>
        listDeliveries(sql, organizationId, ownChannelOf(identity), webhookId, query),
      );
      if (!found) return { refusal: notFound('Webhook', webhookId) };
      const { items, hasMore, sequence } = found;
      const nextCursor = hasMore ? formatIdCursor(query.part.listKey, items.at(-1)!.id) : null;
      const shown = items.map(encodeDelivery).join(',');
      const data = `{"items":[${shown}],"count":${items.length}}`;
      return { status: 200, message: 'Deliveries', data, nextCursor, position: formatPosition(history, sequence) };
    },
  });
  const readOne: ApiRoute = apiRoute({
    method: 'GET',
    path: '/webhooks/deliveries/:id',
    guard: may('webhooks:read'),
    etag: true,
    summary: 'Read a delivery: its content, its address, and the outcome of each attempt',
    success: { status: 200, data: deliveryView },
    refusals: ['404'],
    async handle({ identity, params }) {
      const { organizationId } = identity;
      const deliveryId = params.id;
      const found = await reads.run(organizationId, (sql) =>
        readDelivery(sql, organizationId, ownChannelOf(identity), deliveryId),
      );
      if (!found) return { refusal: notFound('Delivery', deliveryId) };
      const position = formatPosition(history, found.sequence);
      return { status: 200, message: 'Delivery', data: encodeDelivery(found.delivery), position };
    },
  });
  return [list, readOne];
}

function removingRoute(administration: Administration): ApiRoute {
  return apiRoute({
    method: 'DELETE',
    path: '/webhooks/:id',
    guard: may('webhooks'),
    summary: 'Delete a webhook; nothing more is sent, and its deliveries are gone',
    success: { status: 200, data: nothingView },
    refusals: ['404', ...ADMINISTERED],
    handle: (request) => removeWebhook(administration, request),
  });
}
