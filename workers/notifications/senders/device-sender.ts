import type { Push, SendOutcome } from '../notice.ts';

/** Sends to the devices of one kind; else as PushSender. */
export interface DeviceSender {
  send(token: string, push: Push, signal: AbortSignal): Promise<SendOutcome>;
  stop(): Promise<void>;
}
