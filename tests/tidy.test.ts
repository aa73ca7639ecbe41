import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { bannedCallRule, consoleRule } from './support/tidy/call-rules.ts';
import { fileCycleRule, folderCycleRule, importTableRule, packageRule } from './support/tidy/import-rules.ts';
import { fileNameRule, reExportRule } from './support/tidy/name-rules.ts';
import { reviewed } from './support/tidy/reviewed.ts';
import { fileSizeRule, folderSizeRule, functionSizeRule } from './support/tidy/size-rules.ts';
import { type Rule, readTree } from './support/tidy/source.ts';
import { tableWriterRule, tenantKeyRule, tenantRule } from './support/tidy/sql-rules.ts';
import { testAssertionRule, testDodgeRule, testDrawRule } from './support/tidy/test-rules.ts';
import { machineTextRule, requiredFileRule } from './support/tidy/text-rules.ts';
import { requestCastRule } from './support/tidy/type-rules.ts';
import { plainWordsRule } from './support/tidy/word-rules.ts';

/** Each rule is proved by planted violations in tests/unit/tidy-rules.test.ts. */
const rules: readonly (readonly [behaviour: string, rule: Rule])[] = [
  ['each folder imports only what the import table allows', importTableRule],
  ['packages that can be replaced are known in one place', packageRule],
  ['no two files import each other, however far round', fileCycleRule],
  ['no two folders import each other, however far round', folderCycleRule],
  ['no file is longer than 400 lines', fileSizeRule],
  ['no function is longer than 70 lines', functionSizeRule],
  ['no folder holds more than 15 files', folderSizeRule],
  ['the schemas of a route type its request, not a cast', requestCastRule],
  ['time, chance and settings come in through the seams', bannedCallRule],
  ['what the system says goes through its log', consoleRule],
  ['files and folders are named after what they hold', fileNameRule],
  ['no file re-exports another whole', reExportRule],
  ['every table has one writer', tableWriterRule(reviewed)],
  ['every SQL statement names the organization', tenantRule(reviewed)],
  ['every unique key starts with the organization', tenantKeyRule(reviewed)],
  ['the files that a reader looks for first are there', requiredFileRule],
  ['no text belongs to one machine', machineTextRule],
  ['comments, messages and documents use plain words', plainWordsRule],
  ['no test is left out', testDodgeRule],
  ['every test file asserts something', testAssertionRule],
  ['random tests draw the same each time', testDrawRule],
];

const tree = readTree(fileURLToPath(new URL('..', import.meta.url)));

for (const [behaviour, rule] of rules) {
  test(behaviour, () => {
    const findings = rule(tree).map(({ path, line, rule: name, message }) => `${path}:${line}  ${name}: ${message}`);
    assert.ok(findings.length === 0, `\n${findings.join('\n')}`);
  });
}
