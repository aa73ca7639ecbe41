import { type Mutation, mutationsOf } from '../mutation.ts';

const OUTBOUND = 'engine/domain/outbound/';
const TESTS = 'unit/domain/outbound/';

/** Faults in webhooks, callbacks and mails. */
export const OUTBOUND_MUTATIONS: readonly Mutation[] = [
  ...mutationsOf(
    'engine/views/parts/local-time.ts',
    ['unit/views/local-time'],
    [
      ['isWanted || isTwice(at)', 'isWanted', 'A time that the clocks show twice names its zone.'],
      ['[30, 60, 120]', '[60, 120]', 'Clocks may go back by half an hour.'],
    ],
  ),
  ...mutationsOf(
    `${OUTBOUND}webhook-signature.ts`,
    [`${TESTS}webhook-signature`],
    [
      ['.update(head).update(body)', '.update(body)', 'A signature covers the id and the time.'],
      ['return secrets\n    .map(', 'return secrets\n    .slice(0, 1)\n    .map(', 'The old secret signs along.'],
    ],
  ),
  ...mutationsOf(
    `${OUTBOUND}retry-schedule.ts`,
    [`${TESTS}retry-schedule`],
    [
      [
        'nowMs + Math.max(spreadMs, cappedRetryAfter(retryAfterMs))',
        'nowMs + spreadMs',
        'Retry-After makes the pause longer.',
      ],
      [
        'webhookRetryPausesMs[attempt - 1]',
        'webhookRetryPausesMs[attempt]',
        'The first retry comes after the first pause.',
      ],
      ['return Number(text) * 1_000;', 'return Number(text);', 'Retry-After is in seconds.'],
      [
        'Math.min(retryAfterMs ?? 0, LIMITS.webhookRetryAfterMs)',
        'retryAfterMs ?? 0',
        'An endpoint cannot ask for an endless pause.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/runtime/outbound/resolve-host.ts',
    ['integration/webhooks/sender-guard'],
    [
      [
        'if (addresses.length === 0) throw',
        'if (addresses.length < 0) throw',
        'A name without an address is no target.',
      ],
    ],
  ),
  ...mutationsOf(
    'workers/webhooks/send-delivery.ts',
    ['integration/webhooks/sender'],
    [
      [
        'const isSuccess = status',
        'const isSuccess = error === null && status',
        'A 2xx is success, however its body ends.',
      ],
      ['isGone: status === 410', 'isGone: error === null && status === 410', 'A 410 is one, however its body ends.'],
    ],
  ),
  ...mutationsOf(
    `${OUTBOUND}endpoint-circuit.ts`,
    [`${TESTS}endpoint-circuit`],
    [
      ['const counts = !isPaused(state, nowMs);', 'const counts = true;', 'Failures during a pause do not count.'],
      [
        'return beyond < 0 ? 0 :',
        'return beyond <= 0 ? 0 :',
        'An endpoint pauses after as many failures as the limit says.',
      ],
      [
        'failingSinceMs: state.failingSinceMs ?? nowMs',
        'failingSinceMs: nowMs',
        'An endpoint that always fails is disabled.',
      ],
    ],
  ),
  ...mutationsOf(
    `${OUTBOUND}webhook-filter.ts`,
    [`${TESTS}webhook-filter`],
    [
      [
        '(!channels || channels.has(channelOf(body)))',
        '(!channels || channels.size > 0)',
        'A webhook hears of its channels only.',
      ],
      ['type !== ONLY_BY_NAME && ', '', 'Positions go to webhooks that name them.'],
      ["type !== 'task.status_changed' || ", '', 'A filter of statuses concerns status changes only.'],
    ],
  ),
  ...mutationsOf(
    `${OUTBOUND}callback-signature.ts`,
    [`${TESTS}callback-signature`],
    [
      ['if (!isTimely(header, now)) return false;', '', 'An old callback is not accepted.'],
      [
        'given.length === expected.length && timingSafeEqual(given, expected)',
        'given.length === expected.length',
        'A callback is signed with the secret.',
      ],
    ],
  ),
  ...mutationsOf(
    'workers/outbox-relay.ts',
    ['integration/webhooks/waking'],
    [
      [
        'if (!passedOver.has(organizationId)) taken.push',
        'taken.push',
        'Organizations without webhooks are left alone.',
      ],
      ['waiting.add(organizationIds ?? []);', '', 'A commit wakes its webhooks at once.'],
      ['      waiting.forgetPassedOver();\n', '', 'A webhook that was just made is found by the next sweep.'],
    ],
  ),
  ...mutationsOf(
    'engine/store/webhooks/webhook-store.ts',
    ['api/webhooks/webhooks.test'],
    [
      [
        'CASE WHEN ${isRepeated} THEN sealed_previous_secret ELSE sealed_secret END',
        'sealed_secret',
        'A rotation that is repeated soon leaves the secret that the receiver has.',
      ],
      [
        'previous_secret_until >= ${repeatedFrom}::timestamptz',
        'previous_secret_until >= now() AND ${repeatedFrom}::timestamptz IS NOT NULL',
        'A later rotation ends the old secret.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/store/webhooks/webhook-store.ts',
    ['integration/webhooks/moved-endpoint', 'api/webhooks/webhook-health'],
    [
      [
        'SET lease = NULL, leased_until = NULL, failures = 0,',
        'SET failures = 0,',
        'A late answer of the old address does not concern the new one.',
      ],
      [
        '        paused_until = NULL, next_due_at = now()',
        '        next_due_at = now()',
        'A pause ends with its address.',
      ],
      [
        'UPDATE webhook_deliveries d SET next_attempt_at = now()\n',
        'UPDATE webhook_deliveries d SET next_attempt_at = next_attempt_at\n',
        'A new address gets at once what waits.',
      ],
    ],
  ),
  ...mutationsOf(
    'gateway/administration/administer-webhooks.ts',
    ['api/webhooks/webhook-health'],
    [
      [
        "after.status === 'active' && new URL(after.url).href !== new URL(before.url).href",
        "after.status === 'active' && after.url !== before.url",
        'Another spelling of an address keeps its health.',
      ],
      [
        'if (after.status !== before.status)\n',
        "if (after.status === 'inactive')\n",
        'A webhook that is switched on sends nothing of before.',
      ],
      [
        'return isMoved(before, after) ? { ...after, failingSince: null } : after;',
        'return after;',
        'The answer shows a new address without the failures of the old one.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/store/webhooks/follower-store.ts',
    ['integration/webhooks/position-news'],
    [
      [
        "AND d.state = 'pending'\n          AND d.type",
        'AND false AND d.type',
        'Positions do not pile up at a slow endpoint.',
      ],
      [
        'AND ${hearsNews(sql)}\n      AND ${isNotPaused(sql)}',
        'AND ${hearsNews(sql)}\n      AND f.failures IS NOT DISTINCT FROM 0',
        'Positions come again after one that failed.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/store/webhooks/delivery-store.ts',
    ['integration/webhooks/position-news'],
    [
      [
        'FROM switched_on w) AND ${arePositionsDue(sql)}',
        'FROM switched_on w) AND (true OR ${arePositionsDue(sql)})',
        'Two processes send positions once.',
      ],
    ],
  ),
  ...mutationsOf(
    'workers/webhooks/position-news.ts',
    ['integration/webhooks/position-news'],
    [
      [
        'return settledMs > afterMs ? settledMs : lastMs;',
        'return lastMs;',
        'A position that comes to Redis after a later one is sent.',
      ],
      [
        'return settledMs > afterMs ? settledMs : lastMs;',
        'return settledMs;',
        'The last positions are not sent again and again.',
      ],
      [
        'isoTime(knownUntilMs(kept, afterMs, latestMs))',
        'isoTime(nowMs)',
        'The clock of a worker decides on no position.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/store/webhooks/delivery-store.ts',
    ['integration/webhooks/ended-deliveries'],
    [
      [
        'outcomes.some(({ disabled }) => disabled) ?',
        'outcomes.length === 0 ?',
        'The statement that disables a webhook ends what is pending.',
      ],
      [
        'WHERE held.is_disabled_now AND d.',
        'WHERE d.',
        'Only a webhook that is disabled just now loses what is pending.',
      ],
      ['${endReasonOf(sql)} AS reason', 'NULL AS reason', 'An attempt that fails after the end is the last one.'],
      ['AND is_active FOR SHARE)', 'AND is_active)', 'A replay makes nothing beside the end of its webhook.'],
    ],
  ),
  ...mutationsOf(
    'engine/store/webhooks/delivery-store.ts',
    ['integration/webhooks/endpoint-runner.test'],
    [
      ["FROM taken WHERE kind = 'test' AND NOT is_there", "FROM taken WHERE kind = 'test'", 'A test is made once.'],
      ["taken.kind = 'redelivery' AND NOT taken.is_there", 'NOT true', 'An order without its delivery goes.'],
      [
        '    FROM taken WHERE taken.is_there AND',
        "    FROM taken WHERE taken.kind = 'redelivery' AND",
        'A test that a dead process took is taken again.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/store/webhooks/follower-store.ts',
    ['integration/webhooks/endpoint-runner.test'],
    [
      [
        'AND o.delivery_id = d.id)',
        'AND o.delivery_id < 0)',
        'An ordered delivery of a webhook that is off does not end.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/store/webhooks/follower-store.ts',
    ['integration/webhooks/ended-deliveries'],
    [
      ['if (isOff) await', 'if (isOff && !lease) await', 'What is pending for a webhook that is off ends.'],
      ['    OR ${isToEnd(sql)}\n', '', 'The sweep finds what is to end.'],
    ],
  ),
  ...mutationsOf(
    'gateway/routes/event-routes.ts',
    ['api/streams/events'],
    [['wanted.after > lastSequence', 'false', 'A place beyond the end of the log is refused.']],
  ),
  ...mutationsOf(
    'workers/job-worker.ts',
    ['integration/workers/full-redis'],
    [
      [
        "if ((error as Error).name === 'ReplyError') await sleep(LIMITS.storeRetryMs);",
        '',
        'Workers do not ask a full Redis without a pause.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/runtime/stop-on-signals.ts',
    ['integration/gateway/stop-signals'],
    [["['SIGTERM', 'SIGINT']", "['SIGTERM', 'SIGINT', 'SIGHUP']", 'SIGHUP along with SIGTERM drains too.']],
  ),
  ...mutationsOf(
    'engine/runtime/stop-on-signals.ts',
    ['unit/runtime/stop-on-signals'],
    [
      ['if (isStopping) return;', 'if (isStopping) process.exit(1);', 'Another reason to stop cuts no drain off.'],
      ['if (isSignalled) process.exit(1);', '', 'A second signal ends a process at once.'],
    ],
  ),
  ...mutationsOf(
    'workers/trouble-log.ts',
    ['unit/workers/trouble-log'],
    [
      ['LIMITS.queueTroubleMs;', '0;', 'A queue in trouble does not fill the log.'],
      ['    leftOut = 0;\n', '', 'A line counts what was left out since the last one.'],
    ],
  ),
  ...mutationsOf(
    'workers/job-worker.ts',
    ['integration/workers/worker-connections'],
    [
      ['if (!waiting && !stopping.aborted) replace();', '', 'A worker whose connection failed to start gives way.'],
      [
        'else if (wasAway) outage.failed',
        'else if (isAway && shared.status === "end") outage.failed',
        'A queue without a worker says so.',
      ],
      ['if (!isAway) outage.worked();', 'if (!isAway) void 0;', 'A queue that has a worker again says so.'],
    ],
  ),
  ...mutationsOf(
    'workers/notifications/mail-transport.ts',
    ['integration/workers/mail/mail-outcomes'],
    [
      ['if (!isHandedOver || ', 'if (', 'A mail that the server did not have as a whole was not sent.'],
      ['|| isRefusal(error)) throw', ') throw', 'A mail that the server refused has not arrived.'],
      [
        'if (!isHandedOver || isRefusal(error)) throw error;',
        'throw error;',
        'A mail without an answer may have arrived.',
      ],
      ['      isHandedOver = true;\n      cancel();', '      isHandedOver = true;', 'A late answer is waited for.'],
      ['? waits.customerAnswerMs', '? waits.answerMs', "A customer's mail holds its room for a short time."],
    ],
  ),
  ...mutationsOf(
    'workers/notifications/mailer.ts',
    ['integration/workers/mail/mail-outcomes'],
    [
      ['if (error instanceof NoAnswerError) return', 'if (!error) return', 'A link that may have arrived stays good.'],
      [
        'const isLast = await store.mayHaveSent(request, link);',
        'const isLast = false && link;',
        'No third mail follows two that may have arrived.',
      ],
      [
        'const isLast = await store.mayHaveSent(request, link);',
        'const isLast = attempts > 1 && link;',
        'A mail that may not have arrived goes out once more, also after one that was refused.',
      ],
      ['    await store.withdrawToken(token);', '', 'A link that was not sent is withdrawn.'],
    ],
  ),
  ...mutationsOf(
    'workers/notifications/notice-sender.ts',
    ['integration/notifications/mails'],
    [
      ['if (error instanceof NoAnswerError) return', 'if (!error) return', 'A customer gets no copies.'],
      ['faultOf(error).message', '(error as Error).message', "A customer's address is shown to nobody in full."],
    ],
  ),
  ...mutationsOf(
    'workers/webhooks/disabled-notices.ts',
    ['integration/webhooks/disabled-notices'],
    [
      ['if (!(error instanceof NoAnswerError)) failures', 'failures', 'An administrator gets no copies.'],
      ['fault: faultOf(error)', 'err: error', "The log has no administrator's address."],
      ["'No event is sent to it", "'Nothing is sent to it", 'The mail is true: tests and redeliveries are sent.'],
    ],
  ),
];
