import { useEffect, useRef, useState } from 'preact/hooks';
import { beginTask } from '../actions/dialog-state.ts';
import { selected } from '../actions/selection.ts';
import { SelectionBar } from '../actions/selection-bar.tsx';
import { hasPanel, isCovered } from '../page/covered.ts';
import { board, couriers, may } from '../page/link.ts';
import {
  boardGrouping,
  boardRanges,
  changeList,
  isBoardFiltered,
  isBoardHeld,
  listQuery,
  NO_LIST_FILTER,
} from '../page/state.ts';
import { text } from '../text/english.ts';
import { boardText } from '../text/english-board.ts';
import { Button, Toggle } from '../ui/controls.tsx';
import { Icon } from '../ui/icon.tsx';
import { remPx } from '../ui/rem.ts';
import { SidePanel } from '../views/side-panel.tsx';
import { Column } from './board-column.tsx';
import { courierColumns, stageColumns } from './board-columns.ts';

/** Columns are at least so wide, and share a wider screen up to the second width. */
const LEAST_REM = 17.5;
const MOST_REM = 26;
/** Each column begins with it, and the last one ends with it. */
const GAP_REM = 0.75;
/** Columns beyond the edges, so that a scroll finds them there. */
const OVERSCAN = 1;

/** Every task of the day in columns. A drag from one to another is an action. */
export function Board() {
  return (
    <main class={`board ${hasPanel.value ? 'with-panel' : ''}`} aria-label={boardText.label}>
      <Tools />
      {selected.value.size > 0 && <SelectionBar />}
      <Columns />
      <SidePanel />
    </main>
  );
}

function Tools() {
  const { search, onlyLate, agentId } = listQuery.value;
  const courier = couriers.value.find(({ id }) => id === agentId)?.name;
  const waiting = board.value?.waiting ?? 0;
  return (
    <div class="tools" inert={isCovered.value}>
      <div class="search">
        <Icon name="search" />
        <input
          id="search"
          type="search"
          aria-label={text.list.search}
          placeholder={text.list.searchHint}
          value={search}
          onInput={({ currentTarget }) => changeList({ search: currentTarget.value, offset: 0 })}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return;
            changeList({ search: '' });
            event.currentTarget.blur();
          }}
        />
        <kbd>/</kbd>
      </div>
      <Toggle on={onlyLate} onChange={(on) => changeList({ onlyLate: on, offset: 0 })}>
        {text.list.onlyLate}
      </Toggle>
      <select
        aria-label={boardText.grouping}
        value={boardGrouping.value}
        onChange={({ currentTarget }) => {
          boardGrouping.value = currentTarget.value as 'stage';
        }}
      >
        <option value="stage">{boardText.groupings.stage}</option>
        <option value="courier">{boardText.groupings.courier}</option>
      </select>
      <p class="soft" role="status">
        {board.value && [text.list.tasks(board.value.tasks), courier].filter(Boolean).join(' · ')}
      </p>
      {isBoardFiltered.value && (
        <Button kind="quiet" onClick={() => changeList(NO_LIST_FILTER)}>
          {text.list.clearAll}
        </Button>
      )}
      {waiting > 0 && (
        <button
          type="button"
          class="waiting"
          onClick={() => {
            isBoardHeld.value = false;
          }}
        >
          {text.list.waiting(waiting)} · {text.list.show}
        </button>
      )}
      {may('tasks:create') && (
        <Button kind="main" icon="plus" onClick={beginTask}>
          {text.create.open}
        </Button>
      )}
    </div>
  );
}

/** Only the columns near the screen exist: a fleet has hundreds. */
function Columns() {
  const scroller = useRef<HTMLDivElement>(null);
  const [shown, show] = useState({ from: 0, to: 8, roomRem: 0 });
  const part = board.value;
  const columns = boardGrouping.value === 'stage' ? stageColumns() : courierColumns(couriers.value, part);
  const widthRem = Math.min(MOST_REM, Math.max(LEAST_REM, (shown.roomRem - GAP_REM) / columns.length));
  // The observer calls the measure of the first drawing.
  const width = useRef(widthRem);
  width.current = widthRem;

  function measure(): void {
    const element = scroller.current;
    if (!element) return;
    const rem = remPx();
    const roomRem = element.clientWidth / rem;
    // In scripts that run from right to left, the scroll is negative.
    const from = Math.max(0, Math.floor(Math.abs(element.scrollLeft) / rem / width.current) - OVERSCAN);
    const to = from + Math.ceil(roomRem / LEAST_REM) + 2 * OVERSCAN + 1;
    show((before) =>
      before.from === from && before.to === to && before.roomRem === roomRem ? before : { from, to, roomRem },
    );
  }
  useEffect(() => {
    const observer = new ResizeObserver(measure);
    observer.observe(scroller.current!);
    return () => {
      observer.disconnect();
      isBoardHeld.value = false;
      boardRanges.value = {};
    };
  }, []);
  return (
    <div class="board-scroller" inert={isCovered.value} ref={scroller} onScroll={measure}>
      <div class="board-room" style={{ width: `${columns.length * widthRem + GAP_REM}rem` }}>
        {columns.slice(shown.from, shown.to).map((column, index) => (
          <Column
            key={column.key}
            column={column}
            held={part?.columns.find(({ key }) => key === column.key)}
            insetRem={(shown.from + index) * widthRem}
            widthRem={widthRem}
          />
        ))}
      </div>
    </div>
  );
}
