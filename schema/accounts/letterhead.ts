import * as v from 'valibot';
import { email } from '../fields/fields.ts';
import { parsePhone } from '../fields/phone.ts';

/** How an organization shows itself to people: on pages, on receipts and in mails. */
export interface Letterhead {
  readonly name: string;
  /** IANA. The times that people read are in it. */
  readonly timeZone: string;
  readonly contact: Contact;
}

export interface Contact {
  /** As the organization writes it, with its country code. */
  readonly phone: string | null;
  readonly email: string | null;
}

/** The part of an organization that its letterhead is made of. */
export interface LetterheadSource {
  readonly name: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

const DEFAULT_TIME_ZONE = 'UTC';

/** Whether this process knows the zone. The data of Node is that of the release, so another one may know fewer. */
function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    // Newer releases take offsets as well, which are no zones.
    return !/^[+-]/.test(name);
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

const contactPhone = v.pipe(
  v.string('must be a string'),
  v.check((text) => parsePhone(text) !== undefined, 'must be a possible phone number with its country code'),
);

/** The settings that people see something of. */
export const letterheadSettings = {
  timeZone: v.nullish(
    v.pipe(
      v.string('must be a string'),
      v.check(isTimeZone, 'must be a time zone of the IANA database, such as Europe/Berlin'),
    ),
  ),
  contact: v.nullish(v.object({ phone: v.nullish(contactPhone), email: v.nullish(email) }, 'must be an object')),
};

/**
 * The letterhead of an organization. A setting that was stored before it had a meaning, and does not make sense, counts
 * as absent.
 */
export function letterheadOf({ name, settings }: LetterheadSource): Letterhead {
  const timeZone = v.safeParse(letterheadSettings.timeZone, settings['timeZone']);
  const contact = v.safeParse(letterheadSettings.contact, settings['contact']);
  const { phone, email } = (contact.success && contact.output) || {};
  return {
    name,
    timeZone: (timeZone.success && timeZone.output) || DEFAULT_TIME_ZONE,
    contact: { phone: phone ?? null, email: email ?? null },
  };
}
