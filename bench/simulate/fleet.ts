import type { AgentSession, Driver } from './driver.ts';

export interface FleetOptions {
  readonly drivers: readonly Driver[];
  /** Between two points of one agent. */
  readonly rateSeconds: number;
  /** Exchanges a session that is about to end. */
  readonly refresh: (session: AgentSession) => Promise<AgentSession>;
}

/** The interval of looks for due drivers: well below an interesting latency. */
const LOOK_MS = 5;
const RENEWAL_LOOK_MS = 5_000;
/** Before the access token ends: twice the longest wait for an answer, and more. */
const RENEW_BEFORE_MS = 120_000;
/** Sessions renewed in one look. */
const RENEWALS = 100;

/** Lets all drivers drive and report, evenly spread over the interval. `stop` ends it at once. */
export class Fleet {
  readonly #options: FleetOptions;
  readonly #timers: NodeJS.Timeout[];
  readonly #startedAt = performance.now();
  readonly #lastReports: Float64Array;
  readonly #renewing = new Set<Driver>();
  /** Reports so far; the next one is due at this many times the distance between two. */
  #reports = 0;
  #nextRenewal = 0;

  constructor(options: FleetOptions) {
    this.#options = options;
    this.#lastReports = new Float64Array(options.drivers.length).fill(this.#startedAt);
    this.#timers = [
      setInterval(() => this.#reportDue(), LOOK_MS),
      setInterval(() => this.#renewDue(), RENEWAL_LOOK_MS),
    ];
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer);
    for (const driver of this.#options.drivers) driver.close();
  }

  #reportDue(): void {
    const { drivers, rateSeconds } = this.#options;
    const now = performance.now();
    const due = Math.floor(((now - this.#startedAt) * drivers.length) / (rateSeconds * 1_000));
    // A look that comes late does not make up for the missed ones: each driver reports at most once in one look.
    this.#reports = Math.max(this.#reports, due - drivers.length);
    for (; this.#reports < due; this.#reports++) {
      const index = this.#reports % drivers.length;
      const driver = drivers[index]!;
      const at = performance.now();
      driver.traveller.advance((at - this.#lastReports[index]!) / 1_000);
      this.#lastReports[index] = at;
      driver.report(Date.now());
    }
  }

  #renewDue(): void {
    const { drivers, refresh } = this.#options;
    const most = Math.min(drivers.length, RENEWALS * 20);
    for (let looked = 0; looked < most && this.#renewing.size < RENEWALS; looked++) {
      const driver = drivers[this.#nextRenewal++ % drivers.length]!;
      if (driver.session.expiresAtMs - Date.now() > RENEW_BEFORE_MS || this.#renewing.has(driver)) continue;
      this.#renewing.add(driver);
      // The failure has been counted, and a later look tries again.
      driver
        .renew(refresh)
        .catch(() => {})
        .finally(() => this.#renewing.delete(driver));
    }
  }
}
