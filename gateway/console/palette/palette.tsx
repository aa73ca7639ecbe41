import { useState } from 'preact/hooks';
import {
  askForCourier,
  askToCancel,
  attemptAgain,
  beginTask,
  closeDialog,
  dialog,
  editTask,
  takeBack,
} from '../actions/dialog-state.ts';
import { targets } from '../actions/selection.ts';
import { couriers, may } from '../page/link.ts';
import { changeList, courierId, go, NO_LIST_FILTER, section, taskId, type View } from '../page/state.ts';
import { sectionsShown } from '../settings/sections.ts';
import { text } from '../text/english.ts';
import { attention } from '../text/english-attention.ts';
import { paletteText as words } from '../text/english-palette.ts';
import { settingsText } from '../text/english-settings.ts';
import { Dialog } from '../ui/dialog.tsx';
import { type Command, commandsFor } from './palette-commands.ts';

const VIEWS: readonly (readonly [View, string, string])[] = [
  ['map', text.nav.map, 'g m'],
  ['board', text.nav.board, 'g b'],
  ['attention', attention.title, 'g a'],
  ['couriers', text.nav.couriers, 'g c'],
  ['settings', settingsText.title, 'g s'],
];

/** Everything that one may do and go to, by a few letters of its name. */
export function Palette() {
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const commands = commandsFor(allCommands(typed.trim()), typed);
  const chosen = Math.min(at, commands.length - 1);

  function run(command: Command | undefined): void {
    if (!command) return;
    closeDialog();
    command.run();
  }
  function move(event: KeyboardEvent): void {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by !== undefined) setAt(Math.max(0, Math.min(commands.length - 1, chosen + by)));
    else if (event.key === 'Enter') run(commands[chosen]);
    else return;
    event.preventDefault();
  }
  return (
    <Dialog title={words.title} onClose={closeDialog}>
      <input
        type="text"
        role="combobox"
        aria-label={words.title}
        aria-expanded="true"
        aria-controls="commands"
        aria-activedescendant={commands.length > 0 ? `command-${chosen}` : undefined}
        placeholder={words.hint}
        autofocus
        value={typed}
        onInput={({ currentTarget }) => {
          setTyped(currentTarget.value);
          setAt(0);
        }}
        onKeyDown={move}
      />
      <div class="choices" id="commands" role="listbox" aria-label={words.title} tabIndex={-1}>
        {commands.map((command, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys go to the field, which names the active one.
          <div
            key={`${command.kind} ${command.name}`}
            id={`command-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            class="choice"
            ref={(element) => {
              if (index === chosen) element?.scrollIntoView({ block: 'nearest' });
            }}
            onClick={() => run(command)}
          >
            <bdi>{command.name}</bdi>
            <span class="soft">{command.keys === '' ? command.kind : <kbd>{command.keys}</kbd>}</span>
          </div>
        ))}
      </div>
      {commands.length === 0 && <p class="say">{words.none}</p>}
    </Dialog>
  );
}

function allCommands(typed: string): Command[] {
  const { act, keys } = text;
  const ids = targets();
  const hasTask = ids.length > 0;
  const action = (name: string, key: string, isOffered: boolean, run: () => void): Command[] =>
    isOffered ? [{ name, kind: words.action, keys: key, run }] : [];
  const search = () => {
    go('map');
    changeList({ ...NO_LIST_FILTER, search: typed });
  };
  return [
    ...action(keys.create, 'n', may('tasks:create'), () => {
      go('map');
      beginTask();
    }),
    ...action(act.assign, 'a', hasTask && may('tasks:assign'), () => askForCourier(ids)),
    ...action(act.unassign, 'u', hasTask && may('tasks:assign'), () => takeBack(ids)),
    ...action(act.edit, 'e', taskId.value !== null && may('tasks:exceptions'), editTask),
    ...action(act.reattempt, 'y', taskId.value !== null && may('tasks:exceptions'), attemptAgain),
    ...action(act.cancel, 'c', hasTask && may('tasks:change'), () => askToCancel(ids)),
    ...VIEWS.map(([view, name, keys]) => ({ name, kind: words.view, keys, run: () => go(view) })),
    ...settingsCommands(),
    ...action(keys.help, '?', true, () => {
      dialog.value = { kind: 'keys' };
    }),
    ...couriers.value.map(({ id, name }) => ({
      name,
      kind: words.courier,
      keys: '',
      run: () => {
        go('couriers');
        courierId.value = id;
      },
    })),
    ...(typed === '' ? [] : [{ name: words.search(typed), kind: '', keys: '', isLast: true, run: search }]),
  ];
}

function settingsCommands(): Command[] {
  return sectionsShown().map((name) => ({
    name: settingsText.sections[name],
    kind: words.section,
    keys: '',
    run: () => {
      go('settings');
      section.value = name;
    },
  }));
}
