import type { Headers } from './port.ts';

/** Names that frame the response belong to this layer: given twice they would contradict each other. */
const NAME = /^(?!(?:content-length|transfer-encoding|connection|date)$)[!#$%&'*+.^_`|~0-9A-Za-z-]+$/i;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Names that have passed: handlers set few, and the same ones again and again. */
const passed = new Set<string>();
const MOST_PASSED = 200;

/**
 * Throws TypeError on what may not leave: the native server writes headers as they are, so a line break in one would
 * begin a header, or a response, of the attacker's choice, and it ends the process on a body of another type.
 */
export function checkAnswer(status: number, headers: Headers, body: string | Buffer): void {
  if (!Number.isInteger(status) || status < 200 || status > 599) throw new TypeError(`${status} is no final status`);
  if (typeof body !== 'string' && !Buffer.isBuffer(body)) throw new TypeError('a body is a string or a Buffer');
  for (const [name, value] of headers) {
    if (!passed.has(name)) passName(name);
    if (typeof value !== 'string' || !VALUE.test(value)) {
      throw new TypeError(`the header ${name} has a value that may not be sent`);
    }
  }
}

function passName(name: string): void {
  if (!NAME.test(name)) throw new TypeError(`a handler may not set the header ${JSON.stringify(name)}`);
  if (passed.size < MOST_PASSED) passed.add(name);
}
