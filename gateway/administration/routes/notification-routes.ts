import { listNotifications } from '../../../engine/store/notifications/notification-log.ts';
import { readNotificationSettings } from '../../../engine/store/notifications/notification-settings-store.ts';
import {
  encodeNotification,
  encodeNotificationSettings,
  encodeWebPushKey,
} from '../../../engine/views/notification-view.ts';
import { formatIdCursor } from '../../../schema/fields/page-query.ts';
import { nothingView } from '../../../schema/fields/shown-fields.ts';
import { LIMITS } from '../../../schema/limits.ts';
import {
  deviceView,
  listNotificationsQuery,
  notificationPageView,
  notificationSettingsInput,
  notificationSettingsView,
  pushTokenInput,
  webPushKeyView,
} from '../../../schema/notices/notification.ts';
import { type ApiRoute, apiRoute, may } from '../../route.ts';
import { ADMINISTERED } from '../administer.ts';
import { changeNotificationSettings, forgetDevice, registerDevice } from '../administer-notifications.ts';
import type { Administration } from '../open-administration.ts';

/**
 * The notices to couriers and customers, their devices and their words. Source: docs/contract.md §7 "Notifications".
 */
export function notificationRoutes(administration: Administration): ApiRoute[] {
  return [...deviceRoutes(administration), ...settingsRoutes(administration), logRoute(administration)];
}

function deviceRoutes(administration: Administration): ApiRoute[] {
  const register: ApiRoute = apiRoute({
    method: 'POST',
    path: '/notifications/push-token',
    bare: true,
    guard: { kind: 'session' },
    body: { schema: pushTokenInput, maxBytes: LIMITS.bodyBytes },
    summary:
      'Register a device of the signed-in user, or give it another token; it gets no notices once the session has ' +
      'ended. Of a browser, `token` is the JSON text of its PushSubscription',
    success: { status: 201, data: deviceView },
    refusals: [...ADMINISTERED],
    handle: (request) => registerDevice(administration, request),
  });
  const forget: ApiRoute = apiRoute({
    method: 'DELETE',
    path: '/notifications/push-token/:deviceId',
    bare: true,
    textParams: true,
    guard: { kind: 'session' },
    summary: 'Forget a device of the caller',
    success: { status: 200, data: nothingView },
    refusals: ['404', ...ADMINISTERED],
    handle: (request) => forgetDevice(administration, request),
  });
  const key: ApiRoute = apiRoute({
    method: 'GET',
    path: '/notifications/web-push-key',
    guard: { kind: 'session' },
    summary: 'What a browser subscribes with: the applicationServerKey',
    success: { status: 200, data: webPushKeyView },
    refusals: [],
    async handle({ identity }) {
      const publicKey = await administration.webPushKey(identity.organizationId);
      return { status: 200, message: 'Web push key', data: encodeWebPushKey({ publicKey }) };
    },
  });
  return [register, forget, key];
}

function settingsRoutes(administration: Administration): ApiRoute[] {
  const read: ApiRoute = apiRoute({
    method: 'GET',
    path: '/notifications/settings',
    guard: may('notifications'),
    etag: true,
    summary: 'Which mails customers get, and in which words',
    success: { status: 200, data: notificationSettingsView },
    refusals: [],
    async handle({ identity: { organizationId } }) {
      const settings = await administration.reads.run(organizationId, (sql) =>
        readNotificationSettings(sql, organizationId),
      );
      return { status: 200, message: 'Notification settings', data: encodeNotificationSettings(settings) };
    },
  });
  const change: ApiRoute = apiRoute({
    method: 'PUT',
    path: '/notifications/settings',
    guard: may('organization'),
    body: { schema: notificationSettingsInput, maxBytes: LIMITS.bodyBytes },
    etag: true,
    summary: 'Set which mails customers get, and in which words: what is absent is off, or as it comes',
    success: { status: 200, data: notificationSettingsView },
    refusals: ['412 PRECONDITION_FAILED', ...ADMINISTERED],
    handle: (request) => changeNotificationSettings(administration, request),
  });
  return [read, change];
}

function logRoute({ reads }: Administration): ApiRoute {
  return apiRoute({
    method: 'GET',
    path: '/notifications',
    guard: may('notifications'),
    query: { schema: listNotificationsQuery, lists: new Set() },
    summary: 'List the notices to couriers and customers, sent or waiting, newest first',
    success: { status: 200, data: notificationPageView },
    refusals: [],
    async handle({ identity: { organizationId }, query }) {
      const { items, hasMore } = await reads.run(organizationId, (sql) =>
        listNotifications(sql, organizationId, query),
      );
      const nextCursor = hasMore ? formatIdCursor(query.part.listKey, items.at(-1)!.id) : null;
      const shown = items.map(encodeNotification).join(',');
      const data = `{"items":[${shown}],"count":${items.length}}`;
      return { status: 200, message: 'Notifications', data, nextCursor };
    },
  });
}
