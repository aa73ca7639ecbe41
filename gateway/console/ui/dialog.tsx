import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { text } from '../text/english.ts';
import { Button } from './controls.tsx';

/** A question over the page. The browser keeps the focus inside, and the opener has it again afterwards. */
export function Dialog({
  title,
  isWide = false,
  children,
  onClose,
}: {
  readonly title: string;
  /** It has room for a table. */
  readonly isWide?: boolean;
  readonly children: ComponentChildren;
  readonly onClose: () => void;
}) {
  const element = useRef<HTMLDialogElement>(null);
  // Before the page is painted: a key that is pressed then, such as Escape, is for the question already.
  useLayoutEffect(() => {
    const opener = isFocusNowhere() ? lastOpener : document.activeElement;
    element.current!.showModal();
    return () => {
      lastOpener = opener;
      queueMicrotask(giveFocusBack);
    };
  }, []);
  return (
    <dialog ref={element} class={isWide ? 'wide' : ''} aria-label={title} onClose={onClose}>
      <header>
        <h2>{title}</h2>
        <Button kind="quiet" icon="close" label={text.panel.close} onClick={onClose} />
      </header>
      {children}
    </dialog>
  );
}

/** The opener of a dialog that has just been taken out of the page: one that comes in its place has the same. */
let lastOpener: Element | null = null;

function isFocusNowhere(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

/** A browser gives it back when a dialog closes, and not when one is taken out of the page. */
function giveFocusBack(): void {
  if (isFocusNowhere() && lastOpener instanceof HTMLElement && lastOpener.isConnected) lastOpener.focus();
  lastOpener = null;
}
