/**
 * A piece of HTML that is safe where an element may stand. It comes from `html`, or from `trusted` where a program of ours
 * or of a library wrote it; there is no other way to make one.
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

/** What may stand in a template: text is escaped, HTML stays as it is, and what is absent leaves nothing behind. */
export type Piece = string | number | Html | readonly Piece[] | null | undefined | false;

/**
 * A template whose interpolations are escaped, whatever they hold. They may stand between tags and in quoted attributes
 * that are no addresses; never in a tag, a style or a script, where escaping would not make them safe.
 */
export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  let text = strings[0]!;
  for (const [index, piece] of pieces.entries()) text += textOf(piece) + strings[index + 1]!;
  return new Html(text);
}

/** Markup that nobody outside had a hand in. */
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
/** What HTML gives a meaning; controls but for tab and line feeds; and what makes a text show as another one. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is to be found.
const UNSAFE = /[&<>"'\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202d\u202e]/g;

function escapeHtml(text: string): string {
  return text.replace(UNSAFE, (character) => ENTITIES[character] ?? '\ufffd');
}
