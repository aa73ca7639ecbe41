import type { ComponentChildren, JSX } from 'preact';
import { Icon, type IconName } from './icon.tsx';

interface ButtonProps {
  readonly children?: ComponentChildren;
  readonly icon?: IconName;
  /** Its name where it shows an icon alone. */
  readonly label?: string;
  readonly kind?: 'main' | 'plain' | 'quiet' | 'danger';
  readonly type?: 'button' | 'submit';
  readonly busy?: boolean;
  readonly disabled?: boolean;
  readonly pressed?: boolean;
  readonly onClick?: (event: MouseEvent) => void;
}

export function Button({
  children,
  icon,
  label,
  kind = 'plain',
  type = 'button',
  busy,
  disabled,
  pressed,
  onClick,
}: ButtonProps) {
  return (
    <button
      type={type}
      class={`button ${kind}${children ? '' : ' square'}`}
      aria-label={label}
      title={label}
      aria-pressed={pressed}
      aria-busy={busy}
      disabled={disabled}
      // The browser would send the form of a busy button again.
      onClick={(event) => (busy ? event.preventDefault() : onClick?.(event))}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

interface FieldProps {
  readonly label: string;
  readonly error?: string | null | undefined;
  readonly hint?: string;
  readonly children: (props: {
    id: string;
    'aria-describedby': string | undefined;
    'aria-invalid': boolean;
  }) => JSX.Element;
  readonly id: string;
}

/** A labelled control with its hint or its fault below. */
export function Field({ label, error, hint, children, id }: FieldProps) {
  const note = error ?? hint;
  return (
    <div class={error ? 'field wrong' : 'field'}>
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': note ? `${id}-note` : undefined, 'aria-invalid': Boolean(error) })}
      {note && (
        <p id={`${id}-note`} role={error ? 'alert' : undefined}>
          {note}
        </p>
      )}
    </div>
  );
}

export function Toggle({
  on,
  children,
  onChange,
}: {
  readonly on: boolean;
  readonly children: ComponentChildren;
  readonly onChange: (on: boolean) => void;
}) {
  return (
    <button type="button" class="toggle" aria-pressed={on} onClick={() => onChange(!on)}>
      {children}
    </button>
  );
}

/** An empty place: its future content, and the one action that fills it. */
export function Empty({
  title,
  children,
  action,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly action?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      <p>{children}</p>
      {action}
    </div>
  );
}
