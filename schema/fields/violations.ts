import type * as v from 'valibot';

/** One sentence per violation, each beginning with the path of the field: "packages.0.weight must be a number". */
export function violationsOf(issues: readonly v.BaseIssue<unknown>[]): string[] {
  return issues.map((issue) => {
    const path = issue.path?.map((item) => String(item.key)).join('.') ?? '';
    const phrase = phraseOf(issue);
    return path ? `${path} ${phrase}` : phrase;
  });
}

function phraseOf(issue: v.BaseIssue<unknown>): string {
  const missing = issue.kind === 'schema' && issue.received === 'undefined';
  return missing ? 'is required' : issue.message;
}
