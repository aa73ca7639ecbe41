import type { TaskStatus } from '../../../../schema/tasks/task.ts';
import type { TaskView } from '../../../../schema/tasks/task-view.ts';
import { midnightMs } from '../../time/midnight.ts';
import type { Changes, LiveCore } from '../live-core.ts';
import type { Answer, Courier, CourierPin, FromWorker, Patch, Question, Session, TaskPin, Watch } from '../protocol.ts';
import { exceptionsOf } from './exceptions.ts';
import { ListView } from './list-view.ts';
import { SentList } from './sent-list.ts';
import { courierDayOf, courierPins, couriersOf, figuresOf, taskPins } from './summaries.ts';

type Part =
  | 'connection'
  | 'figures'
  | 'exceptions'
  | 'couriers'
  | 'list'
  | 'board'
  | 'task'
  | 'paymentNews'
  | 'courierDay'
  | 'courierPins'
  | 'taskPins';

/** The least time between two patches of a part, in milliseconds. A part that a person asks for comes at once. */
const PACE_MS: Readonly<Record<Part, number>> = {
  connection: 0,
  figures: 200,
  exceptions: 500,
  couriers: 250,
  list: 80,
  board: 100,
  task: 0,
  paymentNews: 250,
  courierDay: 250,
  courierPins: 100,
  taskPins: 400,
};
const PARTS = Object.keys(PACE_MS) as Part[];
const WITH_COURIER: ReadonlySet<TaskStatus | undefined> = new Set(['assigned', 'accepted', 'in_transit'] as const);
/** Parts that the map draws. */
const DRAWN: ReadonlySet<Part> = new Set(['courierPins', 'taskPins']);
/**
 * The map draws for a part of the time at most, and gets no more pins than it draws. Without a graphics card one drawing
 * takes some hundred milliseconds of both cores.
 */
const REST_OF_DRAWING = 3;
const LONGEST_REST_MS = 1_500;
const FRAME_MS = 16;

/** One page: which parts it watches, and which of them have changed since the last patch that it has painted. */
export class PagePort {
  readonly #post: (message: FromWorker) => void;
  #list = new ListView();
  #board = new ListView();
  #sent = nothingSent();
  readonly #dirty = new Set<Part>();
  readonly #sentAt = new Map<Part, number>();
  #watch: Watch = { list: null, board: null, taskId: null, courierId: null, map: false };
  #core: LiveCore | undefined;
  #paymentNews = 0;
  /** Patches that the page has not painted yet. */
  #unpainted = 0;
  /** How long the page takes to draw pins. */
  #drawMs = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #timerAt = 0;

  constructor(post: (message: FromWorker) => void) {
    this.#post = post;
  }

  showSession(session: Session): void {
    if (session.state !== 'signed-in') this.#core = undefined;
    this.#post({ kind: 'session', session });
  }

  answer(id: number, answer: Answer): void {
    this.#post({ kind: 'answer', id, answer });
  }

  attach(core: LiveCore): void {
    this.#core = core;
    this.#list = new ListView();
    this.#board = new ListView();
    this.#sent = nothingSent();
    this.#mark(PARTS);
  }

  watch(watch: Watch): void {
    const before = this.#watch;
    this.#watch = watch;
    const asked: Part[] = [];
    // A list that comes back is made again, also when the pointer rests where its rows will be.
    if (watch.list && !before.list) this.#list = new ListView();
    if (watch.board && !before.board) this.#board = new ListView();
    if (watch.list && watch.list !== before.list) asked.push('list');
    if (watch.board && watch.board !== before.board) asked.push('board');
    if (watch.taskId !== before.taskId) asked.push('task');
    if (watch.courierId !== before.courierId) asked.push('courierDay');
    if (watch.map && !before.map) asked.push('courierPins', 'taskPins');
    for (const part of asked) {
      this.#sentAt.delete(part);
      this.#dirty.add(part);
    }
    // A person waits for them, also while the page paints what came by itself.
    this.#send(asked);
  }

