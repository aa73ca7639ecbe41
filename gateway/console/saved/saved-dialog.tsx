import { useState } from 'preact/hooks';
import { closeDialog } from '../actions/dialog-state.ts';
import { couriers } from '../page/link.ts';
import { go, listQuery, savedView } from '../page/state.ts';
import { savedText as words } from '../text/english-saved.ts';
import { Button, Field } from '../ui/controls.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { filterWords } from './filter-words.ts';
import { deleteView, openView, renameView, savedViews, saveView } from './saved-state.ts';
import { MOST_VIEWS, type SavedView } from './saved-views.ts';

const NAME_CHARS = 60;

/** Opens, renames and deletes the saved views, and saves the list as it is. */
export function SavedDialog() {
  const [renaming, setRenaming] = useState<string | null>(null);
  const [deleted, setDeleted] = useState<{ readonly name: string; readonly undo: () => void } | null>(null);
  const views = savedViews.value;
  return (
    <Dialog title={words.title} onClose={closeDialog}>
      {views.length === 0 && <p class="say">{words.empty}</p>}
      {views.length > 0 && (
        <ul class="saved-views">
          {views.map((view) => (
            <li key={view.name}>
              {renaming === view.name ? (
                <Rename name={view.name} onDone={() => setRenaming(null)} />
              ) : (
                <View
                  view={view}
                  onRename={() => setRenaming(view.name)}
                  onDelete={() => setDeleted({ name: view.name, undo: deleteView(view.name) })}
                />
              )}
            </li>
          ))}
        </ul>
      )}
      {deleted && (
        <p class="saved-deleted" role="status">
          {words.deleted(deleted.name)}
          <Button
            onClick={() => {
              deleted.undo();
              setDeleted(null);
            }}
          >
            {words.undo}
          </Button>
        </p>
      )}
      <Save isFirst={views.length === 0} />
      <p class="soft">{words.kept}</p>
    </Dialog>
  );
}

interface ViewProps {
  readonly view: SavedView;
  readonly onRename: () => void;
  readonly onDelete: () => void;
}

function View({ view: { name, filter }, onRename, onDelete }: ViewProps) {
  const open = () => {
    closeDialog();
    go('map');
    openView(name);
  };
  return (
    <>
      <button
        type="button"
        class="saved-view"
        aria-current={savedView.value === name ? 'true' : undefined}
        onClick={open}
      >
        <strong dir="auto">{name}</strong>
        <span class="soft">{filterWords(filter, couriers.value)}</span>
      </button>
      <Button kind="quiet" icon="edit" label={words.rename(name)} onClick={onRename} />
      <Button kind="quiet" icon="close" label={words.remove(name)} onClick={onDelete} />
    </>
  );
}

function Rename({ name, onDone }: { readonly name: string; readonly onDone: () => void }) {
  const [typed, setTyped] = useState(name);
  const to = typed.trim();
  const isTaken = to !== name && savedViews.value.some((view) => view.name === to);
  const submit = (event: Event) => {
    event.preventDefault();
    if (isTaken) return;
    if (to !== name) renameView(name, to);
    onDone();
  };
  return (
    <form class="saved-form" onSubmit={submit}>
      <Field id="saved-rename" label={words.newName(name)} error={isTaken ? words.taken : null}>
        {(props) => (
          <input
            {...props}
            required
            autofocus
            dir="auto"
            maxLength={NAME_CHARS}
            value={typed}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        )}
      </Field>
      <Button type="submit">{words.keepName}</Button>
    </form>
  );
}

/** The first view is what a person has come to save, so its name has the focus. */
function Save({ isFirst }: { readonly isFirst: boolean }) {
  const [typed, setTyped] = useState('');
  const name = typed.trim();
  const isKnown = savedViews.value.some((view) => view.name === name);
  const isFull = savedViews.value.length >= MOST_VIEWS && !isKnown;
  const submit = (event: Event) => {
    event.preventDefault();
    if (name === '' || isFull) return;
    saveView(name);
    closeDialog();
  };
  return (
    <form class="saved-form" onSubmit={submit}>
      <Field
        id="saved-name"
        label={words.save}
        hint={filterWords(listQuery.value, couriers.value)}
        error={isFull && name !== '' ? words.many(MOST_VIEWS) : null}
      >
        {(props) => (
          <input
            {...props}
            required
            autofocus={isFirst}
            dir="auto"
            maxLength={NAME_CHARS}
            placeholder={words.name}
            value={typed}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        )}
      </Field>
      <Button type="submit" kind="main">
        {isKnown ? words.replace : words.submit}
      </Button>
    </form>
  );
}
