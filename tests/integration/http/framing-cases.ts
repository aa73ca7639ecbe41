/** Requests that RFC 9112 has refused, one defect each; written out because the bytes are the point. */
export interface FramingCase {
  readonly name: string;
  readonly bytes: string;
}

const HOST = 'Host: a\r\n';
const line = (requestLine: string): string => `${requestLine}\r\n${HOST}\r\n`;
const header = (...lines: string[]): string => `GET / HTTP/1.1\r\n${HOST}${lines.join('\r\n')}\r\n\r\n`;
const body = (headers: string, content: string): string => `POST / HTTP/1.1\r\n${HOST}${headers}\r\n\r\n${content}`;
const chunked = (content: string): string => body('Transfer-Encoding: chunked', content);
/** A request hidden in a body: answered only by a server that ends the body too early. */
export const HIDDEN = `GET /hidden HTTP/1.1\r\n${HOST}\r\n`;

export const REQUEST_LINE_CASES: readonly FramingCase[] = [
  { name: 'no method', bytes: line(' / HTTP/1.1') },
  { name: 'a method in lower case', bytes: line('get / HTTP/1.1') },
  { name: 'a method nobody registered', bytes: line('BREW / HTTP/1.1') },
  { name: 'a method with a bracket', bytes: line('GE(T / HTTP/1.1') },
  { name: 'CONNECT', bytes: line('CONNECT a:80 HTTP/1.1') },
  { name: 'no target', bytes: line('GET HTTP/1.1') },
  { name: 'a target without a slash', bytes: line('GET x HTTP/1.1') },
  { name: 'a target with a high byte', bytes: line('GET /\xe9 HTTP/1.1') },
  { name: 'a target with a control character', bytes: line('GET /\x01 HTTP/1.1') },
  { name: 'a query with a high byte', bytes: line('GET /?\xe9 HTTP/1.1') },
  { name: 'two spaces before the target', bytes: line('GET  / HTTP/1.1') },
  { name: 'two spaces before the version', bytes: line('GET /  HTTP/1.1') },
  { name: 'tabs for spaces', bytes: line('GET\t/\tHTTP/1.1') },
  { name: 'no version', bytes: line('GET /') },
  { name: 'version 2.0', bytes: line('GET / HTTP/2.0') },
  { name: 'version 1.x', bytes: line('GET / HTTP/1.x') },
  { name: 'a version without a dot', bytes: line('GET / HTTP/11') },
  { name: 'a version in lower case', bytes: line('GET / http/1.1') },
  { name: 'text behind the version', bytes: line('GET / HTTP/1.1 x') },
  { name: 'garbage before the method', bytes: line('\x00\x01GET / HTTP/1.1') },
  { name: 'a TLS greeting', bytes: '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n' },
];

export const HEADER_CASES: readonly FramingCase[] = [
  { name: 'no host', bytes: 'GET / HTTP/1.1\r\n\r\n' },
  { name: 'an empty host', bytes: 'GET / HTTP/1.1\r\nHost:\r\n\r\n' },
  { name: 'two hosts', bytes: header('Host: b') },
  { name: 'a host with a slash', bytes: 'GET / HTTP/1.1\r\nHost: a/b\r\n\r\n' },
  { name: 'a host with a space', bytes: 'GET / HTTP/1.1\r\nHost: a b\r\n\r\n' },
  { name: 'a header without a colon', bytes: header('X-A') },
  { name: 'a space before the colon', bytes: header('X-A : b') },
  { name: 'a space before the name', bytes: `GET / HTTP/1.1\r\n X-A: b\r\n${HOST}\r\n` },
  { name: 'an empty name', bytes: header(': b') },
  { name: 'a folded header', bytes: header('X-A: b', ' c') },
  { name: 'a name with a bracket', bytes: header('X(A: b') },
  { name: 'a name with a high byte', bytes: header('X\xe9: b') },
  { name: 'a value with NUL', bytes: header('X-A: b\x00c') },
  { name: 'a value with a control character', bytes: header('X-A: b\x01c') },
  { name: 'a value with a bare CR', bytes: header('X-A: b\rc') },
  { name: 'a value with a bare LF', bytes: header('X-A: b\nX-B: c') },
  { name: 'line ends without CR', bytes: 'GET / HTTP/1.1\nHost: a\n\n' },
  { name: 'more headers than allowed', bytes: header(...Array.from({ length: 64 }, (_, i) => `X-${i}: a`)) },
  { name: 'larger headers than allowed', bytes: header(`X-A: ${'b'.repeat(9_000)}`) },
  { name: 'a longer target than allowed', bytes: line(`GET /${'a'.repeat(4_096)} HTTP/1.1`) },
  { name: 'a longer query than allowed', bytes: line(`GET /?${'a'.repeat(4_096)} HTTP/1.1`) },
];

