import { type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

const PROBE_DEADLINE_MS = 5_000;

/**
 * The status a GET answers with; undefined when there is no answer. The certificate is not checked: the only
 * server ever asked is our own child on this machine.
 */
export function findStatus(url: string, headers: Record<string, string> = {}): Promise<number | undefined> {
  const options: RequestOptions = { headers, agent: false, signal: AbortSignal.timeout(PROBE_DEADLINE_MS) };
  return new Promise((resolve) => {
    const outgoing = url.startsWith('https:')
      ? requestHttps(url, { ...options, rejectUnauthorized: false })
      : requestHttp(url, options);
    outgoing.once('response', (response) => {
      response.on('error', () => {}).resume();
      resolve(response.statusCode);
    });
    outgoing.once('error', () => resolve(undefined));
    outgoing.end();
  });
}
