import * as v from 'valibot';
import { id, longText, shortText } from '../fields/fields.ts';
import { named } from '../fields/named.ts';

const why = { reason: v.nullish(longText), reasonCode: v.nullish(shortText) };

/** The body of POST /tasks/:id/assign. */
export const assignTaskInput = named(
  'AssignTaskInput',
  v.object({ agentId: id, ...why }, 'the body must be an object'),
);
export type AssignTaskInput = v.InferOutput<typeof assignTaskInput>;

/** The body of POST /tasks/:id/unassign, which may be left out. */
export const unassignTaskInput = named('UnassignTaskInput', v.object(why, 'the body must be an object'));
export type UnassignTaskInput = v.InferOutput<typeof unassignTaskInput>;
