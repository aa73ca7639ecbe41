/** A screen whose stream said nothing for this long asks whether anything was missed. */
const QUIET_MS = 3_000;
/** Without a sign of life for this long the screen no longer counts as true. */
const DOUBT_MS = 6_000;
/** An event that is committed is on its way: this long is enough for it to come. */
const CATCH_UP_MS = 1_500;
const BEAT_MS = 500;

interface Means {
  /** The place in the log that the service has reached. */
  readonly ask: () => Promise<number>;
  /** The place in the log that the screen has reached. */
  readonly reached: () => number;
  /** The screen shows what is committed now. */
  readonly onTrue: () => void;
  /** Nobody knows whether it does. */
  readonly onDoubt: () => void;
  /** The service is further than the stream, which says nothing: the connection is dead. */
  readonly onBehind: () => void;
}

/**
 * Finds out that a connection was lost in silence, as a black hole or a frozen gateway loses it: nothing ends, and the next
 * heartbeat is far away.
 */
export class Pulse {
  readonly #means: Means;
  #heardAt = performance.now();
  #isAsking = false;
  #timer: ReturnType<typeof setInterval>;

  constructor(means: Means) {
    this.#means = means;
    this.#timer = setInterval(() => this.#beat(), BEAT_MS);
  }

  /** The stream has said something. */
  hear(): void {
    this.#heardAt = performance.now();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #beat(): void {
    const silentMs = performance.now() - this.#heardAt;
    if (silentMs >= DOUBT_MS) this.#means.onDoubt();
    if (silentMs >= QUIET_MS && !this.#isAsking) void this.#ask();
  }

  async #ask(): Promise<void> {
    this.#isAsking = true;
    try {
      const place = await this.#means.ask();
      if (place > this.#means.reached()) {
        await new Promise((resolve) => setTimeout(resolve, CATCH_UP_MS));
        if (place > this.#means.reached()) return this.#means.onBehind();
      }
      this.hear();
      this.#means.onTrue();
    } catch {
      // No answer is what the doubt is about; `onDoubt` follows by the clock.
    } finally {
      this.#isAsking = false;
    }
  }
}
