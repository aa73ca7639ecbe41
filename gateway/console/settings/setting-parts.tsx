import type { ComponentChildren } from 'preact';
import { settingsText } from '../text/english-settings.ts';
import { Button } from '../ui/controls.tsx';

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
