import { type Finding, findingAt, type Source } from './source.ts';

const requiredFiles = ['LICENSE', 'README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md'];

interface BannedText {
  readonly pattern: RegExp;
  readonly message: string;
}

const bannedTexts: readonly BannedText[] = [
  {
    pattern: /(?<![\w.~-])\/(?:home|root|Users|work|workspaces?)\/[\w.-]/g,
    message: 'a path of one machine: write it relative to the repository, or take it from a setting',
  },
  {
    pattern: /\b[A-Za-z]:\\(?:Users|work)\\/g,
    message: 'a path of one machine: write it relative to the repository, or take it from a setting',
  },
  {
    pattern: /"resolved":\s*"https?:/g,
    message: 'the address of a registry: install with omit-lockfile-registry-resolved=true',
  },
  {
    pattern: /https?:\/\/[\w.-]*\bregistry\b|(?:^|\n)\s*(?:@[\w-]+:)?registry\s*=/g,
    message: 'the address of a registry: it belongs into the settings of the machine that installs',
  },
];

export function requiredFileRule(sources: readonly Source[]): Finding[] {
  const present = new Set(sources.map((source) => source.path));
  return requiredFiles
    .filter((path) => !present.has(path))
    .map((path) => ({ path, line: 1, rule: 'required-file', message: 'is missing: write it' }));
}

export function machineTextRule(sources: readonly Source[]): Finding[] {
  return sources.flatMap((source) =>
    bannedTexts.flatMap(({ pattern, message }) =>
      [...source.text.matchAll(pattern)].map((match) =>
        findingAt(source, match.index + match[0].search(/\S/), 'machine-text', `"${match[0].trim()}" is ${message}`),
      ),
    ),
  );
}
