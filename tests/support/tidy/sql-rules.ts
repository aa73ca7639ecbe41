import type { Reviewed, TableWriter } from './reviewed.ts';
import { type Finding, findingAt, isUnder, isUnderAny, type Rule, type Source } from './source.ts';
import { readMigration, type SqlFunction, type Statement, statementsIn, tablesOf, writesOf } from './sql-text.ts';

/** The places of SQL: the numbered migrations, the functions, and statements in the code of the system. */
const SQL_FILES = ['schema/migrations', 'schema/functions'];
const notTheSystem = ['bench', 'tests'];
const NO_TENANT =
  'no organization_id in this statement: add it, or have it reviewed (globalStatements in tests/support/tidy/reviewed.ts)';
const COMMIT = 'commit_group';

interface Table {
  readonly name: string;
  readonly statement: Statement;
  /** The offset in the statement's text. */
  readonly at: number;
  readonly body: string;
}

interface Schema {
  readonly tables: readonly Table[];
  readonly functions: readonly SqlFunction[];
  /** Migrations without the bodies of their functions. */
  readonly rest: readonly Statement[];
  /** Statements written in TypeScript. */
  readonly inCode: readonly Statement[];
}

function schemaOf(sources: readonly Source[]): Schema {
  const migrations = sources
    .filter(({ path }) => isUnderAny(path, SQL_FILES) && path.endsWith('.sql'))
    .map(readMigration);
  const rest = migrations.map((migration) => migration.rest);
  const inCode = sources.filter(({ path }) => !isUnderAny(path, notTheSystem)).flatMap(statementsIn);
  const functions = migrations.flatMap((migration) => migration.functions);
  return { tables: [...rest, ...inCode].flatMap(createdTables), functions, rest, inCode };
}

function createdTables(statement: Statement): Table[] {
  const creation = /\bcreate\s+table\s+(?:if\s+not\s+exists\s+)?(\w+)\s*(\([\s\S]*?\n\)|\([^\n]*\))/gi;
  return [...statement.text.matchAll(creation)].map((match) => ({
    name: match[1]!.toLowerCase(),
    statement,
    at: match.index,
    body: match[2]!,
  }));
}

/** Every table has one writer, and each write in the code is that writer's. */
export function tableWriterRule(reviewed: Reviewed): Rule {
  return (sources) => {
    const schema = schemaOf(sources);
    const findings = unlistedTables(schema, reviewed.tableWriters);
    const usedExceptions = new Set<unknown>();
    for (const [statement, writer] of writtenBy(schema, reviewed)) {
      for (const { table, offset } of writesOf(statement)) {
        const report = (message: string) => findings.push(findingAt(statement.source, offset, 'table-writer', message));
        if (table === undefined) {
          report('a write into a table named at run time: write the name out, so that it can be checked');
          continue;
        }
        const owner = reviewed.tableWriters[table];
        if (owner === writer) continue;
        const exception = reviewed.foreignWrites.find(
          (each) => each.path === statement.source.path && (each.table === table || each.table === '*'),
        );
        if (exception) usedExceptions.add(exception);
        else if (owner) report(`${table} is written by ${owner}, not by ${writer}: ask its writer to do it`);
        else report(`${table} is in no migration and no row of tableWriters: add it there with its one writer`);
      }
    }
    const paths = new Set(sources.map((source) => source.path));
    for (const path of Object.keys(reviewed.storeWriters)) {
      if (!paths.has(path)) findings.push(stale(`storeWriters ${path}`));
    }
    for (const exception of reviewed.foreignWrites) {
      if (!usedExceptions.has(exception)) findings.push(stale(`foreignWrites ${exception.path} ${exception.table}`));
    }
    return findings;
  };
}

function unlistedTables(schema: Schema, tableWriters: Reviewed['tableWriters']): Finding[] {
  const findings: Finding[] = [];
  for (const { name, statement, at } of schema.tables) {
    if (tableWriters[name]) continue;
    const message = `${name} has no writer: add it to tableWriters (tests/support/tidy/reviewed.ts)`;
    findings.push(findingAt(statement.source, statement.offset + at, 'table-writer', message));
  }
  const known = new Set(schema.tables.map((table) => table.name));
  for (const name of Object.keys(tableWriters)) if (!known.has(name)) findings.push(stale(`tableWriters ${name}`));
  return findings;
}

