import { useState } from 'preact/hooks';
import {
  askForCourier,
  askToCancel,
  attemptAgain,
  beginImport,
  beginTask,
  closeDialog,
  dialog,
  editTask,
  lookForCourier,
  takeBack,
} from '../actions/dialog-state.ts';
import { meansOpenTask, targets } from '../actions/selection.ts';
import { couriers, may } from '../page/link.ts';
import { courierId, go, NO_LIST_FILTER, section, showList, type View } from '../page/state.ts';
import { showViews } from '../saved/saved-chips.tsx';
import { openView, savedViews } from '../saved/saved-state.ts';
import { sectionsShown } from '../settings/sections.ts';
import { text } from '../text/english.ts';
import { attention } from '../text/english-attention.ts';
import { paletteText as words } from '../text/english-palette.ts';
import { savedText } from '../text/english-saved.ts';
import { settingsText } from '../text/english-settings.ts';
import { Choices } from '../ui/choices.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { type Command, commandsFor } from './palette-commands.ts';

const VIEWS: readonly (readonly [View, string, string])[] = [
  ['map', text.nav.map, 'g m'],
  ['board', text.nav.board, 'g b'],
  ['attention', attention.title, 'g a'],
  ['couriers', text.nav.couriers, 'g c'],
  ['charts', text.nav.charts, 'g h'],
  ['settings', settingsText.title, 'g s'],
];

/** Everything that one may do and go to, by a few letters of its name. */
export function Palette() {
  const [typed, setTyped] = useState('');
  const commands = commandsFor(allCommands(typed.trim()), typed);

  function run(command: Command): void {
    closeDialog();
    command.run();
  }

  return (
    <Dialog title={words.title} onClose={closeDialog}>
      <Choices
        id="commands"
        label={words.title}
        hint={words.hint}
        typed={typed}
        onType={setTyped}
        choices={commands}
        keyOf={({ id }) => id}
        render={({ name, kind, keys }) => (
          <>
            <bdi>{name}</bdi>
            <span class="soft">{keys === '' ? kind : <kbd>{keys}</kbd>}</span>
          </>
        )}
        onChoose={run}
        none={words.none}
      />
    </Dialog>
  );
}

function allCommands(typed: string): Command[] {
  const { act, keys } = text;
  const ids = targets();
  const hasTask = ids.length > 0;
  const action = (name: string, key: string, isOffered: boolean, run: () => void): Command[] =>
    isOffered ? [{ id: `key-${key}`, name, kind: words.action, keys: key, run }] : [];
  const search = () => showList({ ...NO_LIST_FILTER, search: typed });
  return [
    ...action(keys.create, 'n', may('tasks:create'), () => {
      go('map');
      beginTask();
    }),
    ...(may('tasks:create')
      ? [{ id: 'import', name: words.manyTasks, kind: words.action, keys: '', run: beginImport }]
      : []),
    ...action(act.assign, 'a', hasTask && may('tasks:assign'), () => askForCourier(ids)),
    ...action(act.look, 'f', hasTask && may('tasks:assign'), () => lookForCourier(ids)),
    ...action(act.unassign, 'u', hasTask && may('tasks:assign'), () => takeBack(ids)),
    ...action(act.edit, 'e', meansOpenTask() && may('tasks:exceptions'), editTask),
    ...action(act.reattempt, 'y', meansOpenTask() && may('tasks:exceptions'), attemptAgain),
    ...action(act.cancel, 'c', hasTask && may('tasks:change'), () => askToCancel(ids)),
    ...VIEWS.map(([view, name, keys]) => ({ id: view, name, kind: words.view, keys, run: () => go(view) })),
    ...savedViews.value.map(({ name }) => ({
      id: `saved-${name}`,
      name,
      kind: savedText.kind,
      keys: '',
      run: () => {
        go('map');
        openView(name);
      },
    })),
    { id: 'saved', name: savedText.title, kind: words.view, keys: '', run: showViews },
    ...settingsCommands(),
    ...action(keys.help, '?', true, () => {
      dialog.value = { kind: 'keys' };
    }),
    ...couriers.value.map(({ id, name }) => ({
      id: `courier-${id}`,
      name,
      kind: words.courier,
      keys: '',
      run: () => {
        go('couriers');
        courierId.value = id;
      },
    })),
    ...(typed === ''
      ? []
      : [{ id: 'search', name: words.search(typed), kind: '', keys: '', isLast: true, run: search }]),
  ];
}

function settingsCommands(): Command[] {
  return sectionsShown().map((name) => ({
    id: `section-${name}`,
    name: settingsText.sections[name],
    kind: words.section,
    keys: '',
    run: () => {
      go('settings');
      section.value = name;
    },
  }));
}
