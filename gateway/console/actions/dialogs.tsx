import { useState } from 'preact/hooks';
import { text } from '../text/english.ts';
import { Button, Field } from '../ui/controls.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { cancel, type Refusals } from './act.ts';
import { CourierPicker } from './courier-picker.tsx';
import { closeDialog, closeRefusals, dialog, shownRefusals } from './dialog-state.ts';
import { KEY_MAP } from './key-map.ts';
import { nameOfOne } from './selection.ts';
import { Away } from './selection-bar.tsx';

const { act: words } = text;

/** The dialog that is open, if any. */
export function Dialogs() {
  const open = dialog.value;
  const refused = shownRefusals.value;
  if (refused) return <RefusalsDialog key={refused.key} about={refused} />;
  if (open?.kind === 'courier') return <CourierPicker ids={open.ids} />;
  if (open?.kind === 'cancel') return <CancelDialog ids={open.ids} />;
  if (open?.kind === 'keys') return <KeysDialog />;
  return null;
}

function CancelDialog({ ids }: { readonly ids: readonly number[] }) {
  const [reason, setReason] = useState('');
  const submit = (event: Event) => {
    event.preventDefault();
    closeDialog();
    void cancel(ids, reason.trim());
  };
  return (
    <Dialog title={words.cancelTitle(ids.length, nameOfOne(ids))} onClose={closeDialog}>
      <form onSubmit={submit} class="stack">
        <Away ids={ids} />
        <Field id="cancel-reason" label={words.reason} hint={words.reasonHint}>
          {(props) => (
            <input
              {...props}
              autofocus
              maxLength={255}
              value={reason}
              onInput={({ currentTarget }) => setReason(currentTarget.value)}
            />
          )}
        </Field>
        <p class="row-end">
          <Button onClick={closeDialog}>{words.keep}</Button>
          <Button type="submit" kind="danger">
            {words.cancel}
          </Button>
        </p>
      </form>
    </Dialog>
  );
}

function RefusalsDialog({ about: { done, refused, fault, unconfirmed } }: { readonly about: Refusals }) {
  return (
    <Dialog title={words.outcome(done, refused.length, unconfirmed)} onClose={closeRefusals}>
      <ul class="outcome">
        {refused.map(({ taskId, words: why }) => (
          <li key={taskId}>
            <strong>{words.task(taskId)}</strong> {why}
          </li>
        ))}
        {fault !== null && (
          <li>
            <strong>{words.unconfirmed(unconfirmed)}</strong> {fault}
          </li>
        )}
      </ul>
      <p class="row-end">
        <Button kind="main" onClick={closeRefusals}>
          {text.panel.close}
        </Button>
      </p>
    </Dialog>
  );
}

function KeysDialog() {
  return (
    <Dialog title={text.keys.title} onClose={closeDialog}>
      <dl class="keys">
        {KEY_MAP.map(([keys, what]) => (
          <div key={what}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
