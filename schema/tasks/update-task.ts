import * as v from 'valibot';
import { locationInput } from '../customers/location.ts';
import { freeObject, id, isoTime, longText, requiredText } from '../fields/fields.ts';
import { named } from '../fields/named.ts';
import { requirementsInput } from '../fields/requirements.ts';
import { shownAs } from '../fields/shown-as.ts';
import { skillList } from '../fields/skill-list.ts';
import { timesCheck } from '../fields/times-check.ts';
import { LIMITS } from '../limits.ts';
import { estimatedDuration } from './create-task.ts';
import { packageEntry } from './package.ts';

const NULL_CLEARS = { description: 'null clears it' };
const NULL_LEAVES = 'null leaves it as it is';
const WHOLE_LIST =
  'The whole list: an entry with id changes that package, one without is added ' +
  `(at most ${LIMITS.listItems}), one not named is removed`;

const fields = named(
  'UpdateTaskInput',
  v.object(
    {
      name: shownAs(v.nullish(requiredText(LIMITS.shortTextChars)), { description: NULL_LEAVES }),
      notes: shownAs(v.optional(v.nullable(longText)), NULL_CLEARS),
      description: shownAs(v.optional(v.nullable(longText)), NULL_CLEARS),
      integrationData: shownAs(v.optional(v.nullable(freeObject)), NULL_CLEARS),
      scheduledAt: shownAs(v.nullish(isoTime), { description: `Makes an asap task a scheduled one; ${NULL_LEAVES}` }),
      dropoffLocation: shownAs(v.nullish(locationInput), { description: `The same as location; ${NULL_LEAVES}` }),
      location: shownAs(v.nullish(locationInput), { description: NULL_LEAVES }),
      pickupLocation: shownAs(v.nullish(locationInput), { description: NULL_LEAVES }),
      pickupWarehouseId: shownAs(v.nullish(id), {
        description: `The place of this warehouse; not together with pickupLocation; ${NULL_LEAVES}`,
      }),
      readyAt: shownAs(v.optional(v.nullable(isoTime)), { description: 'The earliest pickup; null for at once' }),
      windowStart: shownAs(v.optional(v.nullable(isoTime)), NULL_CLEARS),
      windowEnd: shownAs(v.optional(v.nullable(isoTime)), NULL_CLEARS),
      estimatedDuration: shownAs(v.optional(v.nullable(estimatedDuration)), {
        description: 'Minutes of service at the door; null clears it',
      }),
      requiredSkills: shownAs(v.optional(v.nullable(skillList)), {
        description: 'Skills that the agent must have; null for none',
      }),
      preferredAgentId: shownAs(v.optional(v.nullable(id)), {
        description: 'The agent that is asked first when eligible; null for none',
      }),
      packages: shownAs(
        v.nullish(
          v.pipe(
            v.array(packageEntry, 'must be an array'),
            v.maxLength(LIMITS.packagesPerTask, `must hold at most ${LIMITS.packagesPerTask} items`),
          ),
        ),
        { description: `${WHOLE_LIST}; ${NULL_LEAVES}` },
      ),
      requirements: shownAs(v.nullish(requirementsInput), {
        description: `What is named changes, the rest stays; ${NULL_LEAVES}`,
      }),
    },
    'the body must be an object',
  ),
);

/**
 * The body of PATCH /tasks/:id, all fields optional; an absent one stays. null clears what a task may be
 * without, places apart, and counts as absent elsewhere. `dropoffLocation` and `location` mean the same. `packages` is
 * the whole list, as WHOLE_LIST says. With `now`, times that have passed are violations too, see CreateTaskOptions.
 */
export function updateTaskSchema(now?: () => number) {
  return v.pipe(
    fields,
    timesCheck(now),
    v.rawCheck(({ dataset, addIssue }) => {
      const body = dataset.value as Record<string, unknown> | undefined;
      if (typeof body !== 'object' || body === null) return;
      const violation = (key: string, message: string) =>
        addIssue({ message, path: [{ type: 'object', origin: 'value', input: body, key, value: body[key] }] });
      const { packages, location, dropoffLocation, pickupLocation, pickupWarehouseId } = body;
      if (location != null && dropoffLocation != null)
        violation('dropoffLocation', 'must not be given together with location');
      if (pickupLocation != null && pickupWarehouseId != null)
        violation('pickupWarehouseId', 'must not be given together with pickupLocation');
      if (hasRepeatedId(packages)) violation('packages', 'must not name a package twice');
      if (addedBy(packages) > LIMITS.listItems) violation('packages', `must add at most ${LIMITS.listItems} packages`);
    }),
    v.transform(({ location, dropoffLocation, ...rest }) => ({ ...rest, location: location ?? dropoffLocation })),
  );
}
export type UpdateTaskInput = v.InferOutput<ReturnType<typeof updateTaskSchema>>;

function hasRepeatedId(packages: unknown): boolean {
  if (!Array.isArray(packages)) return false;
  const ids = packages.map((entry) => (entry as { id?: unknown } | null)?.id).filter((value) => v.is(id, value));
  return new Set(ids).size < ids.length;
}

function addedBy(packages: unknown): number {
  if (!Array.isArray(packages)) return 0;
  return packages.filter((entry) => (entry as { id?: unknown } | null)?.id == null).length;
}