/** Every statement that may write, with the writer it belongs to. */
function writtenBy(schema: Schema, reviewed: Reviewed): [Statement, TableWriter][] {
  const commitFunctions = calledFrom(COMMIT, schema.functions);
  return [
    ...schema.rest.map((statement): [Statement, TableWriter] => [statement, 'platform']),
    ...schema.functions.map((statement): [Statement, TableWriter] => [
      statement,
      commitFunctions.has(statement.name) ? 'commit_group' : 'platform',
    ]),
    ...schema.inCode.map((statement): [Statement, TableWriter] => {
      const { path } = statement.source;
      return [statement, isUnder(path, 'workers') ? 'worker' : (reviewed.storeWriters[path] ?? 'plain')];
    }),
  ];
}

function calledFrom(name: string, functions: readonly SqlFunction[], seen = new Set<string>()): Set<string> {
  seen.add(name);
  for (const caller of functions.filter((each) => each.name === name)) {
    for (const { name: callee } of functions) {
      if (!seen.has(callee) && new RegExp(String.raw`\b${callee}\s*\(`).test(caller.text))
        calledFrom(callee, functions, seen);
    }
  }
  return seen;
}

/** A statement that touches tenants' rows names the organization id in its own text. */
export function tenantRule(reviewed: Reviewed): Rule {
  return (sources) => {
    const findings: Finding[] = [];
    const { tables, inCode } = schemaOf(sources);
    const known = new Set(tables.map((table) => table.name));
    const used = new Set<unknown>();
    for (const statement of inCode) {
      const touchesTenants = tablesOf(statement).some(
        ({ table }) => table === undefined || (known.has(table) && !reviewed.platformTables[table]),
      );
      if (!touchesTenants || /\borganization_ids?\b/.test(statement.text)) continue;
      const exception = reviewed.globalStatements.find(
        ({ path, contains }) => path === statement.source.path && statement.text.includes(contains),
      );
      if (exception) used.add(exception);
      else findings.push(findingAt(statement.source, statement.offset, 'tenant', NO_TENANT));
    }
    for (const each of reviewed.globalStatements) {
      if (!used.has(each)) findings.push(stale(`globalStatements ${each.path} "${each.contains}"`));
    }
    return findings;
  };
}

/** Every unique key of a tenant's table starts with organization_id. */
export function tenantKeyRule(reviewed: Reviewed): Rule {
  return (sources) => {
    const { tables, rest } = schemaOf(sources);
    const keys = [...tables.flatMap(keysInTable), ...rest.flatMap(uniqueIndexes)];
    const used = new Set<string>();
    const findings: Finding[] = [];
    for (const { table, columns, source, offset } of keys) {
      const name = `${table} (${columns})`;
      if (reviewed.platformTables[table] || /^organization_id\b/.test(columns)) continue;
      if (reviewed.globalKeys[name]) used.add(name);
      else
        findings.push(
          findingAt(source, offset, 'tenant-key', `${name} must start with organization_id, or stand in globalKeys`),
        );
    }
    const names = new Set(tables.map((table) => table.name));
    for (const name of Object.keys(reviewed.globalKeys))
      if (!used.has(name)) findings.push(stale(`globalKeys ${name}`));
    for (const name of Object.keys(reviewed.platformTables))
      if (!names.has(name)) findings.push(stale(`platformTables ${name}`));
    return findings;
  };
}

interface Key {
  readonly table: string;
  readonly columns: string;
  readonly source: Source;
  readonly offset: number;
}

function keysInTable({ name, statement, at, body }: Table): Key[] {
  const bodyStart = statement.offset + statement.text.indexOf(body, at);
  const ofTable = /\b(?:primary\s+key|unique)\s*\(([^)]*)\)/gi;
  const ofColumn = /(?:^|\n|\()\s*(\w+)\s[^,\n]*\b(?:primary\s+key|unique)\b(?!\s*\()/gi;
  return [...body.matchAll(ofTable), ...body.matchAll(ofColumn)].map((match) => ({
    table: name,
    columns: match[1]!.trim(),
    source: statement.source,
    offset: bodyStart + match.index + match[0].search(/\w/),
  }));
}

function uniqueIndexes(statement: Statement): Key[] {
  const creation =
    /\bcreate\s+unique\s+index\s+(?:concurrently\s+)?(?:if\s+not\s+exists\s+)?\w+\s+on\s+(\w+)\s*\(((?:[^()]|\([^()]*\))*)\)/gi;
  return [...statement.text.matchAll(creation)].map((match) => ({
    table: match[1]!.toLowerCase(),
    columns: match[2]!.trim(),
    source: statement.source,
    offset: statement.offset + match.index,
  }));
}

function stale(entry: string): Finding {
  return {
    path: 'tests/support/tidy/reviewed.ts',
    line: 1,
    rule: 'stale-review',
    message: `nothing needs ${entry} any more: remove it`,
  };
}
