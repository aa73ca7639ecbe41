const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });

interface Window {
  /** ISO 8601. */
  readonly timeWindowStart: string | null;
  readonly timeWindowEnd: string | null;
}

/** `22 Nov 2026, 14:00–16:00 UTC`; undefined for a task without times. */
export function windowText({ timeWindowStart: start, timeWindowEnd: end }: Window): string | undefined {
  if (start && end) {
    const last = dayOf(start) === dayOf(end) ? hourOf(end) : `${dayOf(end)}, ${hourOf(end)}`;
    return `${dayOf(start)}, ${hourOf(start)}–${last} UTC`;
  }
  if (start) return `from ${dayOf(start)}, ${hourOf(start)} UTC`;
  return end ? `by ${dayOf(end)}, ${hourOf(end)} UTC` : undefined;
}

const dayOf = (iso: string) => DAY.format(Date.parse(iso));
const hourOf = (iso: string) => iso.slice(11, 16);
