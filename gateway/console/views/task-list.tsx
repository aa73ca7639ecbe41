import { beginImport, beginTask } from '../actions/dialog-state.ts';
import { DropCouriers } from '../actions/drop-couriers.tsx';
import { selected } from '../actions/selection.ts';
import { SelectionBar } from '../actions/selection-bar.tsx';
import type { ListEntry } from '../live/protocol.ts';
import { isCovered } from '../page/covered.ts';
import { cursor, enterList } from '../page/cursor.ts';
import { draft, EMPTY_DRAFT, isDrafting } from '../page/draft.ts';
import { couriers, list, may } from '../page/link.ts';
import { changeList, listQuery, NO_LIST_FILTER } from '../page/state.ts';
import { SavedButton, SavedChips } from '../saved/saved-chips.tsx';
import { text } from '../text/english.ts';
import { paletteText } from '../text/english-palette.ts';
import { Button, Empty, Toggle } from '../ui/controls.tsx';
import { Icon } from '../ui/icon.tsx';
import { VirtualList } from '../ui/virtual-list.tsx';
import { GroupRow, TaskItem } from './task-rows.tsx';

const { list: words } = text;
const ROW_REM = 3.25;

export function TaskList() {
  const part = list.value;
  const query = listQuery.value;
  const isSelecting = selected.value.size > 0;
  const isFiltered =
    query.search !== '' ||
    query.statuses.length > 0 ||
    query.onlyLate ||
    query.ended !== null ||
    query.agentId !== null;
  return (
    <section class={`tasks ${isSelecting ? 'selecting' : ''}`} aria-label={words.label} inert={isCovered.value}>
      <Tools isFiltered={isFiltered} />
      {isSelecting ? <SelectionBar /> : <Count isFiltered={isFiltered} />}
      {part?.total === 0 ? (
        <NoTask isFiltered={isFiltered} />
      ) : (
        <VirtualList<ListEntry>
          label={words.label}
          offset={part?.offset ?? 0}
          total={part?.total ?? 0}
          entries={part?.entries ?? []}
          rowRem={ROW_REM}
          keyOf={(entry) => (entry.kind === 'group' ? entry.key : `task-${entry.row.id}`)}
          render={(entry) =>
            entry.kind === 'group' ? <GroupRow group={entry} couriers={couriers.value} /> : <TaskItem row={entry.row} />
          }
          onRange={(offset, limit) => changeList({ offset, limit })}
          onHold={(isHeld) => changeList({ isHeld })}
          cursor={cursor.value ?? undefined}
        />
      )}
      <DropCouriers />
    </section>
  );
}

function clearAll(): void {
  changeList(NO_LIST_FILTER);
}

/** `Escape` ends the search, `Enter` goes into what it has found. While a word is being composed, they are for the word. */
function leaveSearch(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  if (event.isComposing) return;
  if (event.key === 'Escape') changeList({ search: '' });
  else if (event.key === 'Enter') enterList();
  else return;
  event.preventDefault();
  event.currentTarget.blur();
}

function Tools({ isFiltered }: { readonly isFiltered: boolean }) {
  const query = listQuery.value;
  return (
    <div class="tools">
      <div class="search">
        <Icon name="search" />
        <input
          id="search"
          type="search"
          aria-label={words.search}
          placeholder={words.searchHint}
          value={query.search}
          onInput={({ currentTarget }) => changeList({ search: currentTarget.value, offset: 0 })}
          onKeyDown={leaveSearch}
        />
        <kbd>/</kbd>
      </div>
      {may('tasks:create') && (
        <Button kind="main" icon="plus" onClick={beginTask}>
          {text.create.open}
          {draft.value !== EMPTY_DRAFT && !isDrafting.value && <span class="kept" title={text.create.kept} />}
        </Button>
      )}
      <div class="toggles">
        <Toggle on={query.onlyLate} onChange={(onlyLate) => changeList({ onlyLate, offset: 0 })}>
          {words.onlyLate}
        </Toggle>
        <Toggle on={query.withDone} onChange={(withDone) => changeList({ withDone, offset: 0 })}>
          {words.withDone}
        </Toggle>
        <SavedButton isFiltered={isFiltered || query.withDone} />
        <label class="grouping">
          <span>{words.grouping}</span>
          <select
            value={query.grouping}
            onChange={({ currentTarget }) => changeList({ grouping: currentTarget.value as 'courier', offset: 0 })}
          >
            <option value="courier">{words.byCourier}</option>
            <option value="status">{words.byStatus}</option>
          </select>
        </label>
      </div>
      <SavedChips />
    </div>
  );
}

function NoTask({ isFiltered }: { readonly isFiltered: boolean }) {
  if (!isFiltered) {
    if (!may('tasks:create')) return <Empty title={words.emptyTitle}>{words.empty}</Empty>;
    return (
      <Empty title={words.emptyTitle} action={<Button onClick={beginImport}>{paletteText.manyTasks}</Button>}>
        {words.empty} {words.emptyFirst}
      </Empty>
    );
  }
  return (
    <Empty title={words.nothingTitle} action={<Button onClick={clearAll}>{words.clearAll}</Button>}>
      {words.nothing}
    </Empty>
  );
}

/** The filters of the list that the tools do not show. */
function filterName(): string {
  const { ended, statuses, agentId } = listQuery.value;
  const courier = couriers.value.find(({ id }) => id === agentId)?.name;
  const named = ended === null ? statuses.map((status) => text.status[status]).join(', ') : words.ended[ended];
  return [named, courier].filter(Boolean).join(' · ');
}

function Count({ isFiltered }: { readonly isFiltered: boolean }) {
  const part = list.value;
  return (
    <p class="count" role="status">
      {part && [words.tasks(part.tasks), filterName()].filter(Boolean).join(' · ')}
      {part?.waiting ? (
        <button type="button" class="waiting" onClick={() => changeList({ isHeld: false })}>
          {words.waiting(part.waiting)} · {words.show}
        </button>
      ) : null}
      {isFiltered && part?.total !== 0 && (
        <Button kind="quiet" onClick={clearAll}>
          {words.clearAll}
        </Button>
      )}
    </p>
  );
}
