import { may } from '../page/link.ts';
import type { settingsText } from '../text/english-settings.ts';

export type Section = keyof typeof settingsText.sections;

/** With the permission to see each. */
const SECTIONS: Readonly<Record<Section, string>> = {
  organization: 'organization:read',
  assignment: 'organization:read',
  people: 'users',
  channels: 'channels',
  webhooks: 'webhooks:read',
  mails: 'notifications',
  audit: 'audit',
};

/** The sections that the user may see. */
export function sectionsShown(): Section[] {
  return (Object.keys(SECTIONS) as Section[]).filter((name) => may(SECTIONS[name]));
}
