import { type Mutation, mutationsOf } from '../mutation.ts';

const KEYS = ['api/refusals/idempotency.test', 'api/tasks/batch'];
const ORDER = ['api/refusals/order-of-refusal', 'api/refusals/conditional'];

/** Faults in idempotency, quotas and the order of refusals. */
export const REQUESTS: readonly Mutation[] = [
  ...mutationsOf(
    'engine/org/start-engine.ts',
    ['api/operational'],
    [['isReachable(leases, ', 'isReachable(reads, ', 'A gateway is ready while reads take long.']],
  ),
  ...mutationsOf(
    'gateway/request/parse-query.ts',
    ['unit/gateway/parse-query'],
    [['if (listed.length > 0) ', '', 'A list of commas alone counts as absent.']],
  ),
  ...mutationsOf(
    'gateway/request/parse-query.ts',
    ['refusals/unknown-parameters'],
    [
      [
        ' || route.query?.ignoresOthers === true',
        '',
        'The checkout page opens by a link to which a messenger added names.',
      ],
    ],
  ),
  ...mutationsOf(
    'gateway/request/handle-request.ts',
    ['administration/stand-by'],
    [[" || code === 'OUTCOME_UNKNOWN'", '', 'A retry after an unknown outcome may meet the owner.']],
  ),
  ...mutationsOf(
    'gateway/request/handle-request.ts',
    ['refusals/chunked-bodies'],
    [["(LIMITS.unreadBodyBytes, 'caller')", '(LIMITS.unreadBodyBytes)', 'A large chunked body is 401 before 413.']],
  ),
  ...mutationsOf(
    'gateway/request/correlation.ts',
    ['unit/gateway/last-resorts'],
    [['  request.correlationId = id;\n', '', 'All answers to a request have one correlation id.']],
  ),
  ...mutationsOf(
    'gateway/reads.ts',
    ['api/operational'],
    [
      [
        'atOnceOfOne: LIMITS.listConnectionsPerOrganization,',
        '',
        'Lists of one organization leave a connection to those of others.',
      ],
    ],
  ),
  ...mutationsOf(
    'gateway/fair-queue.ts',
    ['gateway/fair-queue'],
    [['if (!this.#hasShareLeft(party)) continue;', '', 'A party with its share waits for its own work to end.']],
  ),
  ...mutationsOf(
    'engine/store/task-lists/task-list-store.ts',
    ['unit/engine/state/task-lists'],
    [
      ['inTurn && !isReusable ?', 'false && inTurn ?', 'Lists that may take long wait in turn.'],
      ['inTurn && !isReusable ?', 'inTurn ?', 'A list on a prepared connection waits for no turn.'],
    ],
  ),
  ...mutationsOf(
    'gateway/operations/shared-probe.ts',
    ['gateway/operations/shared-probe'],
    [
      ['keptUntil = Number.POSITIVE_INFINITY;', '', 'A store is asked once for all who ask at the same time.'],
      ['clock.monotonic() + KEPT_MS', 'Number.POSITIVE_INFINITY', 'Readiness is asked for again.'],
    ],
  ),
  ...mutationsOf(
    'schema/fields/fields.ts',
    ['api/refusals/validation', 'unit/schema/fields'],
    [
      ['text.length <= 2 * maxChars && ', 'false && ', 'A text is measured in code points.'],
      ['[^\\p{Cf}\\p{Z}\\s]', '[^\\p{Z}\\s]', 'A name shows something.'],
      ['[...text].length <= maxChars', 'true', 'A text of emojis has a bound, too.'],
      ['!Number.isSafeInteger(value) ? WHOLE_NUMBERS', 'false ? WHOLE_NUMBERS', 'No number is rounded in silence.'],
    ],
  ),
  ...mutationsOf(
    'schema/accounts/organization.ts',
    ['administration/assignment-settings', 'administration/letterhead-settings', 'administration/organizations'],
    [
      [
        'merged(isObject(before[name]) ? before[name] : {}, change)',
        'merged({}, change)',
        'A change of a group of settings leaves the rest of the group.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/domain/tasks/requirements.ts',
    ['api/exceptions/requirements'],
    [['given?.trim() ? given : null', 'given ?? null', 'A blank barcode is none.']],
  ),
  ...mutationsOf(
    'gateway/router.ts',
    ['unit/gateway/router'],
    [["|| query.includes('%')", '', 'A token is masked whose name is percent-encoded.']],
  ),
  ...mutationsOf(
    'engine/org/decide/tasks/scan-package.ts',
    ['unit/engine/decide/requirements'],
    [['unscanned.find((one) => !isGone(one)) ??', '', 'A scan is that of a package that needs it.']],
  ),
  ...mutationsOf(
    'schema/tasks/package.ts',
    ['api/lists/find-packages'],
    [
      ['[...parts, ...wholes]', 'parts', 'A barcode may hold commas.'],
      ['isOne ? someBarcodes : barcodes', 'barcodes', 'A barcode may have more parts than a list has items.'],
    ],
  ),
  ...mutationsOf(
    'schema/tasks/task-filter.ts',
    ['api/lists/task-filters'],
    [['normalized([...codes, text])', 'normalized(codes)', 'A code may hold commas.']],
  ),
  ...mutationsOf(
    'gateway/request/acceptor.ts',
    ['unit/gateway/acceptor'],
    [
      ['.length <= action.requirement', '.length < action.requirement', 'A text may be as long as its bound.'],
      ["return 'refuse'", "return 'read'", 'A field that is needed and absent is refused.'],
      ['hasOnly(input, schema.entries) ? read(input) : REFUSED', 'read(input)', 'A strict object has no other fields.'],
      ["if ('fallback' in schema) return byValibot(schema);", '', 'A schema with a stand-in refuses nothing.'],
      ["type !== 'optional', type", 'true, type', 'Null is no absence where a field is only optional.'],
    ],
  ),
  ...mutationsOf('engine/org/actor/decide-command.ts', KEYS, [
    [
      'const isSame = fingerprint === idempotency!.fingerprint;',
      'const isSame = fingerprint !== undefined;',
      'A key stands for one payload.',
    ],
  ]),
  ...mutationsOf(
    'engine/org/actor/decide-batch.ts',
    ['api/tasks/batch', 'api/refusals/idempotency-storm'],
    [
      [
        'fingerprint !== item.idempotency!.fingerprint',
        'fingerprint === undefined',
        'The key of an item stands for one payload.',
      ],
      [
        'if (wanted.idempotency) keyed.set(',
        'if (wanted.idempotency && made.length < 0) keyed.set(',
        'Two items with one key make one task.',
      ],
      ['if (items.length > 0) {', 'if (items.length > 1) {', 'An atomic batch is done as a whole or not at all.'],
    ],
  ),
  ...mutationsOf('engine/org/apply/apply-decision.ts', KEYS, [
    [
      'if (!idempotency || !isOutcome(why)) return undefined;',
      'if (!idempotency || isOutcome(why)) return undefined;',
      'A refusal that is an outcome is kept under its key.',
    ],
    ['nowMs - LIMITS.idempotencyRetentionMs', 'nowMs', 'A key is honoured for a day.'],
  ]),
  ...mutationsOf('engine/org/actor/decide-command.ts', ORDER, [
    [
      'ERRORS[decision.refusal.code].status < 409',
      'ERRORS[decision.refusal.code].status < 400',
      'A violation comes before a failed precondition.',
    ],
    [
      'precedes412(decided) || !hasChangedSince(state, command)',
      'decided.ok || !hasChangedSince(state, command)',
      'A failed precondition stops a change.',
    ],
  ]),
  ...mutationsOf(
    'engine/org/decide/tasks/create-task.ts',
    ['unit/engine/decide/', 'api/tasks/create-task-references', 'api/tasks/create-task.', ...ORDER],
    [
      [
        '    missingParent(draft, input) ??\n    firstOf(wanted, (one) => conflict(draft, one, caller)) ??\n',
        '    firstOf(wanted, (one) => conflict(draft, one, caller)) ??\n    missingParent(draft, input) ??\n',
        'Not found comes before a conflict.',
      ],
      ["if (caller.role === 'agent') return refuse(refusal('FORBIDDEN'));\n", '', 'Agents create no tasks.'],
      [
        'if (code && draft.hasTaskCode(code)) return',
        'if (code && draft.hasTaskCode(code) && code.length > 1_000) return',
        'A code is taken once.',
      ],
      [
        'isTerminal(owner.status) && !wasDelivered(record.status)',
        'isTerminal(owner.status)',
        'A delivered package moves to no other task.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/org/decide/tasks/create-task.ts',
    ['unit/engine/decide/update-task'],
    [
      [' || wanted.length > 1 || ', ' || ', 'The text of a job is bounded when it is made with its children.'],
      [' || input.packageIds != null', '', 'The text of packages that a task is made with counts too.'],
      ['overQuota && !mayBeTooLarge', 'overQuota', 'The quota of tasks comes after a text that is too long.'],
      [
        'tooLarge ?? overQuota ?? overCustomers',
        'overQuota ?? overCustomers ?? tooLarge',
        'A quota comes after a text that is too long.',
      ],
      [
        'overCustomers ??= refused;',
        'if (refused) return refuse(refused);',
        'The quota of customers comes after a text that is too long.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/org/decide/steps/family-size.ts',
    ['unit/engine/decide/update-task'],
    [
      ['before && textChars(facts) <= textChars(before)', 'before', 'A change makes no task too large.'],
      ['textChars(facts) <= textChars(before)', 'textChars(facts) < 0', 'A task that is too large may become shorter.'],
    ],
  ),
  ...mutationsOf(
    'engine/org/decide/tasks/update-task.ts',
    ['api/tasks/update-task', ...ORDER],
    [
      [
        "if (foreign) return notFound('Package', foreign.id!);\n",
        '',
        "A task cannot take another task's packages by editing.",
      ],
      ['  if (late.length > 0) return violate(...late);\n', '', 'A task is scheduled in the future.'],
    ],
  ),
  ...mutationsOf(
    'engine/org/decide/tasks/update-task.ts',
    ['unit/engine/decide/update-task', 'api/tasks/update-task'],
    [
      [' ? checkWindow({ ...before, ...fields }) :', ' ? undefined :', 'A changed window fits the times of its task.'],
      ['  if (inactive) return refuse(inactive);\n', '', 'Nothing is fetched from a warehouse that is not active.'],
    ],
  ),
  ...mutationsOf(
    'engine/org/decide/tasks/search-after.ts',
    ['unit/engine/decide/update-task', 'unit/engine/decide/amend-task'],
    [
      ['unskilled(draft, search, wanted);', '[];', 'An agent is not asked for skills that it lacks.'],
      [
        'return { search, autoAssignmentStatus: isNew',
        'return { search: { ...search, rejectedBy: wanted.search!.rejectedBy }, autoAssignmentStatus: isNew',
        'For another time, those are asked again who declined the old one.',
      ],
      ['begin > now || since > now ?', 'begin > now ?', 'Goods that are ready sooner are not waited for.'],
      [
        'newSearch({ ...wanted, scheduledAt: null }',
        'newSearch(wanted',
        'A search that was begun does not wait again.',
      ],
      ['if (beginsAnew || ', 'if (', 'A search that has not begun ends no sooner than it begins.'],
    ],
  ),
  ...mutationsOf(
    'engine/org/decide/tasks/change-task-status.ts',
    ['unit/engine/decide/', 'api/tasks/jobs', 'integration/assignment/offers'],
    [
      [
        '...children.filter(({ task }) => !isTerminal(task.status)), facts',
        'facts',
        'A job is cancelled with its open children.',
      ],
      [' && hasRunOut(offer, context.now)', ' && false', 'An offer that has run out is not accepted by a step.'],
    ],
  ),
  ...mutationsOf(
    'engine/org/decide/tasks/change-task-status.ts',
    ['api/tasks/change-status', 'integration/engine/actor-agreement'],
    [
      [
        'judgeStatusChange(facts?.task, input.status, caller)',
        "judgeStatusChange(facts?.task, input.status, caller.role === 'integration' ? { role: 'dispatcher', agentId: null } : caller)",
        'An integration does not accept for an agent.',
      ],
      [
        'judgeStatusChange(facts?.task, input.status, caller)',
        "judgeStatusChange(facts?.task, input.status, caller.role === 'agent' ? { role: 'dispatcher', agentId: null } : caller)",
        'An agent steps on with its own tasks only.',
      ],
      [
        "  if (verdict.kind === 'unchanged') return done('task', taskId);\n",
        '',
        'A repeated step is neither an event nor a line of history.',
      ],
      [
        "  if (verdict.kind === 'refused') return refuse(verdict.refusal);\n",
        '',
        'A step that the machine refuses is not made.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/domain/quota.ts',
    ['unit/domain/quota'],
    [
      ['used + wanted <= limit', 'used + wanted < limit', 'The limit itself is allowed.'],
      ['resetsAt: MONTHLY.has(resource) ?', 'resetsAt: !MONTHLY.has(resource) ?', 'Only monthly quotas are reset.'],
    ],
  ),
  ...mutationsOf(
    'gateway/request/handle-request.ts',
    ['api/auth/slow-bodies'],
    [['body && this.#isOld(generation)', 'body && !this.#startedAt', 'A slow body does not outlive a revocation.']],
  ),
  ...mutationsOf(
    'gateway/request/handle-request.ts',
    ['api/refusals/rate-limits'],
    [
      [
        'this.#quotaHeaders = this.#services.access.quotas.owe',
        'this.#services.access.quotas.owe',
        'RateLimit says what a costly call leaves.',
      ],
    ],
  ),
];
