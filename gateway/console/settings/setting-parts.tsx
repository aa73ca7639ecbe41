import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { settingsText } from '../text/english-settings.ts';
import { Button } from '../ui/controls.tsx';
import { say } from '../ui/toasts.tsx';

/** Stands where a record will be, and says why when it does not come. */
export function Waiting({
  problem,
  reload,
}: {
  readonly problem: string | null;
  readonly reload: () => Promise<void>;
}) {
  if (problem === null) return <p class="say">{settingsText.loading}</p>;
  return (
    <div class="say" role="alert">
      <p>{problem}</p>
      <Button onClick={() => void reload()}>{settingsText.retry}</Button>
    </div>
  );
}

interface SettingProps {
  readonly id: string;
  readonly label: string;
  readonly hint: string;
  readonly error?: string | undefined;
  readonly children: ComponentChildren;
}

/** A setting with a plain explanation: its control describes itself by `<id>-hint`. */
export function Setting({ id, label, hint, error, children }: SettingProps) {
  return (
    <div class={`setting ${error === undefined ? '' : 'wrong'}`}>
      <label for={id}>{label}</label>
      <p id={`${id}-hint`}>{error ?? hint}</p>
      <div class="control">{children}</div>
    </div>
  );
}

interface SaveBarProps {
  readonly isChanged: boolean;
  readonly isBusy: boolean;
  readonly problem: string | null;
  readonly onUndo: () => void;
}

/** Appears with the first change. A refusal stands beside the button, and what was typed stays. */
export function SaveBar({ isChanged, isBusy, problem, onUndo }: SaveBarProps) {
  if (!isChanged) return null;
  return (
    <div class="save-bar">
      {problem !== null && (
        <p class="late-text" role="alert">
          {problem}
        </p>
      )}
      <Button kind="quiet" disabled={isBusy} onClick={onUndo}>
        {settingsText.undo}
      </Button>
      <Button kind="main" type="submit" busy={isBusy}>
        {isBusy ? settingsText.saving : settingsText.save}
      </Button>
    </div>
  );
}

/** A secret or a link, to be copied. */
export function Copied({ label, value }: { readonly label: string; readonly value: string }) {
  const field = useRef<HTMLInputElement>(null);
  async function copy(): Promise<void> {
    field.current!.select();
    // Pages without HTTPS have no clipboard: the text is selected, for the keyboard.
    if (!navigator.clipboard) return;
    await navigator.clipboard.writeText(value);
    say(settingsText.copied);
  }
  return (
    <div class="copied">
      <input ref={field} readOnly value={value} aria-label={label} dir="ltr" />
      <Button onClick={() => void copy()}>{settingsText.copy}</Button>
    </div>
  );
}
