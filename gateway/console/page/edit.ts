import type { TaskView } from '../../../schema/tasks/task-view.ts';
import type { TypedPlace } from './draft.ts';
import { ofUser } from './of-user.ts';
import { type Pin, pinText, wantedPin } from './pin.ts';
import { localTime, momentOf } from './zoned-time.ts';

/** The fields of an open task that change, as they are typed. Times are those of the organization's clock. */
export interface EditForm extends TypedPlace {
  readonly scheduledAt: string;
  readonly windowStart: string;
  readonly windowEnd: string;
  readonly contactName: string;
  readonly contactPhone: string;
  readonly description: string;
  readonly notes: string;
}

/** A task that is being changed. */
export interface Edit {
  readonly before: EditForm;
  readonly form: EditForm;
}

/** Tasks that end meanwhile leave their forms behind, which nobody can save any more. */
const MOST_EDITS = 100;

/** The changes by the id of their task, the last begun at the end. They stay when their panel is closed, until they are saved or discarded. */
export const edits = ofUser<ReadonlyMap<number, Edit>>(new Map());

/** Forms in which nothing was typed are left for this one. */
export function beginEdit(task: TaskView): void {
  if (edits.peek().has(task.id)) return;
  const form = formOf(task);
  const typed = [...edits.peek()].filter(([, each]) => each.form !== each.before);
  edits.value = new Map([...typed, [task.id, { before: form, form }] as const].slice(-MOST_EDITS));
}

export function changeEdit(taskId: number, change: Partial<EditForm>): void {
  const edit = edits.peek().get(taskId);
  if (edit) edits.value = new Map(edits.peek()).set(taskId, { ...edit, form: { ...edit.form, ...change } });
}

/** Ends a change that is saved. Text that was typed since it was sent stays, as a change of what is saved now. */
export function meetSaved(task: TaskView, sent: Edit): void {
  const now = edits.peek().get(task.id);
  // Another one was begun since, from the task as it was then.
  if (now?.before !== sent.before) return;
  if (now.form === sent.form) return endEdit(task.id);
  const typed = Object.entries(now.form).filter(([name, value]) => value !== sent.form[name as keyof EditForm]);
  const before = formOf(task);
  edits.value = new Map(edits.peek()).set(task.id, { before, form: { ...before, ...Object.fromEntries(typed) } });
}

export function endEdit(taskId: number): void {
  edits.value = new Map([...edits.peek()].filter(([id]) => id !== taskId));
}

export function formOf(task: TaskView): EditForm {
  const { location, contact, notes, description } = task;
  const time = (at: string | null) => (at === null ? '' : localTime(Date.parse(at)));
  const pin = ownPin(task);
  return {
    address: location?.address ?? '',
    pin: pin ? pinText(pin) : '',
    scheduledAt: time(task.scheduledAt),
    windowStart: time(task.windowStart),
    windowEnd: time(task.windowEnd),
    contactName: contact?.name ?? '',
    contactPhone: contact?.phone ?? '',
    description: description ?? '',
    notes: notes ?? '',
  };
}

/** The body of the amendment: the fields that differ, and no others. Undefined when nothing does. */
export function amendmentOf(before: EditForm, form: EditForm, task: TaskView): Record<string, unknown> | undefined {
  const body: Record<string, unknown> = {};
  const differs = (...names: (keyof EditForm)[]) => names.some((name) => form[name].trim() !== before[name].trim());
  const orNull = (typed: string) => (typed.trim() === '' ? null : typed.trim());
  for (const name of ['notes', 'description'] as const) if (differs(name)) body[name] = orNull(form[name]);
  for (const name of ['windowStart', 'windowEnd', 'scheduledAt'] as const) {
    const at = momentOf(form[name]);
    // A scheduled task stays one: it has a time, or keeps the one that it had.
    if (differs(name) && (at !== null || name !== 'scheduledAt')) body[name] = at && new Date(at).toISOString();
  }
  if (differs('contactName', 'contactPhone')) {
    const [name, phone] = [orNull(form.contactName), orNull(form.contactPhone)];
    body['contact'] = name === null && phone === null ? null : { name, phone };
  }
  const pin = wantedPin(before, form, ownPin(task));
  if (differs('address', 'pin') && pin) body['location'] = { ...insideOf(task), address: form.address.trim(), ...pin };
  return Object.keys(body).length === 0 ? undefined : body;
}

function ownPin({ location }: TaskView): Pin | null {
  return location && { latitude: Number(location.latitude), longitude: Number(location.longitude) };
}

/** The way inside the building goes with the address. */
function insideOf({ location }: TaskView): Record<string, string> {
  const { building, floor, apartment } = location ?? {};
  const inside = Object.entries({ building, floor, apartment }).filter(([, value]) => value);
  return Object.fromEntries(inside) as Record<string, string>;
}
