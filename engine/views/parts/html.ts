/**
 * A piece of HTML that is safe as the content of an element. Only `html` and `trusted` make one; `trusted` is for
 * markup that our own code or a library wrote.
 */
export class Html {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/**
 * A value allowed in a template. Text is escaped, HTML is kept as it is, and null, undefined and false become empty.
 */
export type Piece = string | number | Html | readonly Piece[] | null | undefined | false;

/**
 * Builds HTML from a template and escapes every interpolated text. Interpolate only between tags and in quoted
 * attributes that are not URLs. Never interpolate inside a tag, a style or a script: escaping does not make these safe.
 */
export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  let text = strings[0]!;
  for (const [index, piece] of pieces.entries()) text += textOf(piece) + strings[index + 1]!;
  return new Html(text);
}

/** Marks markup as safe. Pass only markup that contains no outside input. */
export function trusted(markup: string): Html {
  return new Html(markup);
}

function textOf(piece: Piece): string {
  if (piece === null || piece === undefined || piece === false) return '';
  if (typeof piece === 'string') return escapeHtml(piece);
  if (typeof piece === 'object') return piece instanceof Html ? piece.toString() : piece.map(textOf).join('');
  return String(piece);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
/**
 * Matches HTML's special characters, control characters except tab and line feeds, and the characters that override
 * text direction.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is to be found.
const UNSAFE = /[&<>"'\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202d\u202e]/g;

function escapeHtml(text: string): string {
  return text.replace(UNSAFE, (character) => ENTITIES[character] ?? '\ufffd');
}
