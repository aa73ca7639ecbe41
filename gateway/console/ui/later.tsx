import { signal } from '@preact/signals';
import type { ComponentChildren, ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';

/**
 * A component whose program comes when it is first shown, so that the console is there sooner. `waiting` stands in its place until then,
 * and `lost` when the program cannot be loaded; the next time that it is shown it is asked for again.
 */
export function later(
  load: () => Promise<ComponentType>,
  waiting: () => ComponentChildren,
  lost: () => ComponentChildren,
): ComponentType {
  const loaded = signal<ComponentType | 'lost' | null>(null);
  return function Later() {
    useEffect(() => {
      if (loaded.peek() !== null && loaded.peek() !== 'lost') return;
      loaded.value = null;
      load().then(
        (component) => {
          loaded.value = component;
        },
        () => {
          loaded.value = 'lost';
        },
      );
    }, []);
    const Shown = loaded.value;
    if (Shown === null) return waiting();
    return Shown === 'lost' ? lost() : <Shown />;
  };
}
