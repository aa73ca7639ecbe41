import { parsePhoneNumberFromString } from 'libphonenumber-js';
import { LIMITS } from '../limits.ts';
import { isStorableText } from './fields.ts';

/** A phone number taken apart. */
export interface Phone {
  readonly e164: string;
  /** With the leading +. */
  readonly countryCode: string;
  /** The national part only. */
  readonly number: string;
}

/** A phone number as a text has it. */
interface WrittenPhone {
  readonly phone: Phone;
  /** Whether an extension stands behind the number, which is no part of `phone`. */
  readonly hasExtension: boolean;
}

const MAX_CHARS = 64;
/** Parsing costs more than everything else in a request, and integrators send the same numbers again and again. */
const cache = new Map<string, WrittenPhone>();

/** A possible number with its country code, or undefined. An extension behind it is left out. */
export function parsePhone(text: string): Phone | undefined {
  return readPhone(text)?.phone;
}

/** The same, with what `Phone` leaves out. */
export function readPhone(text: string): WrittenPhone | undefined {
  const known = cache.get(text);
  if (known) return known;
  if (text.length > MAX_CHARS || !isStorableText(text)) return undefined;
  const parsed = parsePhoneNumberFromString(text);
  if (!parsed?.isPossible()) return undefined;
  const written: WrittenPhone = {
    phone: {
      e164: parsed.number,
      countryCode: `+${parsed.countryCallingCode}`,
      number: parsed.nationalNumber,
    },
    hasExtension: parsed.ext !== undefined,
  };
  if (cache.size >= LIMITS.phoneCacheEntries) cache.clear();
  cache.set(text, written);
  return written;
}
