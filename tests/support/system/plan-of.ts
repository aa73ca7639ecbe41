import type { Sql } from '../../../engine/store/postgres.ts';

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

/** The plan of the one statement that a function sends, which runs a second time for it. */
export async function planOf(sql: Sql, run: () => Promise<unknown>): Promise<PlanNode[]> {
  let sent: { text: string; values: unknown[] } | undefined;
  const { options } = sql as unknown as { options: { debug?: unknown } };
  options.debug = (_connection: number, text: string, values: unknown[]) => {
    sent = { text, values };
  };
  await run();
  options.debug = undefined;
  const [row] = await sql.unsafe(`EXPLAIN (ANALYZE, FORMAT JSON) ${sent!.text}`, sent!.values as never[]).values();
  const [[{ Plan }]] = row as unknown as [[{ Plan: PlanNode }]];
  return nodesOf(Plan);
}

/** Rows that the steps of a plan have looked at, all together. */
export function rowsOf(nodes: readonly PlanNode[]): number {
  return nodes.reduce(
    (sum, node) => sum + (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
    0,
  );
}
