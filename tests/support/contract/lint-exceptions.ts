/** A warning of a linter that stays, and why. */
export interface LintException {
  readonly rule: string;
  /** A part of the place that it is about; absent where it is about every place. */
  readonly at?: string;
  readonly reason: string;
}

const CONSOLE_SLASH =
  'People type the address of the console with and without a slash at its end, and both are routes.';

export const REDOCLY_EXCEPTIONS: readonly LintException[] = [
  {
    rule: 'operation-4xx-response',
    reason: 'The response `default` stands for the refusals that any call may get, so that they are described once.',
  },
  {
    rule: 'no-illogical-composition-keywords',
    reason:
      'The two bodies of errors differ in `message`: a text in one and a list in the other. The rule looks at `error`.',
  },
  {
    rule: 'no-ambiguous-paths',
    reason: 'Clients call these paths since before there was a linter. The router takes a fixed segment before an id.',
  },
  {
    rule: 'no-path-trailing-slash',
    at: '~1console~1',
    reason: CONSOLE_SLASH,
  },
];

export const SPECTRAL_EXCEPTIONS: readonly LintException[] = [
  {
    rule: 'info-contact',
    reason: 'The operator of a service is its contact, and the document is the same for every operator.',
  },
  {
    rule: 'path-keys-no-trailing-slash',
    at: '/console/',
    reason: CONSOLE_SLASH,
  },
  {
    rule: 'oas3-examples-value-or-externalValue',
    reason: 'The example of a picture, an archive or a part of the map is its call alone: no text has these bytes.',
  },
];
