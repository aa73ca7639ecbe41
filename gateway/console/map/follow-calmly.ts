import { effect, type ReadonlySignal, signal } from '@preact/signals';
import type { Map as GlMap } from 'maplibre-gl';

/**
 * The map follows the panel, and does not come before it: without a graphics card one drawing takes some hundred
 * milliseconds, in which the panel could not be painted. Of tasks that are stepped through it shows the last one.
 */
const BEHIND_MS = 120;

/** The value that a signal has held for a moment. */
export function settled<Value>(source: ReadonlySignal<Value>): { readonly value: ReadonlySignal<Value>; stop(): void } {
  const value = signal(source.peek());
  const stop = effect(() => {
    const now = source.value;
    const timer = setTimeout(() => {
      value.value = now;
    }, BEHIND_MS);
    return () => clearTimeout(timer);
  });
  return { value, stop };
}

/** Keeps the map as large as its element. */
export function keepSize(map: GlMap): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const observer = new ResizeObserver(() => {
    clearTimeout(timer);
    timer = setTimeout(() => map.resize(), BEHIND_MS);
  });
  observer.observe(map.getContainer());
  return () => {
    clearTimeout(timer);
    observer.disconnect();
  };
}
