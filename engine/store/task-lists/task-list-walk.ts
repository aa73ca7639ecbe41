import { LIMITS } from '../../../schema/limits.ts';
import { firstOf } from './listed-tasks.ts';
import type { PageText } from './task-list-request.ts';

/** A way along an index, in the order of the list. */
interface Walk {
  /** The sort key before the id. */
  readonly key: string;
  /** The bounds of the way itself. */
  readonly where: string;
  /** How many tasks it passes at most; an expression. */
  readonly reach: string;
  readonly matches: string;
}

/** The first tasks that match, among the first `reach` of all. Moving ones that do not match are not on the way. */
export function walkAlong(text: PageText, { key, where, reach, matches }: Walk): string {
  const order = text.orderBy(key, 't.id');
  // The planner uses the index because of the limit that it can read.
  const settledOnes = { where, order: `${order} LIMIT ${LIMITS.walkedTasks}` };
  const ofMoving = { where: `${where} AND ${matches}`, order: `${order} LIMIT ${text.end}` };
  return `SELECT t.id, ${text.column} AS key FROM (
        SELECT * FROM ${firstOf(text.inOrder, settledOnes, ofMoving)} t
        ${order} LIMIT ${reach}) t
      WHERE t.organization_id = $1::bigint AND ${matches} ${order} LIMIT ${text.end}`;
}

/** The tasks that the walk found where they were enough; else those of `otherwise`. */
export function walkedOr(otherwise: string): string {
  return `(SELECT id, key FROM walked WHERE (SELECT was_enough FROM walk)
      UNION ALL SELECT id, key FROM (${otherwise}) o WHERE NOT (SELECT was_enough FROM walk)) listed`;
}
