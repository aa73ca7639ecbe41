import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import core, { type RulesetDefinition } from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import type { Json } from '../../gateway/openapi/json-schema.ts';
import { DOCUMENT } from '../support/contract/described-api.ts';
import { type LintException, REDOCLY_EXCEPTIONS, SPECTRAL_EXCEPTIONS } from '../support/contract/lint-exceptions.ts';

/**
 * Two linters look at the document of the reference: /openapi.json is the same without texts. They have their
 * recommended rules. Their findings that stay have a reason in tests/support/contract/lint-exceptions.ts.
 */

const { Spectral } = core;
const { oas } = rulesets;

interface Finding {
  readonly rule: string;
  readonly place: string;
  readonly message: string;
}

interface RedoclyProblem {
  readonly ruleId: string;
  readonly message: string;
  readonly location: readonly { readonly pointer?: string }[];
}

const LINT_MS = 120_000;

/** No telemetry, no look for a newer version, and none of the hooks that load our sources: it has thousands of modules. */
const QUIET = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NODE_OPTIONS: '' };

function redocly(document: Json): Finding[] {
  const program = join(dirname(createRequire(import.meta.url).resolve('@redocly/cli/package.json')), 'bin/cli.js');
  const folder = mkdtempSync(join(tmpdir(), 'lint-'));
  try {
    const file = join(folder, 'openapi.json');
    writeFileSync(file, JSON.stringify(document));
    // It ends with 1 when it finds an error, which its output tells too.
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [program, 'lint', file, '--format=json', '--max-problems=1000'],
      { cwd: folder, encoding: 'utf8', timeout: LINT_MS, env: { ...process.env, ...QUIET } },
    );
    assert.ok(stdout.startsWith('{'), stderr);
    const { problems } = JSON.parse(stdout) as { readonly problems: readonly RedoclyProblem[] };
    return problems.map(({ ruleId: rule, message, location }) => ({
      rule,
      place: location[0]?.pointer ?? '',
      message,
    }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Nine tenths of the time, for what `no-invalid-media-type-examples` of redocly finds too: see the planted example. */
const REDOCLYS = 'oas3-valid-media-example';

async function spectral(document: Json): Promise<Finding[]> {
  const linter = new Spectral();
  linter.setRuleset({ extends: [[oas as RulesetDefinition, 'recommended']], rules: { [REDOCLYS]: 'off' } });
  const problems = await linter.run(document);
  return problems.map(({ code, path, message }) => ({ rule: String(code), place: path.join('.'), message }));
}

const isExcepted = ({ rule, place }: Finding, exception: LintException) =>
  rule === exception.rule && place.includes(exception.at ?? '');

/** The document without its title, and with an example in which an id of a customer is a text. */
function withFaults(): Json {
  const { title, ...info } = DOCUMENT['info'] as Readonly<Record<string, Json>>;
  const document = { ...structuredClone(DOCUMENT), info } as unknown as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly requestBody: Body }>>>>;
  };
  const { examples } = document.paths['/api/v1/tasks']!['post']!.requestBody.content['application/json']!;
  assert.ok(title && examples.exchange.value.customerId);
  examples.exchange.value.customerId = 'one';
  return document as unknown as Json;
}

interface Body {
  readonly content: Readonly<Record<string, { readonly examples: { readonly exchange: Example } }>>;
}

interface Example {
  readonly value: { customerId: unknown };
}

const LINTERS = [
  ['redocly', redocly, REDOCLY_EXCEPTIONS, [/title/, /customerId/]],
  ['spectral', spectral, SPECTRAL_EXCEPTIONS, [/title/]],
] as const;

for (const [name, lint, exceptions, planted] of LINTERS) {
  test(`${name} notices planted faults, finds nothing else but what is excepted with a reason, and each exception is needed`, async () => {
    const findings = await lint(withFaults());
    const others = findings.filter((finding) => !exceptions.some((exception) => isExcepted(finding, exception)));
    const isPlanted = ({ message, place }: Finding) => planted.some((fault) => fault.test(message + place));
    assert.deepEqual(
      others.filter((finding) => !isPlanted(finding)),
      [],
    );
    assert.equal(others.length, planted.length, JSON.stringify(others));
    for (const exception of exceptions)
      assert.ok(
        findings.some((finding) => isExcepted(finding, exception)),
        `nothing needs the exception of ${exception.rule}`,
      );
  });
}
