import { type Mutation, mutationsOf } from '../mutation.ts';

const FOREIGN = ['api/guards/foreign-ids'];
const ROLES = ['api/guards/route-walk'];

/** Faults that the walks over every route and the tables of validation are to notice. */
export const BOUNDARY: readonly Mutation[] = [
  ...mutationsOf('engine/store/accounts/user-store.ts', FOREIGN, [
    [
      'WHERE u.organization_id = ${organizationId} AND u.id = ${userId}`',
      'WHERE u.id = ${userId}`',
      'A user of another organization is unknown.',
    ],
  ]),
  ...mutationsOf('engine/store/accounts/channel-store.ts', FOREIGN, [
    [
      'WHERE c.organization_id = ${organizationId} AND c.id = ${channelId}`',
      'WHERE c.id = ${channelId}`',
      'A channel of another organization is unknown.',
    ],
  ]),
  ...mutationsOf('engine/store/records/customer-store.ts', FOREIGN, [
    [
      'WHERE c.organization_id = $1 AND c.id = $2`',
      'WHERE c.organization_id + 0 * $1::bigint > 0 AND c.id = $2`',
      'A customer of another organization is unknown.',
    ],
  ]),
  ...mutationsOf('engine/store/records/warehouse-store.ts', FOREIGN, [
    [
      'WHERE w.organization_id = ${organizationId} AND w.id = ${warehouseId}`',
      'WHERE w.id = ${warehouseId}`',
      'A warehouse of another organization is unknown.',
    ],
  ]),
  ...mutationsOf('engine/store/payments/payment-store.ts', FOREIGN, [
    [
      'WHERE p.organization_id = ${organizationId} AND p.id = ${paymentId}`',
      'WHERE p.id = ${paymentId}`',
      'A payment of another organization is unknown.',
    ],
  ]),
  ...mutationsOf('gateway/administration/routes/user-routes.ts', ROLES, [
    [
      "method: 'PATCH',\n    path: '/users/:id',\n    guard: may('users'),",
      "method: 'PATCH',\n    path: '/users/:id',\n    guard: may('customers'),",
      'Administrators alone change users.',
    ],
  ]),
  ...mutationsOf('gateway/administration/routes/channel-routes.ts', ROLES, [
    [
      "path: '/channels/:id/regenerate-key',\n    guard: may('channels'),",
      "path: '/channels/:id/regenerate-key',\n    guard: may('customers'),",
      'Administrators alone renew the key of a channel.',
    ],
  ]),
  ...mutationsOf('gateway/routes/customer-routes.ts', ROLES, [
    [
      "method: 'POST',\n    path: '/customers',\n    guard: may('customers'),",
      "method: 'POST',\n    path: '/customers',\n    guard: may('tasks:read'),",
      'Agents make no customers.',
    ],
  ]),
  ...mutationsOf(
    'schema/fields/fields.ts',
    ['unit/schema/fields'],
    [
      ['Number(minute) > 59 ||', 'Number(minute) > 60 ||', 'An hour has no 61st minute.'],
      [
        '  if (back.getUTCMonth() !== Number(month) - 1 || back.getUTCDate() !== Number(day)) return undefined;\n',
        '',
        'A day that does not exist is none.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/runtime/outbound/check-webhook-url.ts',
    ['unit/runtime/check-webhook-url'],
    [
      ['if (!isPublicAddress(host)) return PRIVATE_HOST;', '', 'A webhook leads to no private address.'],
      [".replace(/^\\[(.*)\\]$/, '$1')", '', 'An address of IPv6 is judged as one.'],
    ],
  ),
  ...mutationsOf(
    'schema/tasks/package.ts',
    ['api/refusals/validation', 'api/tasks/packages'],
    [
      [
        "    if (isNameless(dataset.value)) addIssue({ message: 'must have a name or a description' });\n  }),\n);\nexport type PackageInput",
        '  }),\n);\nexport type PackageInput',
        'A package has a name.',
      ],
    ],
  ),
  ...mutationsOf(
    'gateway/request/parse-request.ts',
    ['api/refusals/hostile-changes'],
    [['const PATH_ID = /^[1-9]\\d{0,15}$/', 'const PATH_ID = /^\\d{1,15}$/', 'An id in a path has one spelling.']],
  ),
  ...mutationsOf(
    'schema/errors.ts',
    ['docs/errors', 'docs/released-contract'],
    [['AGENT_REQUIRED: { status: 409', 'AGENT_REQUIRED: { status: 400', 'A code keeps its status.']],
  ),
  ...mutationsOf(
    'engine/store/access/snapshot.ts',
    ['integration/store/snapshot'],
    [
      ['BigInt(xid) < BigInt(xmax!)', 'BigInt(xid) <= BigInt(xmax!)', 'A transaction that began later is not visible.'],
      [
        "!running!.split(',').includes(xid)",
        '!running!.includes(xid)',
        'A number is running only when the whole of it is in the list.',
      ],
      [
        'BigInt(xid) < BigInt(xmax!)',
        'Number(xid) < Number(xmax!)',
        'Transactions beyond 2^53 have numbers of their own.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/runtime/setting-checks.ts',
    ['unit/runtime/settings'],
    [
      ['/[\\s?#\\\\]/.test(text)', '/[\\s#\\\\]/.test(text)', 'Links are not made behind a query.'],
      ["return username === '' && password === '';", 'return true;', 'No password goes into links.'],
      ['if (!/^postgres(ql)?:\\/\\//i.test(text)) return false;', '', 'Another database than Postgres is refused.'],
      [
        "return hasReadableLogin(text.replace(hosts, hosts.split(',')[0]!));",
        'return hasReadableLogin(text);',
        'Postgres may have several hosts.',
      ],
      ['/^rediss?:\\/\\//i.test(text) && ', '', 'An address without redis:// is refused.'],
      ['if (/^\\/[^/]/.test(text)) return true;', '', 'Redis may be at a Unix socket.'],
      [
        'entry.match(/^([^/]*)(?:\\/(\\d{1,3}))?$/) ?? []',
        "entry.split('/').toSpliced(0, 0, '')",
        'A network whose prefix is missing is refused, and is not everybody.',
      ],
      ['decodeURIComponent(username + password);', '', 'A password that cannot be decoded is refused.'],
      [
        'FAULT_POINTS.some((known) => known === point) && ',
        '',
        'A point of faults that there is not would never be passed.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/store/redis.ts',
    ['integration/gateway/unusable-settings'],
    [["if (redis.status !== 'end') refused(error);", 'refused(error);', 'A start that fails has one reason.']],
  ),
  ...mutationsOf(
    'engine/launcher/local-instance.ts',
    ['integration/launcher/start-settings'],
    [
      [
        'if (config.fcm) readServiceAccount(config.fcm.serviceAccount);',
        '',
        'A start looks at what workers need before it starts anything.',
      ],
      ['    ...given,\n  };', '    ...environment,\n  };', 'An empty setting is an unset one under `npm start`.'],
    ],
  ),
  ...mutationsOf(
    'engine/launcher/secrets-key.ts',
    ['integration/launcher/start-settings'],
    [["if (key !== '') return key;", 'return key;', 'An empty secrets.key is named before anything starts.']],
  ),
  ...mutationsOf(
    'workers/job-runner.ts',
    ['integration/workers/job-runner'],
    [
      ['if (isAhead) await', 'if (false) await', 'A clock that is set back stops no schedule.'],
      ['Math.max(everyMs, LIMITS', 'Math.max(0, LIMITS', 'A clock a little ahead is no reason to run a job again.'],
    ],
  ),
  ...mutationsOf(
    'gateway/admin-cli/operator-stores.ts',
    ['integration/admin/operator-stores'],
    [
      ["environment['REDIS_PREFIX'] ||", "environment['REDIS_PREFIX'] ??", 'An empty REDIS_PREFIX is an unset one.'],
      ["environment['ADMIN_URL'] ||", "environment['ADMIN_URL'] ??", 'An empty ADMIN_URL is an unset one.'],
    ],
  ),
  ...mutationsOf(
    'engine/runtime/config.ts',
    ['unit/runtime/payment-settings', 'unit/runtime/settings'],
    [
      ['env.STRIPE_WEBHOOK_SECRET && !env', 'false && !env', 'No start falls back to the test provider by mistake.'],
      ["if (env.SHARED_PORT && env.HTTP_ADAPTER === 'node')", 'if (false)', 'A setting that does nothing is refused.'],
    ],
  ),
  ...mutationsOf(
    'engine/store/migrate.ts',
    ['integration/gateway/unusable-settings'],
    [
      [
        "encoding === 'UTF8' && small === 'i') return;",
        "small === 'i') return;",
        'A database that cannot keep every text is refused.',
      ],
      [
        "encoding === 'UTF8' && small === 'i') return;",
        "encoding === 'UTF8') return;",
        'A database is refused where two users may have one address.',
      ],
    ],
  ),
  ...mutationsOf(
    'gateway/admin-cli/run-admin.ts',
    ['integration/gateway/unusable-settings'],
    [['await checkMigrated(stores.sql);', '', 'A database without migrations is no defect of the program.']],
  ),
  ...mutationsOf(
    'engine/store/unusable-database.ts',
    ['integration/gateway/unusable-settings'],
    [
      ['|3D000', '', 'A database that is not there has its setting named.'],
      ['(28|', '(29|', 'A role that may not enter has its setting named.'],
      ['ECONN|', '', 'An address where nobody answers has its setting named.'],
    ],
  ),
  ...mutationsOf(
    'gateway/admin-cli/route-verbs.ts',
    ['integration/admin/verbs'],
    [['anyOf(AUDITED_TYPES)', "'task or payment'", 'The help names each type of record.']],
  ),
  ...mutationsOf(
    'gateway/admin-cli/parse-verb.ts',
    ['integration/admin/verbs'],
    [['  assertChange(verb, values);\n', '', 'A change of nothing is not understood.']],
  ),
  ...mutationsOf(
    'gateway/route.ts',
    ['api/notifications/devices'],
    [['isStorableText(decoded) ? decoded : undefined', 'decoded', 'A text in a path holds no NUL.']],
  ),
  ...mutationsOf(
    'engine/store/postgres.ts',
    ['unit/engine/store-away'],
    [['  if (path !== undefined) return false;\n', '', 'A file that cannot be read is a fault of ours, and logged.']],
  ),
  ...mutationsOf(
    'gateway/http/uws-server.ts',
    ['http/connections'],
    [
      [
        'this.#writeRest(body, closes ? close : undefined);',
        'this.#writeRest(body, closes ? close : undefined); this.onSent();',
        'A stop waits for a large answer that a slow client takes.',
      ],
    ],
  ),
  ...mutationsOf(
    'gateway/http/node-server.ts',
    ['http/connections'],
    [
      ['limits.requestDeadlineMs + limits.streamStallMs', '0', 'An answer that nobody reads is given up.'],
      ['bytes.length - sent > PIECE_BYTES', 'false', 'A slow reader over TLS gets a large answer whole.'],
      ['    this.#req.socket.setTimeout(0);\n', '', 'A stream may be quiet.'],
    ],
  ),
];
