import { RefusedError } from './admin-errors.ts';
import type { RouteVerb, Values } from './verb.ts';

const PATIENCE_MS = 30_000;

interface Answer {
  readonly data?: unknown;
  readonly message?: string | readonly string[];
  readonly code?: string;
}

/** Sends a verb to the gateway and resolves to the answer's `data`. Throws RefusedError with what the gateway says. */
export async function askGateway(
  gatewayUrl: string,
  { route, isInOrganization }: RouteVerb,
  { organization, ...values }: Values,
  accessToken: string,
): Promise<unknown> {
  const [method, path] = route.split(' ') as [string, string];
  const { id, ...fields } = values;
  const inPath = path.replace(':id', `${id}`);
  const query = method === 'GET' ? `?${new URLSearchParams(fields as Record<string, string>)}` : '';
  const hasBody = method !== 'GET' && Object.keys(fields).length > 0;
  const url = `${gatewayUrl}/api/v1${inPath}${query}`;
  const response = await fetch(url, {
    method,
    signal: AbortSignal.timeout(PATIENCE_MS),
    headers: {
      authorization: `Bearer ${accessToken}`,
      ...(isInOrganization ? { 'x-organization-id': `${organization}` } : {}),
      ...(hasBody ? { 'content-type': 'application/json' } : {}),
    },
    ...(hasBody ? { body: JSON.stringify(fields) } : {}),
  }).catch((error: Error) => {
    const { cause } = error as { cause?: Error & { code?: string } };
    throw new RefusedError(`${gatewayUrl} does not answer: ${cause?.code ?? cause?.message ?? error.message}`);
  });
  const text = await response.text();
  const answer = parse(text);
  if (response.ok && answer) return answer.data;
  const { message = text, code } = answer ?? {};
  const said = [message].flat().join('\n  ');
  throw new RefusedError(`${code ?? response.status}: ${said}`);
}

function parse(text: string): Answer | undefined {
  try {
    return JSON.parse(text) as Answer;
  } catch {
    return undefined;
  }
}
