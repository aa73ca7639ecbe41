import * as v from 'valibot';
import { inlineCustomerInput } from '../customers/customer.ts';
import { locationInput } from '../customers/location.ts';
import { amountInput, currencyInput } from '../fields/amount.ts';
import {
  boolean,
  freeObject,
  id,
  idList,
  isoTime,
  isPast,
  longText,
  oneOf,
  positiveIntegerUpTo,
  requiredText,
} from '../fields/fields.ts';
import { named } from '../fields/named.ts';
import { requirementsInput } from '../fields/requirements.ts';
import { skillList } from '../fields/skill-list.ts';
import { isAfter, isEmptyWindow } from '../fields/times-check.ts';
import { LIMITS } from '../limits.ts';
import { packageInput } from './package.ts';
import { ALL_TASK_TYPES, CASH_TASK_TYPES, TASK_TYPES, type TaskType, TIMES_TO_SERVE } from './task.ts';

const packages = v.pipe(
  v.array(packageInput, 'must be an array'),
  v.maxLength(LIMITS.listItems, `must hold at most ${LIMITS.listItems} items`),
);

export const estimatedDuration = positiveIntegerUpTo(LIMITS.estimatedDurationMinutes, 'minutes');

/**
 * The fields of a task to be made. `type` and `dropoffLocation` are the alternate names of `taskType` and `location`
 * (docs/contract.md §3); null counts as absent wherever a field is optional.
 */
function taskFields(types: readonly TaskType[]) {
  return {
    name: v.nullish(requiredText(LIMITS.shortTextChars)),
    taskType: v.nullish(oneOf(types)),
    type: v.nullish(v.pipe(v.string('must be a string'), v.toLowerCase(), oneOf(types))),
    customer: v.nullish(inlineCustomerInput),
    customerId: v.nullish(id),
    location: v.nullish(locationInput),
    dropoffLocation: v.nullish(locationInput),
    locationId: v.nullish(id),
    pickupLocation: v.nullish(locationInput),
    pickupWarehouseId: v.nullish(id),
    channelId: v.nullish(id),
    timeToServe: v.nullish(oneOf(TIMES_TO_SERVE)),
    scheduledAt: v.nullish(isoTime),
    code: v.nullish(requiredText(LIMITS.shortTextChars)),
    description: v.nullish(longText),
    notes: v.nullish(longText),
    packages: v.nullish(packages),
    packageIds: v.nullish(idList),
    autoAssign: v.nullish(boolean),
    preferredAgentId: v.nullish(id),
    integrationData: v.nullish(freeObject),
    readyAt: v.nullish(isoTime),
    windowStart: v.nullish(isoTime),
    windowEnd: v.nullish(isoTime),
    estimatedDuration: v.nullish(estimatedDuration),
    requiredSkills: v.nullish(skillList),
    amount: v.nullish(amountInput),
    currency: v.nullish(currencyInput),
    requirements: v.nullish(requirementsInput),
  };
}

type TaskFields = v.InferOutput<v.ObjectSchema<ReturnType<typeof taskFields>, undefined>>;
type RawBody = { readonly [K in keyof TaskFields | 'parentId' | 'children']?: unknown };
type Rule = (body: RawBody, allowsCash: boolean) => readonly [path: string, phrase: string] | undefined;

/** Rules over several fields. They see the body as it came, so that their violations join those of malformed fields. */
const TASK_RULES: readonly Rule[] = [
  (body) => notBoth(body, 'type', 'taskType'),
  (body) => (given(body.taskType) || given(body.type) ? undefined : ['taskType', 'is required']),
  (body) => (given(body.name) || isAlternateShape(body) ? undefined : ['name', 'is required']),
  (body) => notBoth(body, 'dropoffLocation', 'location'),
  (body) => notBoth(body, 'pickupWarehouseId', 'pickupLocation'),
  (body, allowsCash) => oneOfTwo(body, 'customer', given(body.customer), 'customerId', allowsCash && isCash(body)),
  (body, allowsCash) => {
    const hasLocation = given(body.location) || given(body.dropoffLocation);
    return oneOfTwo(body, 'location', hasLocation, 'locationId', allowsCash && isCash(body));
  },
  (body) =>
    body.timeToServe === 'scheduled' && !given(body.scheduledAt)
      ? ['scheduledAt', 'is required when timeToServe is scheduled']
      : undefined,
  (body, allowsCash) =>
    allowsCash && isCash(body) && !given(body.amount) ? ['amount', 'is required for cash tasks'] : undefined,
  (body) => (isEmptyWindow(body.windowStart, body.windowEnd) ? ['windowEnd', 'must be after windowStart'] : undefined),
  (body) =>
    body.timeToServe === 'scheduled' && isEmptyWindow(body.scheduledAt, body.windowEnd)
      ? ['scheduledAt', 'must be before windowEnd']
      : undefined,
  // Before the window, or within it; past its end nobody could be in time.
  (body) => (isAfter(body.readyAt, body.windowEnd) ? ['readyAt', 'must not be after windowEnd'] : undefined),
];

