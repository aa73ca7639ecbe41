import type { RequestFacts } from '../../schema/commands.ts';

/** Wraps `data`, which is already JSON, in the envelope. `durationMs` is rounded to 0.01. */
export function successBody(
  facts: RequestFacts,
  answer: {
    readonly status: number;
    readonly message: string;
    readonly position?: string | undefined;
  },
  data: string,
  time: { readonly now: string; readonly durationMs: number },
): string {
  const position = answer.position === undefined ? '' : `,"position":"${answer.position}"`;
  return (
    `{"statusIndicator":"SUCCESS","statusCode":${answer.status},"message":"${answer.message}","data":${data},` +
    `"metadata":{"timestamp":"${time.now}","correlationId":"${facts.correlationId}",` +
    `"path":${JSON.stringify(facts.canonicalPath)},"duration":${Math.round(time.durationMs * 100) / 100}${position}}}`
  );
}
