/**
 * The deepest nesting that is compared. Only unread fields can be deeper, and the call stack might not be enough for
 * them.
 */
const MAX_DEPTH = 500;
/** Large enough for nearly every body. A larger buffer is released after use. */
const USUAL_BYTES = 16_384;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;
const LAST_PRINTABLE = 0x7e;

/**
 * Writes a JSON value in its canonical form: sorted field names and no white space. It writes bytes directly, because
 * each request with a key is digested: a string would be joined from a hundred pieces and then encoded.
 */
export class CanonicalJson {
  #bytes = Buffer.allocUnsafe(USUAL_BYTES);
  #length = 0;

  /** Valid until the next call. */
  bytesOf(json: unknown): Buffer {
    this.#length = 0;
    this.#put(json, 0);
    const written = this.#bytes.subarray(0, this.#length);
    if (this.#bytes.length > USUAL_BYTES) this.#bytes = Buffer.allocUnsafe(USUAL_BYTES);
    return written;
  }

  #put(value: unknown, depth: number): void {
    if (typeof value === 'string') this.#putString(value);
    else if (typeof value !== 'object' || value === null) this.#putAscii(`${value}`);
    // All values nested this deep count as equal.
    else if (depth > MAX_DEPTH) this.#putNatively('…');
    else if (Array.isArray(value)) this.#putList(value, depth + 1);
    else this.#putObject(value as Readonly<Record<string, unknown>>, depth + 1);
  }

  #putList(items: readonly unknown[], depth: number): void {
    this.#putAscii('[');
    for (const item of items) {
      this.#put(item, depth);
      this.#putAscii(',');
    }
    this.#putAscii(']');
  }

  #putObject(fields: Readonly<Record<string, unknown>>, depth: number): void {
    this.#putAscii('{');
    for (const name of sorted(Object.keys(fields))) {
      this.#putString(name);
      this.#putAscii(':');
      this.#put(fields[name], depth);
      this.#putAscii(',');
    }
    this.#putAscii('}');
  }

  /** Copies printable ASCII without escapes byte by byte, which is faster than a call of the native encoder. */
  #putString(text: string): void {
    this.#reserve(text.length + 2);
    const bytes = this.#bytes;
    let at = this.#length;
    bytes[at++] = QUOTE;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code < FIRST_PRINTABLE || code > LAST_PRINTABLE || code === QUOTE || code === BACKSLASH) {
        this.#putNatively(JSON.stringify(text));
        return;
      }
      bytes[at++] = code;
    }
    bytes[at++] = QUOTE;
    this.#length = at;
  }

  #putAscii(text: string): void {
    this.#reserve(text.length);
    for (let index = 0; index < text.length; index++) this.#bytes[this.#length++] = text.charCodeAt(index);
  }

  #putNatively(text: string): void {
    this.#reserve(Buffer.byteLength(text));
    this.#length += this.#bytes.write(text, this.#length);
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#bytes.length) return;
    const before = this.#bytes;
    this.#bytes = Buffer.allocUnsafe(Math.max(needed, 2 * before.length));
    before.copy(this.#bytes, 0, 0, this.#length);
  }
}

/** Up to this many keys, insertion sort takes less time than preparing `sort`. */
const FEW_NAMES = 32;

function sorted(names: string[]): string[] {
  if (names.length > FEW_NAMES) return names.sort();
  for (let next = 1; next < names.length; next++) {
    const name = names[next]!;
    let place = next;
    for (; place > 0 && names[place - 1]! > name; place--) names[place] = names[place - 1]!;
    names[place] = name;
  }
  return names;
}
