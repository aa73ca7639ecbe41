import type { Node } from 'oxc-parser';
import { type Finding, findingAt, isUnder, type Source, walk } from './source.ts';

const parts = new Set(['body', 'query', 'params']);

/** Routes get the types of their requests from their paths and schemas, so a cast hides a wrong schema. */
export function requestCastRule(sources: readonly Source[]): Finding[] {
  const findings: Finding[] = [];
  for (const source of sources) {
    if (!isUnder(source.path, 'gateway')) continue;
    walk(source, (node) => {
      const name = node.type === 'TSAsExpression' ? partOf(node.expression) : undefined;
      if (!name) return;
      const message = `a cast of ${name}: declare the route with apiRoute() or rawRoute(), which infer its type`;
      findings.push(findingAt(source, node.start, 'request-cast', message));
    });
  }
  return findings;
}

/** The part of a request that an expression names: `body`, or `request.body`. */
function partOf(expression: Node): string | undefined {
  if (expression.type === 'ParenthesizedExpression') return partOf(expression.expression);
  if (expression.type === 'Identifier') return parts.has(expression.name) ? expression.name : undefined;
  if (expression.type !== 'MemberExpression' || expression.property.type !== 'Identifier') return undefined;
  return parts.has(expression.property.name) ? expression.property.name : undefined;
}