export const LENGTH_CASES: readonly FramingCase[] = [
  { name: 'POST without a length', bytes: `POST / HTTP/1.1\r\n${HOST}\r\n${HIDDEN}` },
  { name: 'a negative length', bytes: body('Content-Length: -1', HIDDEN) },
  { name: 'a length with a plus', bytes: body('Content-Length: +5', `01234${HIDDEN}`) },
  { name: 'a length in hexadecimal', bytes: body('Content-Length: 0x5', `01234${HIDDEN}`) },
  { name: 'a length that is no number', bytes: body('Content-Length: abc', HIDDEN) },
  { name: 'an empty length', bytes: body('Content-Length:', HIDDEN) },
  { name: 'a length over 2^64', bytes: body('Content-Length: 18446744073709551617', `0${HIDDEN}`) },
  { name: 'the same length twice', bytes: body('Content-Length: 5\r\nContent-Length: 5', `01234${HIDDEN}`) },
  { name: 'two lengths', bytes: body('Content-Length: 5\r\nContent-Length: 6', `01234${HIDDEN}`) },
  { name: 'a list of lengths', bytes: body('Content-Length: 5, 5', `01234${HIDDEN}`) },
  { name: 'a space before the colon of the length', bytes: body('Content-Length : 5', `01234${HIDDEN}`) },
  {
    name: 'length before encoding',
    bytes: body('Content-Length: 5\r\nTransfer-Encoding: chunked', `0\r\n\r\n${HIDDEN}`),
  },
  {
    name: 'encoding before length',
    bytes: body('Transfer-Encoding: chunked\r\nContent-Length: 5', `0\r\n\r\n${HIDDEN}`),
  },
  { name: 'an encoding before chunked', bytes: body('Transfer-Encoding: gzip, chunked', `0\r\n\r\n${HIDDEN}`) },
  { name: 'chunked twice', bytes: body('Transfer-Encoding: chunked, chunked', `0\r\n\r\n${HIDDEN}`) },
  {
    name: 'two encoding headers',
    bytes: body('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked', `0\r\n\r\n${HIDDEN}`),
  },
  { name: 'an unknown encoding', bytes: body('Transfer-Encoding: xchunked', `0\r\n\r\n${HIDDEN}`) },
  { name: 'identity encoding', bytes: body('Transfer-Encoding: identity', HIDDEN) },
  { name: 'a vertical tab in the encoding', bytes: body('Transfer-Encoding: \x0bchunked', `0\r\n\r\n${HIDDEN}`) },
  { name: 'a folded encoding', bytes: body('Transfer-Encoding:\r\n chunked', `0\r\n\r\n${HIDDEN}`) },
  { name: 'a length behind an empty name', bytes: body('X: a\r\n: b\r\nContent-Length: 5', `01234${HIDDEN}`) },
];

export const CHUNK_CASES: readonly FramingCase[] = [
  { name: 'a chunk size that is no number', bytes: chunked(`xyz\r\nabc\r\n0\r\n\r\n`) },
  { name: 'a negative chunk size', bytes: chunked(`-3\r\nabc\r\n0\r\n\r\n`) },
  { name: 'a chunk size with a prefix', bytes: chunked(`0x3\r\nabc\r\n0\r\n\r\n`) },
  { name: 'a chunk size over 64 bits', bytes: chunked(`10000000000000003\r\nabc\r\n0\r\n\r\n`) },
  { name: 'an empty chunk size', bytes: chunked(`\r\nabc\r\n0\r\n\r\n`) },
  { name: 'a chunk longer than its size', bytes: chunked(`3\r\nabcd\r\n0\r\n\r\n`) },
  { name: 'a chunk without its line end', bytes: chunked(`3\r\nabc0\r\n\r\n`) },
  { name: 'a chunk size that ends without CR', bytes: chunked(`3\nabc\r\n0\r\n\r\n`) },
  { name: 'a chunk that ends with other characters', bytes: chunked(`3\r\nabcXX0\r\n\r\n`) },
  { name: 'a space before the chunk size', bytes: chunked(` 3\r\nabc\r\n0\r\n\r\n`) },
];

const CHUNK = '3\r\nabc\r\n';
const LAST_CHUNK = '0\r\n';

/** Chunked requests whose defect, or trailer, stands behind the chunk in front; in packets of their own where it says so. */
export const CHUNK_ENDS: readonly { readonly name: string; readonly packets: readonly string[] }[] = [
  { name: 'a trailer', packets: [chunked(`${CHUNK}${LAST_CHUNK}X-T: a\r\n\r\n`)] },
  { name: 'a trailer in a packet of its own', packets: [chunked(`${CHUNK}${LAST_CHUNK}`), 'X-T: a\r\n\r\n'] },
  { name: 'an end in a packet of its own', packets: [chunked(`${CHUNK}${LAST_CHUNK}`), '\r\n'] },
  { name: 'an empty chunk size behind a chunk', packets: [chunked(`${CHUNK}\r\nabc\r\n${LAST_CHUNK}\r\n`)] },
  { name: 'a chunk size that is no number behind a chunk', packets: [chunked(`${CHUNK}xyz\r\nabc\r\n`)] },
];

/** Characters of header names that RFC 9110 allows besides letters, digits and the hyphen. */
export const NAME_MARKS = [..."!#$%&'*+.^_`|~"];
