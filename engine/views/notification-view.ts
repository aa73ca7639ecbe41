import {
  deviceView,
  type NotificationSettings,
  type NotificationView,
  notificationSettingsView,
  notificationView,
  webPushKeyView,
} from '../../schema/notices/notification.ts';
import { compileSerializer } from './parts/serializer.ts';

export const encodeDevice = compileSerializer(deviceView);
export const encodeWebPushKey = compileSerializer(webPushKeyView);
const serializeSettings = compileSerializer(notificationSettingsView);
const serializeNotification = compileSerializer(notificationView);

export function encodeNotificationSettings({ customerMail, templates }: NotificationSettings): string {
  return serializeSettings({ customerMail: { ...customerMail }, templates });
}

export function encodeNotification(notification: NotificationView): string {
  return serializeNotification(notification);
}
