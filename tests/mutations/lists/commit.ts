import { type Mutation, mutationsOf } from '../mutation.ts';

const STORE = ['integration/store/commit/commit-barriers'];

/** Faults in the commit, in ownership and in what is claimed of commits that failed. */
export const COMMIT: readonly Mutation[] = [
  ...mutationsOf('schema/functions/commit-group.sql', STORE, [
    [' AND s.epoch = w.epoch\n', '\n', 'A stale owner cannot commit.'],
    [' AND h.last_sequence = n."expectedSequence";', ';', 'A commit follows the one that it was decided on.'],
    [' FOR SHARE OF s;', ';', 'A takeover waits for a commit that is under way.'],
    [
      ' AND t.version = n."expectedVersion";\n  GET DIAGNOSTICS written = ROW_COUNT;\n  RETURN',
      ';\n  GET DIAGNOSTICS written = ROW_COUNT;\n  RETURN',
      'A task is written over its expected version only.',
    ],
    ['IF written <> meant THEN', 'IF written > meant THEN', 'A commit that writes fewer rows than it means fails.'],
  ]),
  ...mutationsOf(
    'engine/org/commit/shard-ownership.ts',
    ['unit/engine/shard-ownership'],
    [
      ["if (this.standingOf(shard) !== 'owned') return undefined;", '', 'A shard that is not owned has no fence.'],
      ['    this.#gain(regained);\n', '', 'A shard that others may have owned before a raise is taken again.'],
      [
        ', ...regained.map(({ shard }) => shard)]',
        ']',
        'A shard that others may have owned before a raise is served from Postgres again.',
      ],
      ['this.#loseKnown(taken);', '', 'A shard that was free in between is served from Postgres again.'],
      [' && !this.#lostMeanwhile.has(shard)', '', 'An old answer does not bring back a shard that was lost since.'],
      [
        'this.#epochs.set(shard, Math.max(epoch, this.#epochs.get(shard) ?? 0))',
        'this.#epochs.set(shard, epoch)',
        'Epochs only rise.',
      ],
      [
        "return this.#settling.has(shard) ? 'settling' : 'owned';",
        "return 'owned';",
        'Nothing is decided while a commit is in doubt.',
      ],
      [
        '    this.#leaseUntil = sentAt + leaseMs;\n    this.#gain(this.#unheardOf',
        '    this.#leaseUntil = clock.monotonic() + leaseMs;\n    this.#gain(this.#unheardOf',
        'A lease is counted from before the renewal was sent.',
      ],
      [
        'if (this.#leaseRuns()) this.#leaseUntil',
        'this.#leaseUntil',
        'A process that stood still serves nothing that others may have.',
      ],
      [
        '    if (this.#leaseRuns()) this.#leaseUntil = sentAt + leaseMs;\n',
        '',
        'A process whose lease runs serves on while it asks what it has.',
      ],
      ['      this.#lose([...this.#epochs.keys()]);\n', '', 'A superseded process owns nothing.'],
    ],
  ),
  ...mutationsOf(
    'engine/org/actor/org-actor.ts',
    ['integration/engine/delayed-tasks'],
    [
      ['if (this.#isToWake) void this.wake();', '', 'An organization whose timers are due is loaded and looked at.'],
      ['ok && due.isFull && queueMicrotask', 'ok && false && queueMicrotask', 'All timers that are due are looked at.'],
    ],
  ),
  ...mutationsOf(
    'engine/org/actor/org-directory.ts',
    ['faults/commits/kept-counts'],
    [
      [
        '    this.#options.onMissed((organizationId) => shards.has(shardOf(organizationId)));\n',
        '',
        'No count is kept over a time in which another process owned its organization.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/org/actor/org-actor.ts',
    ['faults/commits/kept-counts'],
    [
      [
        'if (inDoubt) this.#services.onMissed',
        'if (false) this.#services.onMissed',
        'No count is kept over a lost commit.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/org/apply/org-batch.ts',
    ['integration/engine/racing-commands'],
    [['this.#endsActivity ||= !change.agent.isActive;', '', 'Sessions end with the activity of their agent.']],
  ),
  ...mutationsOf(
    'engine/org/commit/settler.ts',
    ['integration/engine/settler'],
    [
      [
        'marks.includes(lastGroup)',
        'lastGroup === marks[0]',
        'A later group on the head proves that the earlier one was written.',
      ],
      [
        'fence.epoch + 1 === epoch',
        'fence.epoch + 1 <= epoch',
        'Nothing is claimed where another owner may have written.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/org/commit/group-commit.ts',
    ['unit/engine/group-commit', 'faults/commits/groups', 'faults/commits/poison'],
    [
      [
        "error.failure === 'unknown' ? 'OUTCOME_UNKNOWN' : 'NOT_APPLIED'",
        "'NOT_APPLIED'",
        'A commit of unknown outcome is not claimed to be unwritten.',
      ],
      ['if (queued.owner.isLive) return queued;', 'return queued;', 'A batch of a discarded actor is not written.'],
      ['queued.batch.closed = true;', '', 'A batch takes no more once it is sent.'],
      ['encoded?.epoch === epoch ? encoded', 'encoded ? encoded', 'A batch is written under the epoch of its fence.'],
      [' || unmarked.has(organizationId)', '', 'Nothing is sent right behind a batch without a mark.'],
      [
        '(group.length > 1 || follows) && ',
        'group.length > 1_000_000 && ',
        'One refused batch does not fail the others of its group.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/org/actor/not-applied.ts',
    ['faults/commits/not-applied'],
    [
      [
        'changes ? hasKeyedItems(command) : isKeyed(command)',
        'changes && hasKeyedItems(command)',
        'NOT_APPLIED is not claimed before the key was looked up.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/org/actor/id-blocks.ts',
    ['unit/engine/state/id-blocks'],
    [
      ['left < demand[kind]) return false', 'left < 0) return false', 'A decision finds its ids in memory.'],
      ['2 + Math.ceil(missing / LIMITS.idBlock)', '2', 'A large decision reserves enough ids.'],
    ],
  ),
  ...mutationsOf(
    'engine/org/state/live.ts',
    ['unit/engine/state/', 'integration/engine/memory-bounds'],
    [
      [
        'entry.ticket > durableTicket || isKept(key, entry)',
        'isKept(key, entry)',
        'A record is not evicted before it is durable.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/store/migrate.ts',
    ['integration/store/migrations/migrate'],
    [
      [
        '  assertNoneNewer(done, migrations);\n',
        '',
        'No program starts, and none migrates, on a database that a newer release has taken over.',
      ],
      [
        'new Set([...GONE, ...',
        'new Set([...',
        'A migration of before whose file has gone is not one of a newer release.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/store/lock-waits.ts',
    ['integration/store/migrations/beside-others'],
    [
      ["SET LOCAL lock_timeout = '${LOCK_TIMEOUT}';", '', 'Nobody waits for long behind a migration that waits.'],
      ['void tellBlockers()', 'undefined', 'A migration that waits names the process in its way.'],
      ["signal?.addEventListener('abort', end);", '', 'The end of a migration ends its statement in Postgres.'],
    ],
  ),
  ...mutationsOf(
    'engine/store/statements.ts',
    ['integration/store/statements'],
    [
      [
        ' || (error as { code?: unknown }).code === TOOK_TOO_LONG',
        '',
        'A statement that took longer than its connection allows is not sent again.',
      ],
      ['    if (systemClock.monotonic() >= giveUpAt) throw error;\n', '', 'Nothing is sent after the deadline.'],
    ],
  ),
  ...mutationsOf(
    'engine/store/cluster/maintenance-store.ts',
    ['integration/workers/search-index'],
    [
      ['moved === most && ', 'moved !== 0 && ', 'The listing of tasks ends while tasks are being made.'],
      [' && !signal?.aborted', '', 'The listing of tasks ends when its workers do.'],
    ],
  ),
  ...mutationsOf(
    'schema/functions/delete-organization.sql',
    ['integration/workers/organization-deletion'],
    [['least(most - total, 50)', 'most - total', 'A batch of a deletion holds few proofs.']],
  ),
  ...mutationsOf(
    'engine/store/cluster/shard-store.ts',
    ['store/commit/shard-order'],
    [
      [
        'WHERE owner = ${incarnation}::uuid ORDER BY shard FOR UPDATE)',
        'WHERE owner = ${incarnation}::uuid)',
        'Shards are given up in the order in which they are taken.',
      ],
    ],
  ),
  ...mutationsOf(
    'schema/functions/daily-partitions.sql',
    ['integration/workers/partitions'],
    [[' LIMIT 10', '', 'Few partitions are dropped in one transaction.']],
  ),
  ...mutationsOf(
    'workers/maintenance/upkeep-processors.ts',
    ['integration/workers/partitions'],
    [[' !== 0 && !signal.aborted', ' < 0 && !signal.aborted', 'A job drops all partitions beyond retention.']],
  ),
  ...mutationsOf(
    'engine/store/webhooks/follower-store.ts',
    ['integration/webhooks/release'],
    [['f.xmin <> seen.xmin', 'false', 'Deliveries that are queued while their webhook is released are due.']],
  ),
  ...mutationsOf(
    'engine/store/records/audit-store.ts',
    ['integration/store/pages/audit-count', 'api/audit'],
    [
      ['CASE WHEN n.shown <', 'CASE WHEN false AND n.shown <', 'The last page tells the count of the audit log.'],
      ['(n.shown > 0 OR ', '(n.shown >= 0 OR ', 'A page beyond the end has the exact count.'],
      [
        "interval '1 millisecond'",
        "interval '1 microsecond'",
        'An entry is within a range that ends at its shown time.',
      ],
    ],
  ),
];
