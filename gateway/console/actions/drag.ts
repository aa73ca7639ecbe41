import { computed, signal } from '@preact/signals';
import type { TaskRow } from '../live/protocol.ts';
import { giveTo } from './act.ts';
import { rowOf, selected } from './selection.ts';

const MEDIA = 'application/x-dispatch-tasks';

interface Drag {
  readonly ids: readonly number[];
  /** Those of them that the page holds: a selection may be out of sight. */
  readonly rows: readonly TaskRow[];
  /** The height of the screen at which the drag has begun. */
  readonly fromY: number;
}

/** The tasks that are being dragged. */
export const dragged = signal<Drag | null>(null);
/** Whether tasks are being dragged, so that places that take them can show it. */
export const isDragging = computed(() => dragged.value !== null);

/** Takes the whole selection along when the dragged row is part of it. */
export function startDrag(event: DragEvent, id: number): void {
  const ids = selected.peek().has(id) ? [...selected.peek()] : [id];
  event.dataTransfer!.setData(MEDIA, JSON.stringify(ids));
  event.dataTransfer!.effectAllowed = 'move';
  dragged.value = { ids, rows: ids.flatMap((each) => rowOf(each) ?? []), fromY: event.clientY };
}

export function endDrag(): void {
  dragged.value = null;
}

/** Makes a place take tasks. */
export function allowDrop(event: DragEvent): void {
  if (!event.dataTransfer?.types.includes(MEDIA)) return;
  event.preventDefault();
  event.dataTransfer.dropEffect = 'move';
}

/** Hands the dropped tasks over; a place that takes none leaves them. */
export function dropTasks(event: DragEvent, take: ((ids: readonly number[]) => void) | undefined): void {
  const carried = event.dataTransfer?.getData(MEDIA) ?? '';
  if (carried === '' || take === undefined) return;
  event.preventDefault();
  dragged.value = null;
  take(JSON.parse(carried) as number[]);
}

export function dropOn(event: DragEvent, agentId: number | undefined): void {
  dropTasks(event, agentId === undefined ? undefined : (ids) => void giveTo(ids, agentId));
}
