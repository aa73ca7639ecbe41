import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Releaser } from '../../engine/runtime/lifecycle.ts';
import { say } from '../report/say.ts';
import { keyOf, readAccepted, writeAccepted } from './accepted-figures.ts';
import { parseAllOptions } from './all-options.ts';
import { disturbancesOf, type Figure, figuresOf } from './figure.ts';
import type { Planned } from './planned.ts';
import { type Chart, reportPage } from './report-page.ts';

const PROGRAM = fileURLToPath(new URL('../run.ts', import.meta.url));

/** `npm run bench -- all`: each scenario in a process of its own. Resolves to 1 when one failed or was void. */
export async function runAll(args: readonly string[], releaser: Releaser, signal: AbortSignal): Promise<number> {
  const { planned, folder, accepts } = parseAllOptions(args);
  const accepted = readAccepted();
  const scratch = mkdtempSync(join(tmpdir(), 'dispatch-bench-all-'));
  releaser.push('results', () => rmSync(scratch, { recursive: true, force: true }));

  const figures: Figure[] = [];
  const charts: Chart[] = [];
  const problems: string[] = [];
  const disturbances: string[] = [];
  for (const scenario of planned) {
    say('', `== ${scenario.name}`);
    const jsonFile = join(scratch, `${scenario.name}.json`);
    const { exitCode, printed } = await run(scenario, jsonFile, signal);
    figures.push(...figuresOf(scenario.name, printed));
    disturbances.push(...disturbancesOf(scenario.name, printed));
    if (exitCode !== 0) problems.push(`${scenario.name} exited with ${exitCode}: its figures prove nothing.`);
    else if (scenario.hasCharts)
      charts.push(...(JSON.parse(readFileSync(jsonFile, 'utf8')) as { charts: Chart[] }).charts);
  }

  const date = new Date().toISOString().slice(0, 10);
  const processor = `${availableParallelism()} cores, ${cpus()[0]?.model.trim() ?? 'of an unknown kind'}`;
  const machine = `${processor}, Node ${process.versions.node}`;
  const compared = figures.map((figure) => ({ ...figure, accepted: accepted.get(keyOf(figure)) ?? null }));
  const report = { date, machine, figures: compared, charts, problems, disturbances };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'index.html'), reportPage(report));
  writeFileSync(join(folder, 'figures.json'), `${JSON.stringify(report, undefined, 2)}\n`);
  say(
    '',
    ...compared.map(lineOf),
    ...disturbances.map((text) => `DISTURBED  ${text}`),
    ...problems,
    `report: ${resolve(folder, 'index.html')}`,
  );
  if (accepts && problems.length === 0) writeAccepted(figures, date, processor);
  return problems.length > 0 ? 1 : 0;
}

async function run({ name, scenario = name, args, hasCharts }: Planned, jsonFile: string, signal: AbortSignal) {
  const json = hasCharts ? ['--json', jsonFile] : [];
  const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), PROGRAM, scenario, ...args, ...json], {
    stdio: ['ignore', 'pipe', 'inherit'],
    signal,
    killSignal: 'SIGTERM',
  });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
    process.stdout.write(chunk);
  });
  const [exitCode] = (await once(child, 'close')) as [number | null];
  return { exitCode, printed };
}

function lineOf({ met, claim, measured, accepted }: Figure & { readonly accepted: string | null }): string {
  return `${met ? 'PASS' : 'FAIL'}  ${claim}: ${measured}${accepted === null ? '' : ` (accepted: ${accepted})`}`;
}
