import type { SingleCommand } from '../../../schema/commands.ts';
import type { TaskRecord } from '../../../schema/tasks/task.ts';
import type { Draft } from '../state/draft.ts';
import type { DecideContext, Decision, Shown } from './decision.ts';
import { type IdDemand, ORDINARY } from './id-demand.ts';
import type { NeededRecords } from './needed-records.ts';

/** Everything that the actor must know about one kind of command. */
export interface Rule<C extends SingleCommand> {
  /** Names the records that the decision reads, so that the actor fetches those that memory lacks. */
  readonly needs: (needed: NeededRecords, command: C) => void;
  /** Returns the largest number of ids that the decision may take. */
  readonly ids: (command: C) => IdDemand;
  /** Whether accounts and loads must be looked at again before the decision: the task may have changed its agent. */
  readonly followsAgent: boolean;
  /** Finds the task that the caller must be allowed to change; undefined for a command about no task. */
  readonly task: (draft: Draft, command: C) => TaskRecord | undefined;
  /** Lists further tasks that the command changes, which the caller must be allowed to change too. */
  readonly alsoChanges: (draft: Draft, task: TaskRecord, command: C) => readonly TaskRecord[];
  /** Names the record that If-Match is about. Only commands with `ifMatch` have one. */
  readonly target: (command: C, organizationId: number) => Shown;
  readonly decide: (draft: Draft, command: C, context: DecideContext) => Decision;
}

const NOTHING: Shown = { kind: 'nothing' };
const NO_TASKS: readonly TaskRecord[] = [];

const ordinary = () => ORDINARY;
const noTask = () => undefined;
const noTasks = () => NO_TASKS;
const nothing = () => NOTHING;

/** Completes a rule with what is usual. All rules have the same fields, so that the engine reads them alike. */
export function rule<C extends SingleCommand>(parts: Pick<Rule<C>, 'needs' | 'decide'> & Partial<Rule<C>>): Rule<C> {
  return {
    needs: parts.needs,
    ids: parts.ids ?? ordinary,
    followsAgent: parts.followsAgent ?? false,
    task: parts.task ?? noTask,
    alsoChanges: parts.alsoChanges ?? noTasks,
    target: parts.target ?? nothing,
    decide: parts.decide,
  };
}

/** The usual `task` of a rule. */
export function taskById(draft: Draft, { taskId }: { readonly taskId: number }): TaskRecord | undefined {
  return draft.findTask(taskId)?.task;
}

/** The usual `needs` of a command about one task. */
export function needsTask(needed: NeededRecords, { taskId }: { readonly taskId: number }): void {
  needed.task(taskId);
}

/** The `needs` of a command that reads only the organization. */
export function needsNothing(): void {}
