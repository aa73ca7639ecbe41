import { useRef } from 'preact/hooks';
import { isCutOff } from '../page/state.ts';
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
  if (isCutOff.value) return <p class="say">{settingsText.cutOff}</p>;
  if (problem === null) return <p class="say">{settingsText.loading}</p>;
  return (
    <div class="say" role="alert">
      <p>{problem}</p>
      <Button onClick={() => void reload()}>{settingsText.retry}</Button>
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
