import { type Mutation, mutationsOf } from '../mutation.ts';

const FEED = ['unit/engine/events/event-feed', 'unit/engine/events/recent-events'];
const STREAMS = [
  'unit/gateway/sse/',
  'api/payments/payment-events',
  'api/streams/streams.test',
  'api/streams/streams-own',
  'api/tracking/links-of-agents',
];

const HISTORY = ['integration/admin/history'];

/** Faults in the event feed, its filters and the resuming of streams. */
export const STREAM: readonly Mutation[] = [
  ...mutationsOf('engine/org/feed/recent-events.ts', FEED, [
    ['if (first > this.#last + 1) return false;', '', 'A gap in what was published is noticed.'],
    ['if (shared.sequence <= this.#last) continue;', '', 'An event is kept once.'],
    [
      'first > sequence + 1) return undefined',
      'first > sequence + 2) return undefined',
      'Memory says when it does not reach back.',
    ],
  ]),
  ...mutationsOf('engine/org/feed/event-feed.ts', FEED, [
    [
      'if (seenBefore !== undefined && head < seenBefore) return',
      'if (seenBefore === -1) return',
      'Streams are sent back when the log is cut.',
    ],
    ['channel.told = channel.recent.last;\n', '\n', 'A subscriber that comes back gets no old events.'],
    [
      'wanted <= known && this.#options.isOwned(organizationId)',
      'wanted <= known',
      'Only an owner knows the head without asking.',
    ],
    [
      'if (recent.last !== undefined && head > recent.last && !isMoving) void',
      'if (recent.last === -1) void',
      'Events that were missed are read from the log.',
    ],
    ['channel.told = batch.last;', 'channel.told = batch.after;', 'A batch is handed over once.'],
  ]),
  ...mutationsOf('engine/org/feed/log-pages.ts', FEED, [
    [
      '({ sequence }) => sequence > after)',
      '({ sequence }) => sequence >= after)',
      'A resumed stream does not repeat its last event.',
    ],
    [
      'shared.sequence === after + following.length + 1',
      'shared.sequence > after',
      'A hole in the tail is not skipped.',
    ],
    [
      'next === undefined ? after < lastSequence : next > after + 1',
      'false',
      'A reader learns that events are no longer kept.',
    ],
  ]),
  ...mutationsOf(
    'engine/org/feed/log-search.ts',
    ['unit/engine/events/log-search'],
    [
      [
        'const window = types && LIMITS.logSearchWindow;',
        'const window = undefined;',
        'A search of the log has a window.',
      ],
      ['return inTurn ? inTurn(', 'return types && inTurn ? inTurn(', 'Who reads the log waits in turn.'],
      ['if (bytes >= LIMITS.logReadBytes) break;', '', 'Events of several windows are bounded together.'],
      ['before > lastSequence ? from : ', '', 'A search does not pass the end of a log that was cut.'],
      ['this.#reached.set(question, reached);', '', 'A search that found nothing goes on where it was.'],
      [
        'if (events.length === 0) throw error;',
        'throw error;',
        'A search answers what it has when a turn does not come.',
      ],
      ['if (keptAfter > from && events.length > 0)', 'if (keptAfter < 0)', 'What was found before a gap is answered.'],
    ],
  ),
  ...mutationsOf(
    'gateway/routes/event-routes.ts',
    ['unit/gateway/read-log'],
    [['events.length === 0 && upTo < lastSequence', 'upTo < 0', 'An empty page is the end of the log.']],
  ),
  ...mutationsOf(
    'gateway/guards/authenticate.ts',
    ['unit/gateway/guards/authenticate'],
    [
      [
        'if (feed.generation === generation) return found;',
        'return found;',
        'A stream token is judged by present access.',
      ],
      [
        'if (known || !session) return known;',
        'if (known || session) return known;',
        'A refresh leaves stream tokens good.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/store/access/credential-store.ts',
    ['integration/store/access-store'],
    [
      [
        '            AND greatest(s.access_expires_at, s.refresh_expires_at) > now()\n',
        '',
        'A stream token ends with its session.',
      ],
    ],
  ),
  ...mutationsOf(
    'gateway/request/handle-request.ts',
    ['unit/gateway/access-behind-bodies'],
    [['access.generation() !== generation || ', '', 'A revocation is heard while a short body is on its way.']],
  ),
  ...mutationsOf(
    'engine/positions/positions.ts',
    ['unit/positions/missed-commits'],
    [[' || organization.isBehind', '', 'A reading of the roster that failed is made again.']],
  ),
  ...mutationsOf(
    'engine/positions/roster-reader.ts',
    ['unit/positions/missed-commits'],
    [
      [
        'for (const change of changes) applyChange(organization, change);\n',
        'for (const change of changes) applyChange(organization, change);\n        organization.isBehind = false;\n',
        'A reading that began before a missed commit does not count.',
      ],
      ['organization.isBehind = false;\n', '', 'The roster is not read for ever.'],
    ],
  ),
  ...mutationsOf('engine/org/feed/shared-event.ts', STREAMS, [
    ["payment.method === 'cash' ? payment.agentId : null", 'null', 'An agent hears of the cash that it took.'],
  ]),
  ...mutationsOf('gateway/sse/event-filter.ts', STREAMS, [
    [
      '(!types || types.has(shared.event.type))',
      '(!types || types.size > 0)',
      'A stream tells the types that it was asked for.',
    ],
    [
      '(!hearer || mayHear(shared.subject, hearer.agentId))',
      '(!hearer || hearer.agentId > 0)',
      'An agent hears of no payment but its cash.',
    ],
    ['hearer?.agentId ?? null', 'null', 'Streams of an agent and of a manager are not one.'],
    ['withoutTrackingLinks(frame)', 'frame', "An agent's stream shows no link of a customer."],
  ]),
  ...mutationsOf('gateway/sse/organization-stream.ts', STREAMS, [
    [
      "return wanted.sequence > head ? 'position_unknown' : undefined;",
      'return undefined;',
      'A position beyond the log is answered by a resync.',
    ],
    [
      'wanted.history !== this.#options.feed.history',
      "wanted.history === ''",
      'A position of another history is answered by a resync.',
    ],
    [
      'const isWhole = this.#sent === after && events.length > 0;',
      'const isWhole = events.length > 0;',
      'A gap leads back to the log.',
    ],
    [
      'this.#sent = wanted && !reason ? wanted.sequence : head;',
      'this.#sent = head;',
      'A stream resumes right behind the last event that its client saw.',
    ],
  ]),
  ...mutationsOf(
    'engine/positions/org-positions.ts',
    ['unit/positions/org-positions'],
    [['if (Number.isNaN(agent.toldLatitude)) {', 'if (false) {', 'A stream sends the first move out of its box.']],
  ),
  ...mutationsOf(
    'engine/positions/watch/agent-watch.ts',
    ['unit/engine/eta-watch'],
    [
      [
        'watched.get(agent)?.expectAtNextPoint();',
        '',
        'Tasks that change while the newest point is vague have their times with the next one.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/store/positions/position-store.ts',
    ['integration/positions/moves'],
    [
      [
        '  if keptAt > future and at <= future then return true end\n',
        '',
        'A position of a clock that was set back gives way in Redis.',
      ],
      [
        'clock.now() + LIMITS.pointFutureMs',
        'clock.now()',
        'A somewhat fast clock is not taken for one that was set back.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/planning/round-positions.ts',
    ['unit/planning/round-positions'],
    [
      [
        '  if (isFromFuture(kept, nowMs) && !isFromFuture(held, nowMs)) return held;\n',
        '',
        'A position of a clock that was set back gives way in rounds.',
      ],
      [' && !isFromFuture(held, nowMs)', '', 'Of two positions from the future the later one counts.'],
    ],
  ),
  ...mutationsOf(
    'engine/positions/positions.ts',
    ['unit/positions/drop'],
    [
      [
        'for (const agent of organization.takeDirty()) organization.unsaved.add(agent);',
        '',
        'Redis gets the last points of an organization that moves away.',
      ],
      ['this.#saver.saveBehind(organization);', 'this.#saver.save(organization);', 'They wait for a save under way.'],
    ],
  ),
  ...mutationsOf('engine/store/cluster/platform-store.ts', HISTORY, [
    [
      'coalesce(h.database_oid, excluded.database_oid)',
      'coalesce(excluded.database_oid, h.database_oid)',
      'A dump that is restored into another database has another history.',
    ],
    [
      'coalesce(h.table_oid, excluded.table_oid)',
      'coalesce(excluded.table_oid, h.table_oid)',
      'A dump that is restored in place has another history.',
    ],
    [
      'coalesce(h.database_oid, excluded.database_oid)',
      'coalesce(h.database_oid, 0)',
      'An upgrade keeps the history of the release before.',
    ],
    [
      'if ((await currentHistory(sql, random)) === history) return;',
      'if (history) return;',
      'A gateway does not start with a history that was renewed meanwhile.',
    ],
  ]),
  ...mutationsOf(
    'gateway/admin-cli/operator-stores.ts',
    ['integration/admin/operator-stores'],
    [
      [
        'await knownHistory(sql);',
        "await (await import('../../engine/store/cluster/platform-store.ts')).currentHistory(sql, { text: () => 'h' } as never);",
        'A look at the queues renews no history under running programs.',
      ],
    ],
  ),
  ...mutationsOf('engine/store/cluster/watch-history.ts', HISTORY, [
    [
      'known === history && run === marked',
      'known === history && marked',
      'A program that runs on after a failover does not go on with the old history.',
    ],
    ['known === history && run', 'run', 'A program does not go on with a history that another one has renewed.'],
    ['    cancel();\n', '', 'A program hears of another history once.'],
  ]),
  ...mutationsOf(
    'engine/org/start-engine.ts',
    ['integration/gateway/stop-signals'],
    [['onOther: onSuperseded', 'onOther: () => {}', 'A gateway ends once the logs have another history.']],
  ),
  ...mutationsOf(
    'workers/start-workers.ts',
    ['integration/gateway/stop-signals'],
    [['onOther: onOtherHistory', 'onOther: () => {}', 'The workers end once the logs have another history.']],
  ),
  ...mutationsOf('schema/functions/history.sql', HISTORY, [
    [
      'greatest(c.timeline_id, r.min_recovery_end_timeline)',
      'c.timeline_id',
      'A promotion is noticed before its checkpoint has ended.',
    ],
    [
      'WHERE g.lease_expires_at > clock_timestamp()',
      'WHERE g.lease_expires_at < g.lease_expires_at',
      'The history is not renewed beside a gateway that was killed and may be back.',
    ],
    [
      "a.application_name LIKE 'dispatch %'",
      "a.application_name LIKE 'dispatch r%'",
      'The history is not renewed beside workers.',
    ],
    ['  DELETE FROM gateways;\n', '', 'A gateway that was out of reach does not go on with the old history.'],
    ['  IF running IS NOT NULL THEN RETURN; END IF;\n', '', 'A refusal to renew the history changes nothing.'],
  ]),
  ...mutationsOf(
    'gateway/routes/event-routes.ts',
    ['api/streams/events'],
    [
      [
        '{ after: 0, limit: 1 }',
        '{ after: wanted.after, limit: 1 }',
        'Beyond the end of the log a reader learns where the kept events begin.',
      ],
    ],
  ),
  ...mutationsOf(
    'gateway/tracking/tracking-streams.ts',
    ['unit/gateway/tracking/tracking-streams'],
    [
      ['!== expectedAt(task.shown, toldAt)', '!== expectedAt(task.shown, now)', 'A page takes back a passed ETA.'],
      ['if (hasOtherLetterhead(page.digest, digest))', 'if (false)', 'A page is in one time zone.'],
      [
        '      page.isToReload = true;\n',
        '      page.digest = digest;\n',
        'No part of another zone comes before the page loads.',
      ],
    ],
  ),
  ...mutationsOf(
    'gateway/tracking/tracking-script.ts',
    ['unit/gateway/tracking/tracking-script'],
    [
      ['      isOld = true;\n      renew();', '      location.reload();', 'A page that is refused keeps a comment.'],
      ["id === 'title' ?", 'false ?', 'The title of an open page follows its status.'],
    ],
  ),
];
