import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { session } from '../page/link.ts';
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
    return () => {
      lastOpener = opener;
      queueMicrotask(giveFocusBack);
    };
  }, []);
  // A modal dialog leaves nothing else to be used, not even the sign-in.
  const isAway = session.value.state !== 'signed-in';
  useLayoutEffect(() => {
    if (isAway) element.current!.close();
    else element.current!.showModal();
  }, [isAway]);
  const closed = () => {
    if (session.peek().state === 'signed-in') onClose();
  };
  return (
    <dialog ref={element} class={isWide ? 'wide' : ''} aria-label={title} onClose={closed}>
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
