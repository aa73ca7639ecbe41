import type { Releaser } from '../../engine/runtime/lifecycle.ts';
import { openStand } from '../compare/open-stand.ts';
import { conditionLines, verdictLines } from '../report/print-report.ts';
import { say } from '../report/say.ts';
import { parseConsoleOptions } from './console-options.ts';
import type { PartResult } from './part-result.ts';
import { runBrowserPart } from './run-browser-part.ts';
import { runHeadlessPart } from './run-headless-part.ts';

/** `npm run bench -- console`. Resolves to the exit code: 1 when a part is void, 0 otherwise, targets met or not. */
export async function runConsole(args: readonly string[], releaser: Releaser, signal: AbortSignal): Promise<number> {
  const options = parseConsoleOptions(args);
  say('starting Postgres and Redis');
  const stand = await openStand(releaser, signal);
  say(...conditionLines(stand.conditions), '');
  const parts: PartResult[] = [];
  if (options.consoles > 0) parts.push(await runHeadlessPart(stand, options, releaser, signal));
  parts.push(await runBrowserPart(stand, options, releaser, signal));
  say('', ...verdictLines(parts.flatMap(({ verdicts }) => verdicts)));
  const reasons = parts.flatMap(({ voidReasons }) => voidReasons);
  if (reasons.length > 0) say('', 'VOID, these numbers prove nothing:', ...reasons.map((reason) => `  ${reason}`));
  return reasons.length === 0 ? 0 : 1;
}
