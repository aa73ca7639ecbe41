/**
 * The moments, in ms, at which reads at a steady rate were due until `now`, without the `asked` ones before. They do not
 * depend on when a timer fired: a late one would hide its delay.
 */
export function dueTimes(startedAt: number, perSecond: number, asked: number, now: number): number[] {
  const wanted = Math.floor(((now - startedAt) * perSecond) / 1_000);
  return Array.from(
    { length: Math.max(0, wanted - asked) },
    (_, index) => startedAt + ((asked + index + 1) * 1_000) / perSecond,
  );
}
