import { type Mutation, mutationsOf } from '../../mutation.ts';

/** Faults in how programs find their stores. */
export const STORES: readonly Mutation[] = [
  ...mutationsOf(
    'engine/store/postgres.ts',
    ['unit/runtime/database-url'],
    [
      [
        "${address.includes('?') ? '&' : '?'}${new URLSearchParams(settings)}",
        '?${new URLSearchParams(settings)}',
        'Connections for pages have their settings beside those of the address.',
      ],
      [
        "  const [address = ''] = databaseUrl.split('#');",
        '  const address = new URL(databaseUrl).href;',
        'A gateway takes an address with several hosts.',
      ],
      ['    ...ipv6HostOf(url),\n', '', 'An address of IPv6 leads where it says.'],
    ],
  ),
  ...mutationsOf(
    'engine/runtime/setting-checks.ts',
    ['unit/runtime/database-url'],
    [
      [
        '[...parameters.keys()].map((name) => name.toLowerCase())',
        '[...parameters.keys()]',
        'No address gives connections another time zone, however the parameter is written.',
      ],
      ["  'statement_timeout',\n", '', 'No address takes the bound of statements away.'],
    ],
  ),
  ...mutationsOf(
    'engine/runtime/log.ts',
    ['unit/runtime/log'],
    [[", 'err.input'", '', 'An address with a password stays out of the log.']],
  ),
];
