/** Lets pages of every origin in. */
export const ANY_ORIGIN = '*';

/** Origins of apps in a web view or an extension: `capacitor://localhost`, `chrome-extension://<id>`. */
const APP_ORIGIN = /^(?!(?:file|ftp|wss?):)[a-z][a-z0-9+.-]*:\/\/[a-z0-9.-]+(:\d+)?$/;

/** URL lets other characters stand in a host, such as `*` and `;`. */
const HOST = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])$/;

/** The reason why a list of origins cannot be used; undefined when it can. A browser names an origin in exactly one way. */
export function problemOfOrigins(origins: readonly string[]): string | undefined {
  if (origins.includes(ANY_ORIGIN)) return origins.length === 1 ? undefined : `"${ANY_ORIGIN}" must stand alone`;
  for (const origin of origins) {
    if (isOrigin(origin)) continue;
    const meant = originIn(origin);
    return `"${origin}" is not an origin${meant ? `; write ${meant}` : ', such as https://console.example.com'}`;
  }
  return undefined;
}

function isOrigin(text: string): boolean {
  return text === originIn(text) || (APP_ORIGIN.test(text) && !isWebScheme(text));
}

/** The origin of an address, as a browser writes it. */
function originIn(text: string): string | undefined {
  if (!isWebScheme(text) || !URL.canParse(text)) return undefined;
  const { hostname, origin } = new URL(text);
  return HOST.test(hostname) ? origin : undefined;
}

function isWebScheme(text: string): boolean {
  return /^https?:\/\//i.test(text);
}
