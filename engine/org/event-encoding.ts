import type { Caller } from '../../schema/commands.ts';
import { type EventType, eventId, type LoggedEvent } from '../../schema/events.ts';
import type { TaskHistoryRecord, TaskRecord } from '../../schema/task.ts';
import { encodeTask } from '../views/task-view.ts';
import type { Change } from './changes.ts';
import type { OrgState } from './org-state.ts';

/** A change as the log tells it: the event, the step in the task's history, and the task's JSON for the answer. */
export interface ToldChange {
  readonly event: LoggedEvent;
  readonly history: TaskHistoryRecord;
  readonly taskJson: string;
}

/**
 * What the log says of a change that has just been applied, or undefined for changes that are no event of their own.
 * Encoded once: the same text goes to Postgres, to streams, to webhooks and into the answer.
 */
export function tellChange(
  state: OrgState,
  change: Change,
  told: { readonly history: string; readonly sequence: number; readonly at: string; readonly caller: Caller },
): ToldChange | undefined {
  const step = stepOf(change);
  if (!step) return undefined;
  const { sequence, at, caller } = told;
  const { organizationId } = state;
  const taskJson = encodeTask(state.bundleOf(state.findTask(step.task.id)!));
  const head =
    `{"id":"${eventId(told.history, organizationId, sequence)}","type":"${step.type}","timestamp":"${at}",` +
    `"apiVersion":"v1","organizationId":${organizationId},"channelId":${step.task.channelId},"sequence":${sequence}`;
  const extra = step.extra
    ? `,${JSON.stringify({ ...step.extra, actor: { type: caller.type, id: caller.id } }).slice(1, -1)}`
    : '';
  return {
    event: { organizationId, sequence, type: step.type, at, body: `${head},"data":{"task":${taskJson}${extra}}}` },
    history: {
      organizationId,
      taskId: step.task.id,
      sequence,
      at,
      actorType: caller.type,
      actorId: caller.id,
      ...step.history,
    },
    taskJson,
  };
}

/** Whether a change is an event of its own and so takes the next sequence. */
export function isLogged(change: Change): boolean {
  return change.kind === 'task-created' || change.kind === 'task-status-changed' || change.kind === 'task-delayed';
}

interface Step {
  readonly type: EventType;
  readonly task: TaskRecord;
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly history: Pick<TaskHistoryRecord, 'kind' | 'fromStatus' | 'toStatus' | 'reason' | 'reasonCode'>;
}

function stepOf(change: Change): Step | undefined {
  switch (change.kind) {
    case 'task-created':
      return {
        type: 'task.created',
        task: change.task,
        history: { kind: 'created', fromStatus: null, toStatus: change.task.status, reason: null, reasonCode: null },
      };
    case 'task-status-changed': {
      const { task, previousStatus, reason, reasonCode } = change;
      return {
        type: 'task.status_changed',
        task,
        extra: { previousStatus, status: task.status, reason },
        history: { kind: 'status_changed', fromStatus: previousStatus, toStatus: task.status, reason, reasonCode },
      };
    }
    case 'task-delayed':
      return {
        type: 'task.delayed',
        task: change.task,
        history: { kind: 'delayed', fromStatus: null, toStatus: null, reason: null, reasonCode: null },
      };
    default:
      return undefined;
  }
}
