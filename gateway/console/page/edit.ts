import type { TaskView } from '../../../schema/tasks/task-view.ts';
import type { TypedPlace } from './draft.ts';
import { ofUser } from './of-user.ts';
import { type Pin, pinIn, pinText } from './pin.ts';
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

/** The task that is being changed. It stays when its panel is closed, until it is saved or discarded. */
export const edit = ofUser<{ readonly taskId: number; readonly before: EditForm; readonly form: EditForm } | null>(
  null,
);

export function beginEdit(task: TaskView): void {
  if (edit.peek()?.taskId === task.id) return;
  const form = formOf(task);
  edit.value = { taskId: task.id, before: form, form };
}

export function changeEdit(change: Partial<EditForm>): void {
  const now = edit.peek();
  if (now) edit.value = { ...now, form: { ...now.form, ...change } };
}

export function formOf(task: TaskView): EditForm {
  const { location, contact, notes, description } = task;
  const time = (at: string | null) => (at === null ? '' : localTime(Date.parse(at)));
  const pin = location && pinText({ latitude: Number(location.latitude), longitude: Number(location.longitude) });
  return {
    address: location?.address ?? '',
    pin: pin ?? '',
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
  const pin: Pin | null = pinIn(form.pin);
  if (differs('address', 'pin') && pin) body['location'] = { ...insideOf(task), address: form.address.trim(), ...pin };
  return Object.keys(body).length === 0 ? undefined : body;
}

/** The way inside the building goes with the address. */
function insideOf({ location }: TaskView): Record<string, string> {
  const { building, floor, apartment } = location ?? {};
  const inside = Object.entries({ building, floor, apartment }).filter(([, value]) => value);
  return Object.fromEntries(inside) as Record<string, string>;
}
