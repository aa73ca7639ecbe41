import { type Finding, findingAt, isUnderAny, type Source } from './source.ts';

interface BannedPhrase {
  readonly pattern: RegExp;
  readonly instead: string;
  /** Where the phrase is banned: the end of a path. Everywhere without it. */
  readonly endOfPath?: string;
}

const OF_INSTEAD = 'the subject first, or "For each", "When"';

/** Phrases that make a reader start a sentence again. */
const bannedPhrases: readonly BannedPhrase[] = [
  { pattern: /\bwho(?:so)?ever\b/gi, instead: 'name the subject: the caller, the reader, the customer' },
  { pattern: /\bwhatever\b/gi, instead: 'name the thing, or write "any" or "regardless of"' },
  { pattern: /\banew\b/gi, instead: '"again"' },
  { pattern: /\b(?:tell|tells|told|telling) (?:\w+ )?of\b/gi, instead: '"log", "emit", "report" or "announce"' },
  { pattern: /\b(?:is|are|was|were|be|been|being) told\b/gi, instead: 'who sends or logs it, in the active voice' },
  { pattern: /\b(?:go|goes|going|went) by\b/gi, instead: '"follow" or "use"' },
  { pattern: /\b(?:let|lets|letting) go\b/gi, instead: '"release", "drop" or "evict"' },
  { pattern: /\b(?:become|becomes|became) of\b/gi, instead: '"happen to"' },
  { pattern: /\bthat which\b/gi, instead: 'the noun' },
  { pattern: /\b(?:come|comes|came) to nothing\b/gi, instead: '"have no effect"' },
  { pattern: /\b(?:take|takes|taken|took|taking) in\b/gi, instead: '"accept" or "read"' },
  { pattern: /\bfore(?:see|sees|saw|seen)\b/gi, instead: '"expect"' },
  { pattern: /\b(?:try|tries|tried|trying) on\b/gi, instead: '"retry"' },
  { pattern: /\b(?:nothing|all) of (?:it|that|this|them)\b/gi, instead: '"nothing", "everything" or the noun' },
  { pattern: /\b(?:of|by|from|for|to|with) whom\b/gi, instead: 'a sentence of its own with a subject' },
  { pattern: /\bbut for\b/gi, instead: '"except"' },
  {
    pattern: /(?:\/\*\*|^\s*\*|\/\/|[.;]) (?:What|Who|Whom|Those (?:who|that|which))\b(?![^.]*\?)/gm,
    instead: 'a sentence whose subject is a noun',
  },
  // A capital: it begins a sentence, and the reader learns only at its verb whose part this is.
  { pattern: /\bOf (?!course\b)/g, instead: OF_INSTEAD, endOfPath: '.md' },
  { pattern: /(?:\/\*\*|^\s*\*|\/\/) Of (?!course\b)/gm, instead: OF_INSTEAD },
  {
    pattern: /\b(?:test|it|describe|suite)\(\s*['"`](?:what|who|whom|those|that)\b/g,
    instead: 'a name whose subject is a noun: a failing line in a log stands alone',
  },
];

/** Texts that cannot change: applied migrations, the license. The two files about this rule quote the phrases. */
const exempt = [
  'schema/migrations',
  'LICENSE',
  'tests/support/tidy/word-rules.ts',
  'tests/unit/tidy-rules.test.ts',
  'package-lock.json',
];

export function plainWordsRule(sources: readonly Source[]): Finding[] {
  return sources.filter(({ path }) => !isUnderAny(path, exempt)).flatMap((source) => phrasesIn(source));
}

/** Every banned phrase of one file. */
export function phrasesIn(source: Source): Finding[] {
  const phrases = bannedPhrases.filter(({ endOfPath = '' }) => source.path.endsWith(endOfPath));
  return phrases.flatMap(({ pattern, instead }) =>
    [...source.text.matchAll(pattern)].map((match) =>
      findingAt(source, match.index + match[0].search(/\S/), 'plain-words', `"${match[0].trim()}": write ${instead}`),
    ),
  );
}
