/** The colours of a theme, by role. Every text colour has a contrast of at least 4.5 on every ground it is used on. */
export interface Colours {
  /** Behind the cards, and inside fields. */
  readonly ground: string;
  readonly card: string;
  readonly text: string;
  /** Text of second rank, and the edges of fields. */
  readonly soft: string;
  /** Lines that carry no meaning. */
  readonly line: string;
  /** The one colour that stands out: headlines, buttons, steps that are done. */
  readonly accent: string;
  /** Text on the accent colour. */
  readonly onAccent: string;
  /** Problems only. */
  readonly danger: string;
}

export const LIGHT: Colours = {
  ground: '#f4f5f7',
  card: '#ffffff',
  text: '#16191d',
  soft: '#565d66',
  line: '#d8dce1',
  accent: '#0a6b4c',
  onAccent: '#ffffff',
  danger: '#a3262a',
};

export const DARK: Colours = {
  ground: '#101317',
  card: '#1a1e24',
  text: '#eef0f3',
  soft: '#a7afb9',
  line: '#353c45',
  accent: '#5fd3a8',
  onAccent: '#10221b',
  danger: '#ff9a94',
};

/** The sizes of all pages, and of mails where a mail program knows them. */
const SIZES = {
  'space-1': '.25rem',
  'space-2': '.5rem',
  'space-3': '.75rem',
  'space-4': '1rem',
  'space-5': '1.25rem',
  'space-6': '1.5rem',
  'radius-field': '.5rem',
  'radius-card': '.75rem',
  'type-small': '.875rem',
  'type-body': '1.0625rem',
  'type-name': '1.15rem',
  'type-title': '1.6rem',
  /** The least height of an element for a thumb. */
  target: '2.75rem',
  measure: '34rem',
} as const;

/** Fonts for the scripts and signs that the first fonts of a stack lack, where the machine has them. */
const OTHER_SCRIPTS =
  '"Noto Sans Arabic","Noto Sans Hebrew","Noto Sans Devanagari","Noto Sans Thai","Noto Sans CJK SC","Noto Color Emoji"';

/** The fonts of pages and mails. */
export const FONTS = `system-ui,-apple-system,"Segoe UI",Roboto,Arial,${OTHER_SCRIPTS},sans-serif`;

/** The fonts of receipts: as wide on every machine that has the first one. */
export const PAPER_FONTS = `"Noto Sans","DejaVu Sans",Arial,${OTHER_SCRIPTS},sans-serif`;

/** The tokens as custom properties, in both themes. Every style sheet of a page begins with them. */
export const TOKEN_SHEET =
  `:root{color-scheme:light dark;${properties(LIGHT)}${properties(SIZES)}}` +
  `@media(prefers-color-scheme:dark){:root{${properties(DARK)}}}`;

function properties(values: object): string {
  const named = Object.entries(values) as [string, string][];
  return named
    .map(([name, value]) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}:${value};`)
    .join('');
}