const JOB_RULES: readonly Rule[] = [
  ...TASK_RULES,
  (body) => notBoth(body, 'children', 'parentId'),
  (body, allowsCash) =>
    allowsCash && isCash(body) && Array.isArray(body.children) && body.children.length > 0
      ? ['children', 'must not be given in a cash task']
      : undefined,
];

/** A job has one level. */
const CHILD_RULES: readonly Rule[] = [
  ...TASK_RULES,
  (body) => (given(body.children) ? ['children', 'must not be given in a child'] : undefined),
  (body) => (given(body.parentId) ? ['parentId', 'must not be given in a child'] : undefined),
];

function given(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function isAlternateShape(body: RawBody): boolean {
  return given(body.type) || given(body.dropoffLocation);
}

function isCash(body: RawBody): boolean {
  const named = body.taskType ?? (typeof body.type === 'string' ? body.type.toLowerCase() : undefined);
  return (CASH_TASK_TYPES as readonly unknown[]).includes(named);
}

function notBoth(body: RawBody, one: keyof RawBody, other: keyof RawBody) {
  return given(body[one]) && given(body[other])
    ? ([one, `must not be given together with ${other}`] as const)
    : undefined;
}

/** Exactly one of the two, or none where that is allowed. */
function oneOfTwo(body: RawBody, one: string, hasOne: boolean, other: keyof RawBody, mayBeNone: boolean) {
  const hasOther = given(body[other]);
  if (hasOne !== hasOther || (mayBeNone && !hasOne)) return undefined;
  return [one, `or ${other} must be given, exactly one of them`] as const;
}

export interface CreateTaskOptions {
  readonly cash?: boolean;
  /**
   * Judges `scheduledAt` and `windowEnd`, too. Otherwise that is the engine's job, which recognizes a retry of a request that was in
   * time; a refused body gets these violations here.
   */
  readonly now?: () => number;
}

function checkTask(rules: readonly Rule[], { cash: allowsCash = false, now }: CreateTaskOptions) {
  return v.rawCheck<Record<string, unknown>>(({ dataset, addIssue }) => {
    const body = dataset.value as RawBody | undefined;
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return;
    for (const rule of rules) {
      const violation = rule(body, allowsCash);
      if (violation) addIssue({ message: violation[1], path: [pathItem(body, violation[0])] });
    }
    const { timeToServe, scheduledAt, windowEnd } = body;
    if (now && timeToServe === 'scheduled' && isPast(scheduledAt, now))
      addIssue({ message: 'must be in the future', path: [pathItem(body, 'scheduledAt')] });
    if (now && isPast(windowEnd, now))
      addIssue({ message: 'must be in the future', path: [pathItem(body, 'windowEnd')] });
  });
}

/** A new task after validation: the alternate names are folded into the specified ones. */
export type TaskInput = Omit<TaskFields, 'type' | 'taskType' | 'dropoffLocation'> & { readonly taskType: TaskType };

/** The body is the schema's own copy, so that it may be changed. */
function foldNames<T extends Pick<TaskFields, 'type' | 'taskType' | 'location' | 'dropoffLocation'>>(body: T) {
  const { type, taskType, dropoffLocation, location } = body;
  body.taskType = taskType ?? type!;
  body.location = location ?? dropoffLocation;
  return body as T & Pick<TaskInput, 'taskType' | 'location'>;
}

/**
 * Validates POST /tasks: a task, a child of an existing one (`parentId`), or a job (`children`). A window ends
 * after it begins and after `scheduledAt`, not before the task is ready, and in the future. All violations are reported at once. Only callers
 * that handle cash may name the cash types, and none of those is a job: the agent that completes the task collects the
 * cash.
 */
export function createTaskSchema(options: CreateTaskOptions = {}) {
  const fields = taskFields(options.cash ? ALL_TASK_TYPES : TASK_TYPES);
  const unwanted = { parentId: v.optional(v.unknown()), children: v.optional(v.unknown()) };
  const child = v.pipe(
    named('ChildTaskInput', v.object({ ...fields, ...unwanted }, 'must be an object')),
    checkTask(CHILD_RULES, options),
    v.transform((body): TaskInput => foldNames(body)),
  );
  const children = v.pipe(
    v.array(child, 'must be an array'),
    v.maxLength(LIMITS.listItems, `must hold at most ${LIMITS.listItems} items`),
  );
  return v.pipe(
    named(
      'CreateTaskInput',
      v.object({ ...fields, parentId: v.nullish(id), children: v.nullish(children) }, 'the body must be an object'),
    ),
    checkTask(JOB_RULES, options),
    v.transform((body): CreateTaskInput => foldNames(body)),
  );
}

/** The input of POST /tasks. */
export interface CreateTaskInput extends TaskInput {
  readonly parentId?: number | null | undefined;
  readonly children?: readonly TaskInput[] | null | undefined;
}

function pathItem(body: object, key: string) {
  return {
    type: 'object',
    origin: 'value',
    input: body as Record<string, unknown>,
    key,
    value: (body as RawBody)[key as keyof RawBody],
  } as const;
}
