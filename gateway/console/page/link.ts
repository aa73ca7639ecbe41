import { signal } from '@preact/signals';
import type { CallerView } from '../../../schema/accounts/caller.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { byName } from '../live/by-name.ts';
import type {
  Answer,
  ApiCall,
  BoardPart,
  Connection,
  Courier,
  CourierDay,
  CourierPin,
  ExceptionList,
  Figures,
  FromWorker,
  ListPart,
  Patch,
  Question,
  Session,
  TaskPin,
  ToWorker,
  Watch,
} from '../live/protocol.ts';
import { KeptList } from './kept-list.ts';
import { meetSession } from './of-user.ts';

/** The page's side of the live worker: what it says last, as signals. */
export const session = signal<Session>({ state: 'unknown', isCut: false, refusal: null });
/** The user of this page: also after the session has ended, until the user has left or another one signs in. */
export const caller = signal<CallerView | null>(null);
export const connection = signal<Connection | undefined>(undefined);
export const figures = signal<Figures | undefined>(undefined);
/** The tasks and couriers that need a dispatcher; undefined until the worker has loaded. */
export const exceptions = signal<ExceptionList | undefined>(undefined);
/** Those on duty first, then by name. */
export const couriers = signal<readonly Courier[]>([]);
export const list = signal<ListPart | undefined>(undefined);
export const board = signal<BoardPart | undefined>(undefined);
/** Undefined until the worker has answered; null for a task that it does not hold. */
export const task = signal<TaskView | null | undefined>(undefined);
/** Counts the news of the payments of the open task: they are no change of the task. */
export const paymentNews = signal(0);
/** Undefined until the worker has answered; null for a courier whom it does not hold. */
export const courierDay = signal<CourierDay | null | undefined>(undefined);
export const courierPins = signal<readonly CourierPin[]>([]);
export const taskPins = signal<readonly TaskPin[]>([]);

/** How long the map takes to draw, in milliseconds; the map tells it. */
export const drawMs = signal(0);

const kept = {
  couriers: new KeptList<Courier>(),
  courierPins: new KeptList<CourierPin>(),
  taskPins: new KeptList<TaskPin>(),
};

const answers = new Map<number, (answer: Answer) => void>();
let calls = 0;

/** Counts the sessions that have ended. */
let ends = 0;

const port = openPort();

function openPort(): MessagePort | Worker {
  const options = { type: 'module', name: 'dispatch live' } as const;
  if (typeof SharedWorker === 'undefined') return new Worker(LIVE_WORKER_URL, options);
  return new SharedWorker(LIVE_WORKER_URL, options).port;
}

/** Begins to listen. The port keeps the messages that come before. */
export function openLink(): void {
  port.onmessage = ({ data }: MessageEvent<FromWorker>) => take(data);
  addEventListener('pagehide', () => post({ kind: 'leave' }));
  // A page that comes back from the history has left, and has to join again.
  addEventListener('pageshow', ({ persisted }) => persisted && location.reload());
}

function post(message: ToWorker): void {
  port.postMessage(message);
}

function take(message: FromWorker): void {
  if (message.kind === 'session') return setSession(message.session);
  if (message.kind === 'patch') return apply(message.patch);
  answers.get(message.id)?.(message.answer);
  answers.delete(message.id);
}

function setSession(next: Session): void {
  meetSession(next);
  if (next.state === 'signed-in') caller.value = next.caller;
  else if (next.state === 'signed-out' && next.why === 'left') caller.value = null;
  session.value = next;
  if (next.state === 'signed-in') return;
  ends += 1;
  connection.value = undefined;
  figures.value = undefined;
  exceptions.value = undefined;
  list.value = undefined;
  board.value = undefined;
  task.value = undefined;
  courierDay.value = undefined;
  for (const each of Object.values(kept)) each.clear();
  couriers.value = [];
  courierPins.value = [];
  taskPins.value = [];
}

/** The next patch comes when this one is painted, so a slow page gets fewer and larger ones. */
function apply(patch: Patch): void {
  const isDrawn = patch.courierPins !== undefined || patch.taskPins !== undefined;
  const endsBefore = ends;
  requestAnimationFrame(() => {
    // First, so that a fault of a view cannot end the patches.
    requestAnimationFrame(() => post({ kind: 'painted', drawMs: isDrawn ? drawMs.peek() : null }));
    // The session may have ended since: the next user must not see what the last one did.
    if (ends !== endsBefore) return;
    if (patch.connection) connection.value = patch.connection;
    if (patch.figures) figures.value = patch.figures;
    if (patch.exceptions) exceptions.value = patch.exceptions;
    if (patch.couriers) couriers.value = kept.couriers.take(patch.couriers).sort(byDutyAndName);
    if (patch.list) list.value = patch.list;
    if (patch.board) board.value = patch.board;
    if (patch.task !== undefined) task.value = patch.task;
    if (patch.paymentNews !== undefined) paymentNews.value = patch.paymentNews;
    if (patch.courierDay !== undefined) courierDay.value = patch.courierDay;
    if (patch.courierPins) courierPins.value = kept.courierPins.take(patch.courierPins);
    if (patch.taskPins) taskPins.value = kept.taskPins.take(patch.taskPins);
  });
}

function byDutyAndName(one: Courier, other: Courier): number {
  return Number(other.onDuty) - Number(one.onDuty) || byName(one.name, other.name);
}

/** The task that the worker was asked for last. */
let watchedTask: number | null = null;

export function watch(next: Watch): void {
  // The answer about another task is none about this one.
  if (next.taskId !== watchedTask) task.value = undefined;
  watchedTask = next.taskId;
  post({ kind: 'watch', watch: next });
}

function ask<T>(messageOf: (id: number) => ToWorker): Promise<Answer<T>> {
  calls += 1;
  const id = calls;
  return new Promise((resolve) => {
    answers.set(id, resolve as (answer: Answer) => void);
    post(messageOf(id));
  });
}

/** Asks the API. Never rejects: a refusal is an answer. */
export function callApi<T>(call: ApiCall): Promise<Answer<T>> {
  return ask((id) => ({ kind: 'call', id, call }));
}

/** Reads a file of the API as a data URL. Never rejects. */
export function readFile(path: string): Promise<Answer<string>> {
  return ask((id) => ({ kind: 'file', id, path }));
}

/** Asks the worker about tasks that may be out of sight. */
export async function tasksOf(question: Question): Promise<readonly number[]> {
  const answer = await ask<readonly number[]>((id) => ({ kind: 'question', id, question }));
  return answer.ok ? answer.data : [];
}

/** Makes the worker read a courier that this page has made: no event reports it. */
export function meetCourier(agentId: number): void {
  post({ kind: 'meet', agentId });
}

export function signIn(email: string, password: string): Promise<Answer> {
  return ask((id) => ({ kind: 'sign-in', id, email, password }));
}

export function signOut(): void {
  post({ kind: 'sign-out' });
}

/** Whether the user has a right, by the name that the API gives it. */
export function may(permission: string): boolean {
  return caller.value?.permissions.includes(permission) ?? false;
}
