import type { Engine } from '../../engine/org/start-engine.ts';
import { sleep, systemClock, systemScheduler } from '../../engine/runtime/clock.ts';
import { Turns } from '../../engine/runtime/turns.ts';
import type { ExportSink } from '../../engine/store/task-lists/task-list-export.ts';
import { refusalBody } from '../../engine/views/parts/error-body.ts';
import { withoutTrackingLinks } from '../../engine/views/parts/tracking-url.ts';
import { encodeTask } from '../../engine/views/task-view.ts';
import { refusal } from '../../schema/errors.ts';
import { formatPosition } from '../../schema/events.ts';
import { cutText } from '../../schema/fields/fields.ts';
import { LIMITS } from '../../schema/limits.ts';
import { exportTasksQuery, listTasksQuery, TASK_LIST_PARAMETERS, taskPageView } from '../../schema/tasks/list-tasks.ts';
import type { ShownTask } from '../../schema/tasks/task.ts';
import type { Headers, Reply, ReplyStream } from '../http/port.ts';
import { type ApiRoute, apiRoute, may, type RawRoute, rawRoute } from '../route.ts';
import type { LastingReplies } from '../sse/lasting-replies.ts';
import { answerTaskPage } from './task-page.ts';

/** Lists of tasks, by page and whole. Source: docs/contract.md §3 "Listing tasks", §1 "Lists", §3 "Also". */
export function taskListRoutes(engine: Engine, replies: LastingReplies): [ApiRoute, RawRoute] {
  return [listTasks(engine), exportTasks(engine, replies)];
}

function listTasks(engine: Engine): ApiRoute {
  return apiRoute({
    method: 'GET',
    path: '/tasks',
    guard: may('tasks:read'),
    query: { schema: listTasksQuery, lists: TASK_LIST_PARAMETERS },
    summary: 'List tasks, by `page` or by `cursor`',
    success: { status: 200, data: taskPageView },
    refusals: [],
    handle: ({ identity: { organizationId, caller }, query }) => answerTaskPage(engine, organizationId, query, caller),
  });
}

function exportTasks(engine: Engine, replies: LastingReplies): RawRoute {
  const turns = new Turns(systemClock, systemScheduler);
  return rawRoute({
    method: 'GET',
    path: '/tasks/export',
    place: 'api',
    guard: may('tasks:read'),
    query: { schema: exportTasksQuery, lists: TASK_LIST_PARAMETERS },
    summary: 'All tasks of a list, one JSON text a line; a connection that ends without the last chunk broke off',
    answers: 'application/x-ndjson',
    carries: ['X-Log-Position'],
    refusals: ['503 OVERLOADED'],
    handle({ identity, query, replyHeaders }, reply) {
      const { organizationId, caller } = identity;
      const encode = identity.role === 'agent' ? encodeForAgent : encodeTask;
      const sink = new LineSink(reply, engine.history, replyHeaders, turns, encode);
      const exported = engine.exportTasks(organizationId, query, caller, sink);
      if (exported) {
        const release = replies.hold(identity, () => sink.abort());
        return sink.end(exported).finally(release);
      }
      const { status, body } = refusalBody(refusal('OVERLOADED'));
      reply.send(
        status,
        [['Content-Type', 'application/json; charset=utf-8'], ...replyHeaders, ['Retry-After', '1']],
        body,
      );
    },
  });
}

const encodeForAgent = (task: ShownTask) => withoutTrackingLinks(encodeTask(task));

/**
 * Streams one task per line, as fast as the connection accepts it. Starts the response when the first batch is ready.
 */
class LineSink implements ExportSink {
  readonly #reply: Reply;
  readonly #history: string;
  readonly #turns: Turns;
  readonly #encode: (task: ShownTask) => string;
  #headers: Headers;
  #stream: ReplyStream | undefined;
  #isOpen = true;

  constructor(reply: Reply, history: string, headers: Headers, turns: Turns, encode: (task: ShownTask) => string) {
    this.#reply = reply;
    this.#history = history;
    this.#turns = turns;
    this.#encode = encode;
    this.#headers = [['Content-Type', 'application/x-ndjson; charset=utf-8'], ...headers];
  }

  begin(sequence: number): void {
    this.#headers = [...this.#headers, ['X-Log-Position', formatPosition(this.#history, sequence)]];
  }

  /** Resolves when the connection has accepted the batch; false when the client has left. */
  async take(batch: readonly ShownTask[]): Promise<boolean> {
    const stream = this.#open();
    for (const piece of piecesOf(batch, this.#encode)) {
      stream.write(piece);
      await this.#turns.next();
      while (this.#isOpen && stream.queuedBytes > 0) await sleep(LIMITS.exportPollMs);
      if (!this.#isOpen) return false;
    }
    return true;
  }

  /** Aborts the response, even before its first batch. No further batch is accepted. */
  abort(): void {
    this.#open().abort();
  }

  /**
   * Ends the response when the export ends. Rejects when the export fails before the response has started, so that the
   * failure is answered as usual.
   */
  async end(exported: Promise<void>): Promise<void> {
    try {
      await exported;
      this.#open().close();
    } catch (error) {
      if (!this.#stream) throw error;
      this.#stream.abort();
    }
  }

  #open(): ReplyStream {
    if (this.#stream) return this.#stream;
    this.#stream = this.#reply.openStream(200, this.#headers);
    this.#stream.onClose(() => {
      this.#isOpen = false;
    });
    return this.#stream;
  }
}

/** The lines of tasks in pieces that a stream accepts by size, without splitting a character. Small tasks share a piece. */
function* piecesOf(batch: readonly ShownTask[], encode: (task: ShownTask) => string): Generator<string> {
  let rest = '';
  for (const task of batch) {
    rest += `${encode(task)}\n`;
    while (rest.length >= LIMITS.exportPieceChars) {
      const piece = cutText(rest, LIMITS.exportPieceChars);
      yield piece;
      rest = rest.slice(piece.length);
    }
  }
  if (rest !== '') yield rest;
}
