import type { Verb } from './verb.ts';

const INTRODUCTION = `Usage: npm run admin -- <noun> <verb> [id] [--name value]… [--json]
`;

const CLOSING = `
  --json           print what was answered as JSON
  --as <email>     act as this super admin, where there are several
  --help           with a noun or a verb: what it takes

Acts through the gateway at ADMIN_URL, in a session that it makes in DATABASE_URL; what is unset is taken from DATA_DIR,
where \`npm start\` notes it. Exits 0 when it was done, 1 when it was refused, 2 when it was not understood.
`;

/** The usage: of every noun, of the verbs of a noun, or of one verb with its options. */
export function helpText(verbs: readonly Verb[]): string {
  const nouns = new Set(verbs.map(({ noun }) => noun));
  if (nouns.size === 1) return `${INTRODUCTION}\n${verbs.map(described).join('\n')}${CLOSING}`;
  const width = Math.max(...verbs.map((verb) => nameOf(verb).length));
  const lines = [...nouns].map((noun) =>
    verbs
      .filter((verb) => verb.noun === noun)
      .map((verb) => `  ${nameOf(verb).padEnd(width)}   ${verb.summary}`)
      .join('\n'),
  );
  return `${INTRODUCTION}\n${lines.join('\n\n')}\n${CLOSING}`;
}

function described(verb: Verb): string {
  const options = verb.parameters.map((parameter) => [
    `--${parameter.name}`,
    `${parameter.help}${parameter.isRequired ? ' (needed)' : ''}`,
  ]);
  const width = Math.max(0, ...options.map(([name]) => name!.length));
  return [
    `  ${nameOf(verb)}: ${verb.summary}`,
    ...options.map(([name, help]) => `    ${name!.padEnd(width)}   ${help}`),
    '',
  ].join('\n');
}

function nameOf({ noun, verb }: Verb): string {
  return `${noun} ${verb}`;
}
