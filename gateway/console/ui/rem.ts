/** A rem of this screen in pixels: a wall has a larger one, and so has a reader who asked the browser for larger text. */
export function remPx(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
}
