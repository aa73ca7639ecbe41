import * as v from 'valibot';
import { boolean, id, longText, oneOf, shortText } from '../fields/fields.ts';
import { named } from '../fields/named.ts';
import { shownAs } from '../fields/shown-as.ts';

/** The statuses in which a courier has a task. */
const SERVED_STATUSES = ['assigned', 'accepted', 'in_transit'] as const;

/** The body of POST /tasks/:id/reassign. */
export const reassignTaskInput = named(
  'ReassignTaskInput',
  v.object(
    {
      agentId: id,
      reason: v.nullish(longText),
      reasonCode: v.nullish(shortText),
      keepStatus: shownAs(v.nullish(boolean), {
        description: 'The packages changed hands already: the task stays in its status',
      }),
      fromAgentId: shownAs(v.nullish(id), { description: 'Only if this agent still has the task; 409 otherwise' }),
      fromStatus: shownAs(v.nullish(oneOf(SERVED_STATUSES)), {
        description: 'Only if the task is still in this status; 409 otherwise',
      }),
    },
    'the body must be an object',
  ),
);
export type ReassignTaskInput = v.InferOutput<typeof reassignTaskInput>;
