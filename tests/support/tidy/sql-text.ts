import type { Node } from 'oxc-parser';
import { type Source, walk } from './source.ts';

/** A piece of SQL and where it starts in its file. Its comments are blanked, so that offsets stay true. */
export interface Statement {
  readonly source: Source;
  readonly offset: number;
  readonly text: string;
}

export interface SqlFunction extends Statement {
  readonly name: string;
}

export interface TableReference {
  /** The name in lower case; undefined when it is inserted at run time. */
  readonly table: string | undefined;
  readonly offset: number;
}

const verbs = /^\s*(select|insert\s+into|update|delete\s+from|with|copy|merge\s+into|truncate|create\s+table)\s/i;
const NAME = String.raw`(?:only\s+)?(?:public\.)?"?([a-z_][a-z0-9_]*|\$\{)`;
const writeTarget = new RegExp(
  String.raw`\b(?:insert\s+into|delete\s+from|merge\s+into|truncate(?!\s+on\b)(?:\s+table)?|copy|(?<!\b(?:do|for|key)\s+)update(?!\s+o[fr]\b))\s+${NAME}`,
  'gi',
);
const anyTable = new RegExp(
  String.raw`\b(?:(?<!\bdistinct\s+)from|into|update(?!\s+of\b)|join|using|copy|truncate)\s+${NAME}`,
  'gi',
);

/** Statements written in TypeScript: tagged templates in any case, other texts when they start with an SQL verb in capitals. */
export function statementsIn(source: Source): Statement[] {
  const statements: Statement[] = [];
  walk(source, (node, parent) => {
    if (node.type !== 'TemplateLiteral' && !isText(node)) return;
    const body = source.text.slice(node.start + 1, node.end - 1);
    const verb = body.match(verbs)?.[1];
    const isTagged = parent?.type === 'TaggedTemplateExpression';
    if (!verb || (!isTagged && verb !== verb.toUpperCase())) return;
    statements.push({ source, offset: node.start + 1, text: withoutComments(body) });
  });
  return statements;
}

/** A migration in its parts: the functions it creates, and everything else. */
export function readMigration(source: Source): { readonly functions: SqlFunction[]; readonly rest: Statement } {
  const text = withoutComments(source.text);
  const functions: SqlFunction[] = [];
  const creation = /\bcreate\s+(?:or\s+replace\s+)?function\s+(\w+)[\s\S]*?(\$\w*\$)([\s\S]*?)\2/gi;
  const rest = text.replace(creation, (whole: string, name: string, quote: string, body: string, offset: number) => {
    functions.push({ source, name, offset: offset + whole.indexOf(quote) + quote.length, text: body });
    return blank(whole);
  });
  return { functions, rest: { source, offset: 0, text: rest } };
}

export function writesOf(statement: Statement): TableReference[] {
  return references(statement, writeTarget);
}

export function tablesOf(statement: Statement): TableReference[] {
  return references(statement, anyTable);
}

function references(statement: Statement, pattern: RegExp): TableReference[] {
  return [...statement.text.matchAll(pattern)].map((match) => ({
    table: match[1] === '${' ? undefined : match[1]!.toLowerCase(),
    offset: statement.offset + match.index,
  }));
}

function isText(node: Node): boolean {
  return node.type === 'Literal' && typeof node.value === 'string';
}

function withoutComments(sql: string): string {
  return sql.replace(/--[^\n]*|\/\*[\s\S]*?\*\//g, blank);
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}
