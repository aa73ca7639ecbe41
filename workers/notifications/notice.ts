import { isStillExpected } from '../../engine/domain/shown-time.ts';
import { localTimeIn } from '../../engine/views/parts/local-time.ts';
import type { Letterhead } from '../../schema/accounts/letterhead.ts';
import type { NoticeKind, PushPlatform } from '../../schema/notices/notification.ts';

export interface Push {
  readonly noticeId: string;
  readonly title: string;
  readonly body: string;
  readonly data: Readonly<Record<string, string>>;
  /** The time after which a delivery is of no use. */
  readonly ttlSeconds: number;
  readonly urgency: 'high' | 'normal';
  /** A device shows only the later one of two pushes with one key: a second try is no second notice. */
  readonly collapseKey: string;
}

export type SendOutcome =
  | { readonly kind: 'sent' }
  /** The device's token is of no use any more. */
  | { readonly kind: 'gone'; readonly reason: string }
  | { readonly kind: 'later'; readonly afterMs?: number; readonly reason: string }
  | { readonly kind: 'refused'; readonly reason: string };

export interface Device {
  readonly platform: PushPlatform;
  readonly token: string;
}

export interface PushSender {
  /** Never rejects for what a service answers; for what it does not answer the outcome is `later`. */
  send(device: Device, push: Push, signal: AbortSignal): Promise<SendOutcome>;
  stop(): Promise<void>;
}

/** The subject of a notice, read when it is sent. */
export interface NoticeFacts {
  readonly kind: NoticeKind;
  readonly letterhead: Letterhead;
  readonly task: {
    readonly id: number;
    readonly code: string;
    readonly name: string;
    readonly status: string;
    readonly trackingUrl: string | null;
    readonly timeWindowStart: string | null;
    readonly timeWindowEnd: string | null;
    readonly address: string | null;
    /** When the courier is expected there. */
    readonly etaAt: string | null;
  };
  readonly customerName: string | null;
  /** When it is sent; ISO 8601. */
  readonly now: string;
}

/** `22 Nov 2026, 14:00–16:00 CET`; undefined for a task without times. The date is always there: nobody knows when it is read. */
export function windowText({ letterhead, task }: Pick<NoticeFacts, 'letterhead' | 'task'>): string | undefined {
  const { timeWindowStart: start, timeWindowEnd: end } = task;
  return localTimeIn(letterhead.timeZone).zonedWindow({ start, end });
}

/** `22 Nov 2026, 14:20 CET`; undefined while nobody knows when the courier comes, as on the tracking page. */
export function etaText({ letterhead, now, task: { etaAt } }: NoticeFacts): string | undefined {
  return etaAt !== null && isStillExpected(etaAt, now)
    ? localTimeIn(letterhead.timeZone).zonedMoment(etaAt)
    : undefined;
}
