import { dialog } from '../actions/dialog-state.ts';
import { changeList, NO_LIST_FILTER, savedView } from '../page/state.ts';
import { savedText as words } from '../text/english-saved.ts';
import { Button, Toggle } from '../ui/controls.tsx';
import { openView, savedViews } from './saved-state.ts';

/** Opens the saved views, once there is one or something to save. */
export function SavedButton({ isFiltered }: { readonly isFiltered: boolean }) {
  if (savedViews.value.length === 0 && !isFiltered) return null;
  return <Button kind="quiet" icon="bookmark" label={words.open} onClick={showViews} />;
}

/** The saved views, above the list. */
export function SavedChips() {
  const views = savedViews.value;
  if (views.length === 0) return null;
  return (
    <div class="saved-chips">
      {views.map(({ name }) => (
        <Toggle key={name} on={savedView.value === name} onChange={(on) => (on ? openView(name) : closeView())}>
          <bdi>{name}</bdi>
        </Toggle>
      ))}
    </div>
  );
}

function closeView(): void {
  savedView.value = null;
  changeList({ ...NO_LIST_FILTER, withDone: false });
}

export function showViews(): void {
  dialog.value = { kind: 'views' };
}
