import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { withProgram } from './installed-programs.ts';

/** The value of a sample by its name and labels as they are written: `dispatch_offers_total{status="made"}`. */
export function sampleOf(text: string, sample: string): number {
  const line = text.split('\n').find((each) => each.startsWith(`${sample} `));
  assert.ok(line, `there is no sample ${sample}`);
  return Number(line.slice(sample.length + 1));
}

/** Reads metrics; rejects when they are not served. */
export async function readMetrics(url: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const response = await fetch(url, { headers });
  assert.equal(response.status, 200, url);
  return response.text();
}

/** The families of a scrape that are ours, by their names, with their types. */
export function familiesOf(text: string): ReadonlyMap<string, string> {
  return new Map(Array.from(text.matchAll(/^# TYPE (dispatch_\w+) (\w+)$/gm), ([, name, type]) => [name!, type!]));
}

/** The reason to skip tests that need promtool, on a machine without it. */
export const WITH_PROMTOOL = withProgram('promtool');

/** Runs promtool, and returns its exit code with what it printed. */
export function runPromtool(
  args: readonly string[],
  input = '',
): Promise<{ readonly code: number; readonly text: string }> {
  return new Promise((resolve) => {
    const child = execFile('promtool', args, (error, stdout, stderr) => {
      const code = error ? Number(error.code) : 0;
      resolve({ code, text: `${stdout}${stderr}` });
    });
    child.stdin!.end(input);
  });
}
