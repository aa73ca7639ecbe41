/**
 * The address of the service as paths are put behind it. Throws TypeError for one that no call could use: `fetch` fails
 * for it as for a service that is away, and calls would be repeated until they give up.
 */
export function baseUrlOf(given: string): string {
  const url = parse(given);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new TypeError(`baseUrl is an address with http or https, such as https://dispatch.example, not "${given}"`);
  if (url.username !== '' || url.password !== '') throw new TypeError('baseUrl has a user or a password in it');
  if (url.search !== '' || url.hash !== '')
    throw new TypeError('baseUrl has a ? or # in it: paths are put behind the whole of it');
  return url.origin + url.pathname.replace(/\/+$/, '');
}

function parse(given: string): URL | undefined {
  try {
    return new URL(given);
  } catch {
    return undefined;
  }
}
