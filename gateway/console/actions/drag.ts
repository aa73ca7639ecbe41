import { signal } from '@preact/signals';
import { giveTo } from './act.ts';
import { selected } from './selection.ts';

const MEDIA = 'application/x-dispatch-tasks';

/** Whether tasks are being dragged, so that places that take them can show it. */
export const isDragging = signal(false);

/** Takes the whole selection along when the dragged row is part of it. */
export function startDrag(event: DragEvent, id: number): void {
  const ids = selected.peek().has(id) ? [...selected.peek()] : [id];
  event.dataTransfer!.setData(MEDIA, JSON.stringify(ids));
  event.dataTransfer!.effectAllowed = 'move';
  isDragging.value = true;
}

export function endDrag(): void {
  isDragging.value = false;
}

/** Makes a place take tasks. */
export function allowDrop(event: DragEvent): void {
  if (!event.dataTransfer?.types.includes(MEDIA)) return;
  event.preventDefault();
  event.dataTransfer.dropEffect = 'move';
}

/** Hands the dropped tasks over; a place that takes none leaves them. */
export function dropTasks(event: DragEvent, take: ((ids: readonly number[]) => void) | undefined): void {
  const dragged = event.dataTransfer?.getData(MEDIA) ?? '';
  if (dragged === '' || take === undefined) return;
  event.preventDefault();
  isDragging.value = false;
  take(JSON.parse(dragged) as number[]);
}

export function dropOn(event: DragEvent, agentId: number | undefined): void {
  dropTasks(event, agentId === undefined ? undefined : (ids) => void giveTo(ids, agentId));
}
