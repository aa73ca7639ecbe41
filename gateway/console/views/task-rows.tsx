import { pending } from '../actions/act.ts';
import { allowDrop, dropOn, endDrag, isDragging, startDrag } from '../actions/drag.ts';
import { selected, selectRange, toggleSelected } from '../actions/selection.ts';
import type { Courier, ListEntry, TaskRow } from '../live/protocol.ts';
import { cursor, taskAtCursor } from '../page/cursor.ts';
import { agoOf, spanOf, timeOf } from '../page/format.ts';
import { may } from '../page/link.ts';
import { agentId, changeList, listQuery, nowMs, taskId } from '../page/state.ts';
import { text } from '../text/english.ts';
import { Icon } from '../ui/icon.tsx';
import { StatusSign } from '../ui/status.tsx';

const { list: words } = text;
const NEW_MS = 15_000;
/** An estimate that has passed is no promise any more. */
const OVERDUE_MS = 60_000;
const OVER = new Set(['completed', 'cancelled']);

type Group = Extract<ListEntry, { kind: 'group' }>;

function nameOf({ key }: Group, courier: Courier | undefined): string {
  if (courier) return courier.name;
  if (key === 'unassigned') return words.unassigned;
  if (key === 'external') return words.external;
  if (key === 'jobs') return words.jobs;
  if (key === 'done') return words.done;
  return text.status[key] ?? key;
}

export function GroupRow({ group, couriers }: { readonly group: Group; readonly couriers: readonly Courier[] }) {
  const id = group.key.startsWith('agent-') ? Number(group.key.slice(6)) : undefined;
  const courier = couriers.find((each) => each.id === id);
  const name = nameOf(group, courier);
  const fold = () => {
    const { closed } = listQuery.peek();
    changeList({ closed: group.closed ? closed.filter((key) => key !== group.key) : [...closed, group.key] });
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: `a` gives a task to a courier without a pointer.
    <div
      class={`group-row ${group.key === 'unassigned' ? 'wait' : ''} ${id !== undefined && agentId.value === id ? 'chosen' : ''} ${id !== undefined && isDragging.value ? 'target' : ''}`}
      onDragOver={(event) => id !== undefined && allowDrop(event)}
      onDrop={(event) => dropOn(event, id)}
    >
      <button
        type="button"
        class="fold"
        aria-expanded={!group.closed}
        aria-label={(group.closed ? words.unfold : words.fold)(name)}
        onClick={fold}
      >
        <Icon name="chevron" />
      </button>
      {id === undefined ? (
        <strong>{name}</strong>
      ) : (
        <button
          type="button"
          class="name"
          onClick={() => {
            agentId.value = agentId.peek() === id ? null : id;
          }}
        >
          <strong>{name}</strong>
          {courier && courier.recordedAtMs !== null && <span class="age">{agoOf(courier.recordedAtMs)}</span>}
        </button>
      )}
      <span class="tail">
        {group.late > 0 && <span class="late-text">{words.late(group.late)}</span>}
        <span class="number">{group.count.toLocaleString('en')}</span>
      </span>
    </div>
  );
}

export function TaskItem({ row }: { readonly row: TaskRow }) {
  const isOpen = taskId.value === row.id;
  const isAtCursor = cursor.value !== null && taskAtCursor() === row.id;
  const isSelected = selected.value.has(row.id);
  const isNew = row.cameAtMs > 0 && nowMs.value - row.cameAtMs < NEW_MS;
  const second = [row.address, row.customer === '' ? row.code : row.name].filter(Boolean).join(' · ');
  return (
    <button
      type="button"
      class={`task-row ${isOpen ? 'open' : ''} ${isAtCursor ? 'cursor' : ''} ${isNew ? 'fresh' : ''} ${isSelected ? 'selected' : ''} ${pending.value.has(row.id) ? 'pending' : ''}`}
      aria-current={isOpen ? 'true' : undefined}
      data-task={row.id}
      draggable={isOnTheWay(row)}
      onDragStart={(event) => startDrag(event, row.id)}
      onDragEnd={endDrag}
      onClick={(event) => {
        if (event.shiftKey) void selectRange(row.id);
        else if (event.ctrlKey || event.metaKey) toggleSelected(row.id);
        else taskId.value = isOpen ? null : row.id;
      }}
    >
      <StatusSign status={row.shown} />
      <span class="what">
        <span class="first">
          <bdi class="who">{row.customer || row.name}</bdi>
          {isNew && <span class="new-mark">{words.isNew}</span>}
          {row.attempt > 1 && <span class="soft">{words.attempt(row.attempt)}</span>}
        </span>
        <span class="second" dir="auto">
          {second}
        </span>
      </span>
      <span class="when">
        <When row={row} />
        {row.search && <span class="second">{text.search[row.search] ?? row.search}</span>}
      </span>
    </button>
  );
}

/** Tasks that are over stay where they are, and a job goes where its tasks go. */
function isOnTheWay({ status, isJob }: TaskRow): boolean {
  return !OVER.has(status) && !isJob && may('tasks:assign');
}

function When({ row }: { readonly row: TaskRow }) {
  if (OVER.has(row.status)) return <span class="soft">{text.status[row.shown]}</span>;
  if (row.isLate) return <span class="late-text">{text.time.late(spanOf(nowMs.value - row.dueAtMs))}</span>;
  if (row.arrivedAtMs !== null) return <span>{text.time.arrived(timeOf(row.arrivedAtMs))}</span>;
  if (row.etaAtMs !== null && row.etaAtMs < nowMs.value - OVERDUE_MS)
    return <span class="soft">{text.time.overdue(timeOf(row.etaAtMs))}</span>;
  if (row.etaAtMs !== null) return <span>{text.time.eta(timeOf(row.etaAtMs))}</span>;
  return <span class="soft">{text.time.due(timeOf(row.dueAtMs))}</span>;
}
