import { LIMITS } from '../../../schema/limits.ts';
import type { NoticeTemplates } from '../../../schema/notices/notice-templates.ts';
import { DEFAULT_SETTINGS, type NotificationSettings } from '../../../schema/notices/notification.ts';
import type { Fragment, Sql } from '../postgres.ts';
import { retried } from '../statements.ts';

export interface KnownSettings extends NotificationSettings {
  /** 0 as long as the organization has no settings. */
  readonly version: number;
}

interface SettingsRow {
  readonly version: number;
  readonly mailCreated: boolean;
  readonly mailOnTheWay: boolean;
  readonly mailCompleted: boolean;
  readonly templates: NoticeTemplates;
}

export async function readNotificationSettings(sql: Sql, organizationId: number): Promise<KnownSettings> {
  const query = () => sql<SettingsRow[]>`
    SELECT version, mail_created, mail_on_the_way, mail_completed, templates
    FROM notification_settings WHERE organization_id = ${organizationId}`;
  const [row] = await retried(query, LIMITS.readDeadlineMs, 'reading the settings of notifications');
  if (!row) return { version: 0, ...DEFAULT_SETTINGS };
  const { version, templates, mailCreated: created, mailOnTheWay: onTheWay, mailCompleted: completed } = row;
  return { version, customerMail: { created, onTheWay, completed }, templates };
}

/** Writes the next version of the settings; no row when another version came between. */
export function putNotificationSettings(
  sql: Sql,
  organizationId: number,
  { version, customerMail, templates }: KnownSettings,
  now: string,
): Fragment {
  const { created, onTheWay, completed } = customerMail;
  return sql`
    INSERT INTO notification_settings AS s
      (organization_id, version, mail_created, mail_on_the_way, mail_completed, templates, updated_at)
    VALUES (${organizationId}, ${version}, ${created}, ${onTheWay}, ${completed},
      ${JSON.stringify(templates)}::text::json, ${now})
    ON CONFLICT (organization_id) DO UPDATE SET version = excluded.version, mail_created = excluded.mail_created,
      mail_on_the_way = excluded.mail_on_the_way, mail_completed = excluded.mail_completed,
      templates = excluded.templates, updated_at = excluded.updated_at
    WHERE s.version = excluded.version - 1
    RETURNING organization_id`;
}
