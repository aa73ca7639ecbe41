/**
 * The mark that distinguishes one published event from another, at any place of the task's name in its JSON: the
 * publisher, the event's number at this publisher, and its due time, in microseconds of the monotonic clock that all
 * processes of a machine share. Every mark has the same length.
 */
export interface Stamp {
  readonly publisher: number;
  readonly number: number;
  readonly dueMicros: number;
}

const PUBLISHER_DIGITS = 2;
const NUMBER_DIGITS = 8;
const MICROS_DIGITS = 16;
const NUMBER_AT = PUBLISHER_DIGITS + 1;
const MICROS_AT = NUMBER_AT + NUMBER_DIGITS + 1;

/** The text before the digits, in the JSON of a task. */
export const STAMP_BEGINS = Buffer.from('"name":"fanout ');
export const STAMP_DIGITS = MICROS_AT + MICROS_DIGITS;

/** As a task's name. */
export function nameOf({ publisher, number, dueMicros }: Stamp): string {
  const digits = (value: number, count: number) => String(Math.round(value)).padStart(count, '0');
  return `fanout ${digits(publisher, PUBLISHER_DIGITS)} ${digits(number, NUMBER_DIGITS)} ${digits(dueMicros, MICROS_DIGITS)}`;
}

/** As long as any stamp, but not a stamp: it starts differently. */
export const STAND_IN_NAME = 'x'.repeat(nameOf({ publisher: 0, number: 0, dueMicros: 0 }).length);

/** The digits stand at `at`, right behind `STAMP_BEGINS`. */
export function readStamp(bytes: Uint8Array, at: number): Stamp {
  return {
    publisher: readDigits(bytes, at, PUBLISHER_DIGITS),
    number: readDigits(bytes, at + NUMBER_AT, NUMBER_DIGITS),
    dueMicros: readDigits(bytes, at + MICROS_AT, MICROS_DIGITS),
  };
}

export function monotonicMicros(): number {
  return Number(process.hrtime.bigint() / 1_000n);
}

function readDigits(bytes: Uint8Array, at: number, count: number): number {
  let value = 0;
  for (let index = at; index < at + count; index++) value = value * 10 + bytes[index]! - 48;
  return value;
}
