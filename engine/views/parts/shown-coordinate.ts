const ZERO = (0).toFixed(8);

/** A coordinate as answers have it: with 8 decimals, and zero without a sign. */
export function shownCoordinate(degrees: number): string {
  const text = degrees.toFixed(8);
  return text === `-${ZERO}` ? ZERO : text;
}
