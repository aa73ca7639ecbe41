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

const MAX_CHARS = 64;
/** Parsing costs more than everything else in a request, and integrators send the same numbers again and again. */
const cache = new Map<string, Phone>();

/** A possible number with its country code, or undefined. */
export function parsePhone(text: string): Phone | undefined {
  const known = cache.get(text);
  if (known) return known;
  if (text.length > MAX_CHARS || !isStorableText(text)) return undefined;
  const parsed = parsePhoneNumberFromString(text);
  if (!parsed?.isPossible()) return undefined;
  const phone: Phone = {
    e164: parsed.number,
    countryCode: `+${parsed.countryCallingCode}`,
    number: parsed.nationalNumber,
  };
  if (cache.size >= LIMITS.phoneCacheEntries) cache.clear();
  cache.set(text, phone);
  return phone;
}
