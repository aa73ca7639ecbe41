import type { Letterhead } from '../../schema/accounts/letterhead.ts';
import { LIMITS } from '../../schema/limits.ts';
import { oneLine } from './one-line.ts';

/** Whose mail it is, and the ways to reach them: `: +44 20 7946 0000, help@example.com`. */
export interface SenderLines {
  readonly name: string;
  readonly ways: string;
}

export function senderLinesOf({ name, contact }: Letterhead): SenderLines {
  const ways = [contact.phone, contact.email].filter((way) => way !== null);
  return {
    name: namePart(name),
    ways: ways.length > 0 ? `: ${ways.map((way) => oneLine(way, LIMITS.mailValueChars)).join(', ')}` : '',
  };
}

/** A name as a part of a line of a mail. */
export function namePart(name: string): string {
  return unlinked(oneLine(name, LIMITS.mailValueChars));
}

/** Programs that show mails make links of what looks like an address: nobody is to send theirs through us as a name. */
function unlinked(text: string): string {
  return text.replace(/(?<=\S)(?:[.@](?=\p{L})|:\/\/)/gu, '$&\u200b');
}
