import { ofUser } from '../page/of-user.ts';
import { Icon } from './icon.tsx';

interface Toast {
  readonly id: number;
  readonly words: string;
  readonly kind: 'note' | 'fault';
  readonly action: Action | undefined;
}

/** An offer beside the words of a toast. */
interface Action {
  readonly label: string;
  readonly act: () => void;
}

const SHOWN_MS = 6_000;
const toasts = ofUser<readonly Toast[]>([]);
let last = 0;

/** Says something in passing. A fault stays until it is closed. */
export function say(words: string, kind: Toast['kind'] = 'note', action?: Action): void {
  last += 1;
  const id = last;
  toasts.value = [...toasts.value.filter((toast) => toast.words !== words), { id, words, kind, action }];
  if (kind === 'note') setTimeout(() => dismiss(id), SHOWN_MS);
}

function dismiss(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

export function Toasts({ closeLabel }: { readonly closeLabel: string }) {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, words, kind, action }) => (
        <p key={id} class={`toast ${kind}`}>
          {words}
          {action && (
            <button
              type="button"
              class="button plain undo"
              onClick={() => {
                dismiss(id);
                action.act();
              }}
            >
              {action.label}
            </button>
          )}
          <button type="button" class="button quiet square" aria-label={closeLabel} onClick={() => dismiss(id)}>
            <Icon name="close" />
          </button>
        </p>
      ))}
    </div>
  );
}
