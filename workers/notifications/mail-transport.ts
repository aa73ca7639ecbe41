import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { type Clock, isoTime, systemScheduler } from '../../engine/runtime/clock.ts';
import { CROCKFORD_BASE32, type RandomSource } from '../../engine/runtime/random.ts';
import type { TokenPurpose } from '../../schema/accounts/session.ts';
import { LIMITS } from '../../schema/limits.ts';

export interface MailText {
  readonly subject: string;
  readonly text: string;
}

export interface Mail extends MailText {
  /** The addressee's organization; 0 for a super admin. */
  readonly organizationId: number;
  readonly purpose: TokenPurpose | 'webhook_disabled' | 'tracking';
  readonly to: string;
  /** The same content as HTML. */
  readonly html?: string;
  /** The same on every attempt, so that a reader of two copies may know; of letters, digits, `-` and `_`. */
  readonly id?: string;
}

/** Takes a mail over, or rejects. */
export type SendMail = (mail: Mail) => Promise<void>;

interface TransportOptions {
  /** `smtp://` or `smtps://`, with credentials in it; without it mails become files. */
  readonly smtpUrl: string | undefined;
  readonly from: string;
  /** Where they become files. */
  readonly outbox: string;
  readonly clock: Clock;
  readonly random: RandomSource;
  /** Those of LIMITS, by default. */
  readonly waits?: MailWaits;
}

export interface MailWaits {
  /** Until the server has the whole of a mail. */
  readonly handOverMs: number;
  /** For the answer then, to a mail and to one for a customer. */
  readonly answerMs: number;
  readonly customerAnswerMs: number;
}

const WAITS: MailWaits = {
  handOverMs: LIMITS.mailHandOverMs,
  answerMs: LIMITS.mailAnswerMs,
  customerAnswerMs: LIMITS.noticeMailAnswerMs,
};

/** Over SMTP, or where no server is set, into the outbox. */
export function createMailTransport(options: TransportOptions): SendMail {
  const { from, smtpUrl, waits = WAITS } = options;
  return smtpUrl ? overSmtp(from, smtpUrl, waits) : toOutbox(options);
}

/** The server had the whole of a mail and did not say what happened to it: it may have arrived. */
export class NoAnswerError extends Error {}

/** Answers of the server to this mail that no other try will change; of anything else it is not known. */
export function isRefusedForGood(error: unknown): boolean {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
  const isOfMail = code === 'EENVELOPE' || code === 'EMESSAGE';
  return isOfMail && typeof responseCode === 'number' && responseCode >= 500;
}

/** The parts of every mail besides its words; nothing is ever fetched for one. */
const ENVELOPE = {
  headers: { 'Auto-Submitted': 'auto-generated' },
  disableFileAccess: true,
  disableUrlAccess: true,
} as const;

function overSmtp(from: string, smtpUrl: string, waits: MailWaits): SendMail {
  return async (mail) => {
    const conversation = new AbortController();
    const giveUp = () => conversation.abort();
    let isHandedOver = false;
    let cancel = systemScheduler.after(waits.handOverMs, giveUp);
    const handedOver = () => {
      isHandedOver = true;
      cancel();
      const answerMs = mail.purpose === 'tracking' ? waits.customerAnswerMs : waits.answerMs;
      cancel = systemScheduler.after(answerMs, giveUp);
    };
    try {
      const transport = createTransport({ ...connectionTo(smtpUrl, waits), logger: loggerThatTells(handedOver) });
      await transport.sendMail({ ...messageOf(mail, from), signal: conversation.signal });
    } catch (error) {
      if (!isHandedOver || isRefusal(error)) throw error;
      throw new NoAnswerError('the mail server had the mail and gave no answer', { cause: error });
    } finally {
      cancel();
    }
  };
}

function connectionTo(url: string, { handOverMs, answerMs }: MailWaits) {
  return {
    url,
    dnsTimeout: LIMITS.mailTimeoutMs,
    connectionTimeout: LIMITS.mailTimeoutMs,
    greetingTimeout: LIMITS.mailTimeoutMs,
    // Behind the waits, which tell the time before the end of the mail from the time after it.
    socketTimeout: 2 * Math.max(handOverMs, answerMs),
  };
}

/** Nodemailer's log alone tells when all of a mail is written: an entry of its size. */
function loggerThatTells(handedOver: () => void) {
  return {
    info({ tnx, outByteCount }: { tnx?: string; outByteCount?: number }) {
      if (tnx === 'message' && outByteCount !== undefined) handedOver();
    },
  };
}

function isRefusal(error: unknown): boolean {
  const { responseCode } = error as { responseCode?: unknown };
  return typeof responseCode === 'number' && responseCode >= 400 && responseCode < 600;
}

function messageOf({ to, subject, text, html, id }: Mail, from: string) {
  const messageId = id === undefined ? {} : { messageId: `<${id}@${from.slice(from.lastIndexOf('@') + 1)}>` };
  // Programs for mails decode what looks like an encoded word (RFC 2047): a name could say there what no line may.
  const plain = subject.replaceAll('=?', '=\u2060?');
  return { ...ENVELOPE, from, to, subject: plain, text, ...(html === undefined ? {} : { html }), ...messageId };
}

function toOutbox({ from, outbox, clock, random }: TransportOptions): SendMail {
  const transport = createTransport({ streamTransport: true, buffer: true });
  return async (mail) => {
    const { organizationId, purpose } = mail;
    const { message } = await transport.sendMail(messageOf(mail, from));
    await mkdir(outbox, { recursive: true, mode: 0o700 });
    const at = isoTime(clock.now()).replace(/[-:.]/g, '');
    const name = `${at}-${organizationId}-${purpose}-${random.text(6, CROCKFORD_BASE32)}.eml`;
    // Under its own name only once it is whole.
    const draft = join(outbox, `.${name}`);
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(message as Buffer);
    } finally {
      await file.close();
    }
    await rename(draft, join(outbox, name));
    await removeOldest(outbox);
  };
}

/** Names begin with the time. */
async function removeOldest(outbox: string): Promise<void> {
  const names = (await readdir(outbox)).filter((name) => name.endsWith('.eml') && !name.startsWith('.')).sort();
  const surplus = names.slice(0, Math.max(0, names.length - LIMITS.outboxFiles));
  await Promise.all(surplus.map((name) => rm(join(outbox, name), { force: true })));
}

/** Removes the files with mails to users of an organization; returns how many those were. */
export async function removeMailsTo(organizationId: number, outbox: string): Promise<number> {
  const names = await readdir(outbox).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  // A draft that a crash left over has the name behind a dot.
  const theirs = names.filter((name) => name.replace(/^\./, '').split('-')[1] === String(organizationId));
  await Promise.all(theirs.map((name) => rm(join(outbox, name), { force: true })));
  return theirs.length;
}
