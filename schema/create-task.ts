import * as v from 'valibot';
import { inlineCustomerInput } from './customer.ts';
import { boolean, freeObject, id, idList, isoTime, longText, oneOf, parseIsoTime, requiredText } from './fields.ts';
import { LIMITS } from './limits.ts';
import { locationInput } from './location.ts';
import { packageInput } from './package.ts';
import { TASK_TYPES, TIMES_TO_SERVE } from './task.ts';

const packages = v.pipe(
  v.array(packageInput, 'must be an array'),
  v.maxLength(LIMITS.listItems, `must hold at most ${LIMITS.listItems} items`),
);

const skills = v.pipe(
  v.array(requiredText(LIMITS.shortTextChars), 'must be an array'),
  v.maxLength(LIMITS.listItems, `must hold at most ${LIMITS.listItems} items`),
);

const taskTypeOfAnyCase = v.pipe(v.string('must be a string'), v.toLowerCase(), oneOf(TASK_TYPES));

const isPositiveInteger = (value: number) => Number.isSafeInteger(value) && value >= 1;
const estimatedDuration = v.pipe(
  v.number('must be a number'),
  v.check(isPositiveInteger, 'must be a positive integer'),
  v.check(
    (minutes) => !isPositiveInteger(minutes) || minutes <= LIMITS.estimatedDurationMinutes,
    `must be at most ${LIMITS.estimatedDurationMinutes} minutes`,
  ),
);

/**
 * The body of POST /tasks. `type` and `dropoffLocation` are the alternate names of `taskType` and `location`
 * (decisions.md §3); null counts as absent wherever a field is optional.
 */
const fields = v.object(
  {
    name: v.nullish(requiredText(LIMITS.shortTextChars)),
    taskType: v.nullish(oneOf(TASK_TYPES)),
    type: v.nullish(taskTypeOfAnyCase),
    customer: v.nullish(inlineCustomerInput),
    customerId: v.nullish(id),
    location: v.nullish(locationInput),
    dropoffLocation: v.nullish(locationInput),
    locationId: v.nullish(id),
    pickupLocation: v.nullish(locationInput),
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
    requiredSkills: v.nullish(skills),
  },
  'the body must be an object',
);

type Fields = { readonly [K in keyof v.InferInput<typeof fields>]?: unknown };

/** Rules over several fields; they see the body as it came, so that they are told along with malformed fields. */
const CROSS_FIELD_RULES: readonly ((body: Fields) => readonly [path: string, phrase: string] | undefined)[] = [
  (body) =>
    given(body.taskType) && given(body.type) ? ['type', 'must not be given together with taskType'] : undefined,
  (body) => (given(body.taskType) || given(body.type) ? undefined : ['taskType', 'is required']),
  (body) => (given(body.name) || isAlternateShape(body) ? undefined : ['name', 'is required']),
  (body) =>
    given(body.dropoffLocation) && given(body.location)
      ? ['dropoffLocation', 'must not be given together with location']
      : undefined,
  (body) => exactlyOne('customer', given(body.customer), 'customerId', given(body.customerId)),
  (body) =>
    exactlyOne('location', given(body.location) || given(body.dropoffLocation), 'locationId', given(body.locationId)),
  (body) =>
    body.timeToServe === 'scheduled' && !given(body.scheduledAt)
      ? ['scheduledAt', 'is required when timeToServe is scheduled']
      : undefined,
];

function given(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function isAlternateShape(body: Fields): boolean {
  return given(body.type) || given(body.dropoffLocation);
}

function exactlyOne(one: string, hasOne: boolean, other: string, hasOther: boolean) {
  return hasOne !== hasOther ? undefined : ([one, `or ${other} must be given, exactly one of them`] as const);
}

/**
 * Validation of POST /tasks. `scheduledAt` of a scheduled task must lie after `now()`; for `asap` it is ignored.
 * All violations are reported at once.
 */
export function createTaskSchema(now: () => number) {
  return v.pipe(
    fields,
    v.rawCheck(({ dataset, addIssue }) => {
      const body = dataset.value as Fields | undefined;
      if (typeof body !== 'object' || body === null || Array.isArray(body)) return;
      for (const rule of CROSS_FIELD_RULES) {
        const violation = rule(body);
        if (violation) addIssue({ message: violation[1], path: [pathItem(body, violation[0])] });
      }
      const { timeToServe, scheduledAt } = body;
      const moment = typeof scheduledAt === 'string' ? parseIsoTime(scheduledAt) : undefined;
      if (timeToServe === 'scheduled' && moment !== undefined && Date.parse(moment) <= now()) {
        addIssue({ message: 'must be in the future', path: [pathItem(body, 'scheduledAt')] });
      }
    }),
    v.transform((body): CreateTaskInput => {
      const { type, taskType, dropoffLocation, location, ...rest } = body;
      return { ...rest, taskType: taskType ?? type!, location: location ?? dropoffLocation };
    }),
  );
}

/** What POST /tasks asks for, after validation: the alternate names are folded into the specified ones. */
export type CreateTaskInput = Omit<v.InferOutput<typeof fields>, 'type' | 'taskType' | 'dropoffLocation'> & {
  readonly taskType: (typeof TASK_TYPES)[number];
};

function pathItem(body: object, key: string) {
  return {
    type: 'object',
    origin: 'value',
    input: body as Record<string, unknown>,
    key,
    value: (body as Fields)[key as keyof Fields],
  } as const;
}
