import { text } from './english.ts';

type Words = (details: Readonly<Record<string, unknown>>) => string;

const status = (name: unknown) => text.status[String(name)]?.toLowerCase() ?? String(name);

/** The codes of docs/errors.md that a dispatcher meets: why, and what to do. */
export const refusals: Readonly<Record<string, Words>> = {
  AGENT_SLOT_TAKEN: () => 'This courier has another task at that time. Choose another courier, or another time.',
  AGENT_OVER_CAPACITY: () => 'The packages do not fit into this courier’s vehicle any more. Choose another courier.',
  AGENT_NOT_ACTIVE: () => 'This courier is not active. Choose another one.',
  AGENT_REQUIRED: () => 'Nobody has this task yet. Assign it first.',
  ASSIGNMENT_ALREADY_TAKEN: () => 'Another courier took it a moment ago.',
  INVALID_STATUS_TRANSITION: ({ from }) => `This does not work any more: the task is ${status(from)}.`,
  PROOF_REQUIRED: ({ missing }) =>
    `Still missing: ${[missing].flat().join(', ')}. The courier adds it, then completes the task.`,
  STATUS_DERIVED: () => 'This is a job: its status follows from its tasks. Change those.',
  TASK_NOT_EDITABLE: () => 'This task is over, or a courier has it already.',
  TASK_NOT_FAILED: () => 'Only a failed task can be attempted again.',
  TASK_ALREADY_REATTEMPTED: () => 'This task was attempted again already.',
  TASK_NOT_RETURNABLE: () => 'There is no pickup place to bring it back to.',
  TASK_MOVED_ON: () => 'Somebody else changed this task a moment ago. Look again, then decide.',
  PRECONDITION_FAILED: () =>
    'Somebody else changed this a moment ago. Save again: what you have not touched stays theirs.',
  TASK_CODE_TAKEN: () => 'Another task has this code. Choose another one, or leave it empty.',
  PACKAGE_LIMIT_EXCEEDED: ({ resource, limit }) => `The plan of the organization ends at ${limit} ${resource}.`,
  FORBIDDEN: () => 'Your role does not allow this. Ask an administrator to do it, or to give you another role.',
  ORGANIZATION_NOT_ACTIVE: () => 'Your organization is not active. The operator of the service can activate it.',
  EMAIL_NOT_VERIFIED: () => 'This e-mail address is not verified yet. Open the link in the mail that we sent.',
  RATE_LIMITED: () => 'Too many requests. Wait a moment, then try again.',
  NOT_APPLIED: () => 'This was not carried out. Try again.',
  OUTCOME_UNKNOWN: () => 'It is not known whether this was carried out. Look at the task before you try again.',
  UNAVAILABLE: () => 'The engine cannot answer now. Try again in a moment.',
  NOT_OWNER: () => 'Another gateway takes over this organization. Try again in a few seconds.',
  OVERLOADED: () => 'The engine is very busy. Try again in a moment.',
};

/** The words for a call without an answer whose key may be forgotten. */
export const sentLongAgo =
  'This was sent at least 23 hours ago, and no answer came. Look whether it was done. Press again if it was not.';
