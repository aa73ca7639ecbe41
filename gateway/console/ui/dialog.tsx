import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { text } from '../text/english.ts';
import { Button } from './controls.tsx';

/** A question over the page. The browser keeps the focus inside, and gives it back. */
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
  useEffect(() => {
    element.current!.showModal();
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
