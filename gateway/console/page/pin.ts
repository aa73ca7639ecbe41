import { signal } from '@preact/signals';
import type { TypedPlace } from './draft.ts';

/** A place on the map, in degrees. */
export interface Pin {
  readonly latitude: number;
  readonly longitude: number;
}

/** The form whose pin the next click on the map sets; null while none is open. */
export const pinTarget = signal<{ readonly pin: Pin | null; readonly set: (pin: Pin) => void } | null>(null);
/** On a phone the form makes room for the map until the pin is set. */
export const isPlacing = signal(false);

export const PIN = /^\s*(-?\d{1,2}(?:\.\d+)?)\s*,\s*(-?\d{1,3}(?:\.\d+)?)\s*$/;

/** The place in a text like `52.52, 13.405`; null where there is none. */
export function pinIn(typed: string): Pin | null {
  const match = PIN.exec(typed);
  if (!match) return null;
  const [latitude, longitude] = [Number(match[1]), Number(match[2])];
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? { latitude, longitude } : null;
}

/** Whether a place was changed to one that is nowhere: it cannot be sent, so it must not count as saved. */
export function isNowhere(before: TypedPlace, place: TypedPlace): boolean {
  const isChanged = (['address', 'pin'] as const).some((name) => place[name].trim() !== before[name].trim());
  return isChanged && pinIn(place.pin) === null;
}

/** The text of a pin is rounded: read back it is another place, and a task that moves loses its arrival and its ETA. */
export function wantedPin(before: TypedPlace, place: TypedPlace, own: Pin | null): Pin | null {
  return place.pin.trim() === before.pin.trim() ? own : pinIn(place.pin);
}

export function pinText({ latitude, longitude }: Pin): string {
  return `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`;
}