  changed({ connection, tasks, agents, positions, payment }: Changes): void {
    const isOfTask = payment !== undefined && this.#isOfTask(payment);
    if (isOfTask) this.#paymentNews += 1;
    this.#mark([
      ...(isOfTask ? (['paymentNews'] as const) : []),
      ...(connection ? (['connection', 'exceptions'] as const) : []),
      ...(tasks
        ? ([
            'figures',
            'exceptions',
            'couriers',
            'list',
            'board',
            'task',
            'courierDay',
            'courierPins',
            'taskPins',
          ] as const)
        : []),
      ...(agents ? (['figures', 'exceptions', 'couriers', 'list', 'board', 'courierDay', 'courierPins'] as const) : []),
      ...(positions ? (['couriers', 'courierDay', 'courierPins'] as const) : []),
    ]);
  }

  /** Whether the open task shows it. A task that is attempted again has the payment of the failed one. */
  #isOfTask(payment: NonNullable<Changes['payment']>): boolean {
    const { taskId } = this.#watch;
    if (taskId === null || payment === 'any') return taskId !== null;
    return payment.taskId === taskId || this.#core?.records.tasks.get(taskId)?.view.paymentId === payment.id;
  }

  /** The ids of the tasks that a question is about. */
  reply(question: Question): readonly number[] {
    const tasks = this.#core?.records.tasks;
    if (question.about === 'given') {
      const takerOf = ({ agentId, courierId }: TaskView) => agentId ?? courierId ?? null;
      return question.taskIds.filter((id) => tasks?.has(id) && takerOf(tasks.get(id)!.view) !== null);
    }
    if (question.about === 'with-courier') {
      const statusOf = (id: number) => tasks?.get(id)?.row.status;
      return question.taskIds.filter((id) => WITH_COURIER.has(statusOf(id)));
    }
    const { list, board } = this.#watch;
    if (board) return this.#board.between(question.from, question.to, [], true);
    return list ? this.#list.between(question.from, question.to, list.closed) : [];
  }

  painted(drawMs: number | null): void {
    this.#unpainted -= 1;
    if (drawMs !== null) this.#drawMs = (this.#drawMs + drawMs) / 2;
    this.#schedule();
  }

  #paceOf(part: Part): number {
    const restMs = DRAWN.has(part) ? Math.min(LONGEST_REST_MS, REST_OF_DRAWING * this.#drawMs) : 0;
    return Math.max(PACE_MS[part], restMs);
  }

  #mark(parts: readonly Part[]): void {
    for (const part of parts) this.#dirty.add(part);
    this.#schedule();
  }

  /** Sends what is due, as soon as the page takes it. A part that is due sooner does not wait for one that is due later. */
  #schedule(): void {
    if (this.#unpainted > 0 || !this.#core || this.#dirty.size === 0) return;
    const now = performance.now();
    const soonest = Math.min(...[...this.#dirty].map((part) => this.#dueAt(part)));
    const at = Math.max(now + FRAME_MS, soonest);
    if (this.#timer !== undefined && this.#timerAt <= at) return;
    clearTimeout(this.#timer);
    this.#timerAt = at;
    this.#timer = setTimeout(() => this.#sendDue(), at - now);
  }

  #sendDue(): void {
    this.#timer = undefined;
    const now = performance.now();
    if (this.#unpainted === 0) this.#send([...this.#dirty].filter((part) => this.#dueAt(part) <= now));
  }

  #dueAt(part: Part): number {
    return (this.#sentAt.get(part) ?? Number.NEGATIVE_INFINITY) + this.#paceOf(part);
  }

  #send(parts: readonly Part[]): void {
    const core = this.#core;
    if (!core) return;
    const now = performance.now();
    const isLoaded = core.connection.state !== 'loading' || core.records.tasks.size > 0;
    for (const part of parts) {
      this.#dirty.delete(part);
      // Before there is anything to send, no pace begins: the first figures come with the first list.
      if (isLoaded) this.#sentAt.set(part, now);
    }
    const patch = this.#patchOf(core, new Set(parts), isLoaded);
    if (Object.keys(patch).length > 0) {
      this.#unpainted += 1;
      this.#post({ kind: 'patch', patch });
    }
    this.#schedule();
  }

  #patchOf({ records, connection, sequence, timeZone }: LiveCore, due: ReadonlySet<Part>, isLoaded: boolean): Patch {
    const { list, board, taskId, courierId, map } = this.#watch;
    const nowMs = Date.now() + connection.clockOffsetMs;
    const todayMs = midnightMs(nowMs, timeZone);
    return {
      ...(due.has('connection') ? { connection } : {}),
      ...(due.has('figures') && isLoaded ? { figures: figuresOf(records, todayMs, sequence) } : {}),
      ...(due.has('exceptions') && isLoaded ? { exceptions: exceptionsOf(records, nowMs) } : {}),
      ...(due.has('couriers') && isLoaded ? changed('couriers', this.#sent.couriers.diff(couriersOf(records))) : {}),
      ...(due.has('list') && list && isLoaded ? { list: this.#list.part(records, list, todayMs) } : {}),
      ...(due.has('board') && board && isLoaded ? { board: this.#board.board(records, board, todayMs) } : {}),
      ...(due.has('task') ? { task: taskId === null ? null : (records.tasks.get(taskId)?.view ?? null) } : {}),
      ...(due.has('paymentNews') && this.#paymentNews > 0 ? { paymentNews: this.#paymentNews } : {}),
      ...(due.has('courierDay') && isLoaded
        ? { courierDay: courierId === null ? null : courierDayOf(records, courierId, { todayMs, nowMs }) }
        : {}),
      ...(map && due.has('courierPins')
        ? changed('courierPins', this.#sent.courierPins.diff(courierPins(records, nowMs)))
        : {}),
      ...(map && due.has('taskPins') ? changed('taskPins', this.#sent.taskPins.diff(taskPins(records))) : {}),
    };
  }
}

function nothingSent() {
  return {
    couriers: new SentList<Courier>(),
    courierPins: new SentList<CourierPin>(),
    taskPins: new SentList<TaskPin>(),
  };
}

/** A part of a patch; nothing when it has not changed. */
function changed<Name extends keyof Patch>(name: Name, value: Patch[Name]): Patch {
  return value === undefined ? {} : { [name]: value };
}
