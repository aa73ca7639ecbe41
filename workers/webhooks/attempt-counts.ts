import { Histogram, SHORT_SECONDS } from '../../engine/runtime/metrics/histogram.ts';
import type { SendOutcome } from './send-delivery.ts';

/** Attempts of this process since its start. */
export class AttemptCounts {
  readonly attempts = { success: 0, refused: 0, gone: 0, unreachable: 0 };
  readonly seconds = new Histogram(SHORT_SECONDS);

  ended({ isSuccess, isGone, status, error, durationMs }: SendOutcome): void {
    const isRefused = status !== null && (error === null || status < 200 || status >= 300);
    this.attempts[isSuccess ? 'success' : isGone ? 'gone' : isRefused ? 'refused' : 'unreachable'] += 1;
    this.seconds.observe(durationMs / 1_000);
  }
}
