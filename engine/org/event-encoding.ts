import type { Caller } from '../../schema/commands.ts';
import { eventId, type LoggedEvent } from '../../schema/events.ts';
import { taskChangesOf } from '../../schema/task-changes.ts';
import type { TaskHistoryRecord } from '../../schema/task-history.ts';
import { inOnePiece } from '../views/serializer.ts';
import { encodeTask } from '../views/task-view.ts';
import type { Tell } from './changes.ts';
import type { OrgState } from './org-state.ts';
import type { TaskFacts } from './state-view.ts';

/** A change as the log tells it: the event, the step in the task's history, and the task's JSON for the answer. */
export interface ToldChange {
  readonly event: LoggedEvent;
  readonly history: TaskHistoryRecord;
  readonly taskJson: string;
}

interface TellContext {
  readonly history: string;
  readonly sequence: number;
  readonly at: string;
  readonly caller: Caller;
  /** The task before the changes that are told; undefined for a new one. */
  readonly before: TaskFacts | undefined;
}

/**
 * What the log says of changes that have just been applied. Encoded once: the same text goes to Postgres, to streams,
 * to webhooks and into the answer.
 */
export function tellChange(state: OrgState, tell: Tell, told: TellContext): ToldChange {
  const { type, taskId, step } = tell;
  const { sequence, at, caller, before } = told;
  const { organizationId } = state;
  const live = state.findTask(taskId)!;
  const taskJson = encodeTask(state.bundleOf(live));
  const head =
    `{"id":"${eventId(told.history, organizationId, sequence)}","type":"${type}","timestamp":"${at}",` +
    `"apiVersion":"v1","organizationId":${organizationId},"channelId":${live.task.channelId},"sequence":${sequence}`;
  const extra = tell.extra
    ? `,${JSON.stringify({ ...tell.extra, actor: { type: caller.type, id: caller.id } }).slice(1, -1)}`
    : '';
  return {
    event: { organizationId, sequence, type, at, body: inOnePiece(`${head},"data":{"task":${taskJson}${extra}}}`) },
    history: {
      organizationId,
      taskId,
      sequence,
      at: step.at ?? at,
      recordedAt: at,
      kind: step.kind,
      fromStatus: step.fromStatus ?? null,
      toStatus: step.toStatus ?? null,
      reason: step.reason ?? null,
      reasonCode: step.reasonCode ?? null,
      details: step.details ?? null,
      actorType: caller.type,
      actorId: caller.id,
      correlationId: caller.origin?.correlationId ?? null,
      address: caller.origin?.address ?? null,
      changes: before && step.kind !== 'created' ? taskChangesOf(before, live) : null,
    },
    taskJson,
  };
}
