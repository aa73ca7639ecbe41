import { useEffect } from 'preact/hooks';
import { allowDrop, dragged, dropTasks } from '../actions/drag.ts';
import type { BoardColumn, TaskRow } from '../live/protocol.ts';
import { boardRanges, isBoardFiltered, isBoardHeld } from '../page/state.ts';
import { text } from '../text/english.ts';
import { boardText } from '../text/english-board.ts';
import { VirtualList } from '../ui/virtual-list.tsx';
import { TaskItem } from '../views/task-rows.tsx';
import type { ShownColumn } from './board-columns.ts';

const CARD_REM = 4.75;
const FIRST = 40;

interface Props {
  readonly column: ShownColumn;
  /** Undefined while the column has no task. */
  readonly held: BoardColumn | undefined;
  readonly insetRem: number;
  readonly widthRem: number;
}

function ask(key: string, offset: number, limit: number): void {
  const before = boardRanges.peek()[key];
  if (before?.offset === offset && before.limit === limit) return;
  boardRanges.value = { ...boardRanges.peek(), [key]: { offset, limit } };
}

export function Column({ column: { key, title, empty, drop }, held, insetRem, widthRem }: Props) {
  useEffect(() => {
    ask(key, 0, FIRST);
    return () => {
      const { [key]: _, ...others } = boardRanges.peek();
      boardRanges.value = others;
    };
  }, [key]);
  const isTarget = (drop && dragged.value?.rows.some(drop.fits)) ?? false;
  return (
    <section
      class={`board-column ${isTarget ? 'target' : ''}`}
      aria-label={title}
      style={{ insetInlineStart: `${insetRem}rem`, width: `${widthRem}rem` }}
      onDragOver={(event) => isTarget && allowDrop(event)}
      onDrop={(event) => {
        dropTasks(event, drop?.take);
        // The dropped tasks are what the reader waits for now.
        isBoardHeld.value = false;
      }}
    >
      <header>
        <h2>
          <bdi>{title}</bdi>
        </h2>
        {held !== undefined && held.late > 0 && <span class="late-text">{text.list.late(held.late)}</span>}
        <span class="number">{(held?.count ?? 0).toLocaleString('en')}</span>
      </header>
      {held === undefined || held.count === 0 ? (
        <p class="soft column-empty">{isBoardFiltered.value ? boardText.nothing : empty}</p>
      ) : (
        <VirtualList<TaskRow>
          label={title}
          offset={held.offset}
          total={held.count}
          entries={held.rows}
          rowRem={CARD_REM}
          keyOf={({ id }) => `task-${id}`}
          render={(row) => <TaskItem row={row} />}
          onRange={(offset, limit) => ask(key, offset, limit)}
          onHold={(isHeld) => {
            isBoardHeld.value = isHeld;
          }}
        />
      )}
    </section>
  );
}
