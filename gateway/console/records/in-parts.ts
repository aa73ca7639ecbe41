/** The tasks that one call takes: `LIMITS.actionTasks`, without the other limits, which the page has no use for. */
const MOST = 500;

export function inParts(ids: readonly number[]): (readonly number[])[] {
  return Array.from({ length: Math.ceil(ids.length / MOST) }, (_, part) => ids.slice(part * MOST, (part + 1) * MOST));
}
