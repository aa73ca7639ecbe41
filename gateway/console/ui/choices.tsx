import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

interface Props<Choice> {
  /** The id of the list in the page. */
  readonly id: string;
  readonly label: string;
  readonly hint: string;
  readonly typed: string;
  readonly onType: (typed: string) => void;
  readonly choices: readonly Choice[];
  readonly keyOf: (choice: Choice) => string | number;
  readonly render: (choice: Choice) => ComponentChildren;
  readonly onChoose: (choice: Choice) => void;
  /** Said when nothing fits. */
  readonly none: string;
  /** Between the field and the list. */
  readonly children?: ComponentChildren;
}

/** A field to type in, and below it the choices that fit: arrows and Enter choose, and so does a click. */
export function Choices<Choice>(props: Props<Choice>) {
  const { id, label, hint, typed, onType, choices, keyOf, render, onChoose, none, children } = props;
  // The choice that the arrows went to stays chosen when others come before it; until then the first one is.
  const [wanted, want] = useState<string | number | null>(null);
  const chosen = Math.max(
    0,
    choices.findIndex((choice) => keyOf(choice) === wanted),
  );
  // Each patch draws the list again: a reader who has scrolled it on stays there.
  useEffect(() => {
    document.getElementById(`${id}-${chosen}`)?.scrollIntoView({ block: 'nearest' });
  }, [chosen, typed]);

  function move(event: KeyboardEvent): void {
    if (event.isComposing) return;
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const next = by === undefined ? undefined : choices[Math.max(0, Math.min(choices.length - 1, chosen + by))];
    if (next !== undefined) want(keyOf(next));
    else if (by !== undefined) return;
    else if (event.key !== 'Enter') return;
    else if (choices.length > 0) onChoose(choices[chosen]!);
    event.preventDefault();
  }

  return (
    <>
      <input
        type="text"
        role="combobox"
        aria-label={label}
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={choices.length > 0 ? `${id}-${chosen}` : undefined}
        placeholder={hint}
        autofocus
        value={typed}
        onInput={({ currentTarget }) => {
          onType(currentTarget.value);
          want(null);
        }}
        onKeyDown={move}
      />
      {children}
      <div class="choices" id={id} role="listbox" aria-label={label} tabIndex={-1}>
        {choices.map((choice, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys go to the field, which names the active one.
          <div
            key={keyOf(choice)}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            class="choice"
            onClick={() => onChoose(choice)}
          >
            {render(choice)}
          </div>
        ))}
      </div>
      {choices.length === 0 && <p class="say">{none}</p>}
    </>
  );
}
