const formats = new Map<string, Intl.DateTimeFormat>();

/** The last midnight of a zone before `nowMs`, in milliseconds since the epoch. */
export function midnightMs(nowMs: number, timeZone: string): number {
  let format = formats.get(timeZone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-GB', {
      timeZone,
      hourCycle: 'h23',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
    formats.set(timeZone, format);
  }
  const [hours, minutes, seconds] = format.format(nowMs).split(':').map(Number) as [number, number, number];
  return Math.floor(nowMs / 1_000) * 1_000 - (hours * 3_600 + minutes * 60 + seconds) * 1_000;
}
