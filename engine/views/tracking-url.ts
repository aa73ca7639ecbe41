const PREFIX = '/t/';

/** Where whoever waits for a task follows it. */
export function trackingUrlOf(trackingToken: string): string {
  return `${PREFIX}${trackingToken}`;
}

/** The token of such an address. */
export function trackingTokenOf(trackingUrl: string): string {
  return trackingUrl.slice(PREFIX.length);
}
