/** The tokens that the map draws with. */
const TOKENS = {
  ground: '--ground',
  surface: '--surface',
  line: '--line',
  soft: '--line-soft',
  ink: '--ink',
  muted: '--slate-9',
  accent: '--accent',
  late: '--late',
  wait: '--wait',
  good: '--good',
} as const;

export type MapColors = Readonly<Record<keyof typeof TOKENS, string>>;

/** The colours of the present theme as `rgb()`, which the map understands on every screen. */
export function readMapColors(): MapColors {
  const style = getComputedStyle(document.documentElement);
  const pixel = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })!;
  const toRgb = (color: string) => {
    pixel.clearRect(0, 0, 1, 1);
    pixel.fillStyle = color;
    pixel.fillRect(0, 0, 1, 1);
    const [red, green, blue] = pixel.getImageData(0, 0, 1, 1).data;
    return `rgb(${red}, ${green}, ${blue})`;
  };
  const entries = Object.entries(TOKENS).map(([name, token]) => [name, toRgb(style.getPropertyValue(token).trim())]);
  return Object.fromEntries(entries) as MapColors;
}
