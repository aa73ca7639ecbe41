/** A drawing that takes longer is one without a graphics card. */
const SLOW_MS = 40;
/** The map rests so many times as long as it draws. */
const REST_OF_DRAWING = 2;
const LONGEST_REST_MS = 1_500;
/** After a key the page is shown first: what a key asks for takes a moment to come. */
const CALM_MS = 250;
/** While somebody goes on typing, the map waits no longer than this. */
const LONGEST_CALM_MS = 1_500;
/** So long after it moved or was clicked, the map follows at once. */
const FOLLOW_MS = 300;

/**
 * When the map may draw. With a graphics card always; without one a drawing takes both time and cores, so that keys come
 * before pins. A map that a person moves or clicks follows at once. Times are in milliseconds.
 */
export class DrawPace {
  /** How long the last three drawings took. A page that was hidden or busy has seen one of them late. */
  #tookMs: readonly number[] = [0, 0, 0];
  #drawnAt = Number.NEGATIVE_INFINITY;
  #pressedAt = Number.NEGATIVE_INFINITY;
  #movedAt = Number.NEGATIVE_INFINITY;
  #wantedAt: number | undefined;

  /** How long a drawing takes. */
  get drawMs(): number {
    return [...this.#tookMs].sort((a, b) => a - b)[1]!;
  }

  get isSlow(): boolean {
    return this.drawMs > SLOW_MS;
  }

  /** Something has changed that the map shows. */
  want(now: number): void {
    this.#wantedAt ??= now;
  }

  begin(): void {
    this.#wantedAt = undefined;
  }

  end(now: number, tookMs: number): void {
    this.#drawnAt = now;
    this.#tookMs = [...this.#tookMs.slice(1), tookMs];
  }

  /** A key, or a click beside the map. */
  press(now: number): void {
    this.#pressedAt = now;
  }

  /** The map moves, or a person does something on it. */
  move(now: number): void {
    this.#movedAt = now;
  }

  dueAt(now: number): number {
    if (!this.isSlow || now - this.#movedAt < FOLLOW_MS) return now;
    const restedAt = this.#drawnAt + Math.min(LONGEST_REST_MS, REST_OF_DRAWING * this.drawMs);
    const calmAt = Math.min(this.#pressedAt + CALM_MS, (this.#wantedAt ?? now) + LONGEST_CALM_MS);
    return Math.max(now, restedAt, calmAt);
  }
}
