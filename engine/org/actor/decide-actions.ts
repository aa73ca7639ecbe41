import type { ActOnTasks, Answer, TaskAction } from '../../../schema/commands.ts';
import { refusal } from '../../../schema/errors.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { TASK_STATUSES } from '../../../schema/tasks/task.ts';
import { applyDraft, type DecidedCommand, type DecideTools, openBatchAt } from '../apply/apply-decision.ts';
import { encodeShown } from '../apply/encode-shown.ts';
import type { DecideContext } from '../decide/decision.ts';
import { decideByRule } from '../decide/rules.ts';
import { shownChars } from '../decide/steps/family-size.ts';
import { Draft } from '../state/draft.ts';
import type { OrgState } from '../state/org-state.ts';
import { answerJointly, failedItem, type ItemResult, inOneCommit } from './joint-answer.ts';

/**
 * POST /tasks/actions. Decides each item as its single call would be, in their order, and each sees those before it. They
 * all go into one commit. Refuses 400 for more tasks, their children included, or more text than one commit bears.
 */
export function decideActions(tools: DecideTools, command: ActOnTasks, context: DecideContext): DecidedCommand {
  const joint = inOneCommit(tools);
  if (countTasks(tools.state, command) > LIMITS.actionFamilies) return refused(TOO_MANY);
  if (countChars(tools.state, command) > LIMITS.actionTextChars) return refused(TOO_LONG);
  let items = '';
  let done = 0;
  for (const action of command.actions) {
    const { ok, json } = decideAction(joint, command, action, context);
    const what = ok ? `"done","task":${json}` : `"failed","error":${json}`;
    items += `${items === '' ? '' : ','}{"taskId":${action.taskId},"status":${what}}`;
    if (ok) done += 1;
  }
  const data = `{"items":[${items}],"done":${done},"failed":${command.actions.length - done}}`;
  const answer = answerJointly(joint, command, data, context.now);
  // Its position is the newest, so it waits for the newest, even when nothing changes.
  return { answer: () => answer, changes: joint.opened(), restsOn: undefined };
}

function decideAction(tools: DecideTools, command: ActOnTasks, action: TaskAction, context: DecideContext): ItemResult {
  const draft = new Draft(tools.state);
  const decision = decideByRule(draft, action, context);
  if (!decision.ok) return failedItem(decision.refusal, command.facts);
  if (draft.changes.length === 0) return { ok: true, json: encodeShown(tools.state, decision.shown)! };
  const batch = openBatchAt(tools, context.now);
  return { ok: true, json: applyDraft(tools, batch, draft, command, decision.shown).data };
}

/** The tasks that change or are shown: a job is shown with its children, and cancelled with them. */
function countTasks(state: OrgState, { actions }: ActOnTasks): number {
  const childrenOf = ({ taskId }: TaskAction) => state.findTask(taskId)?.task.childIds?.length ?? 0;
  return actions.reduce((count, action) => count + 1 + childrenOf(action), 0);
}

/**
 * The text that events and the answer may repeat. A step of a child may change its job, whose event has all children.
 * Steps to one status lead a job through each status once at most, and one event at the end has its other changes.
 */
function countChars(state: OrgState, { actions }: ActOnTasks): number {
  const rootOf = ({ taskId }: TaskAction) => state.findTask(taskId)?.task.parentId ?? taskId;
  const steps = new Map<number, number>();
  for (const root of actions.map(rootOf)) steps.set(root, (steps.get(root) ?? 0) + 1);
  let chars = 0;
  for (const [root, count] of steps) chars += shownChars(state, root) * Math.min(count, TASK_STATUSES.length);
  return chars;
}

function refused(what: string): DecidedCommand {
  const violations = [`taskIds must name ${what}, the children of jobs included`];
  const answer: Answer = { ok: false, refusal: refusal('VALIDATION_FAILED', undefined, { violations }) };
  return { answer: () => answer, changes: false, restsOn: undefined };
}

const TOO_MANY = `at most ${LIMITS.actionFamilies} tasks`;
const TOO_LONG = `tasks with at most ${LIMITS.actionTextChars} characters of text`;
