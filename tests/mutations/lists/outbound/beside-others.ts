import { type Mutation, mutationsOf } from '../../mutation.ts';

/** Faults in webhooks that another process, or a change, comes upon meanwhile. */
export const BESIDE_OTHERS: readonly Mutation[] = [
  ...mutationsOf(
    'engine/store/webhooks/follower-store.ts',
    ['integration/webhooks/disabled-notices'],
    [
      [
        '    AND (f.notice_claimed_until IS NULL OR f.notice_claimed_until <= now()))',
        ')',
        'One process mails administrators about a webhook.',
      ],
      ['OR f.notice_claimed_until <= now()', '', 'The mails of a process that died are sent by another.'],
      [
        ' AND f.disabled_at = ${disabledExactly}::text::timestamptz',
        '',
        'A webhook that is disabled again is not taken for told.',
      ],
      ['(f.disabled_at >= w.active_since AND f.notified_at', '(f.notified_at', 'No mail says what is no longer true.'],
    ],
  ),
  ...mutationsOf(
    'workers/webhooks/position-news.ts',
    ['integration/webhooks/position-news'],
    [
      ['.filter((ms) => ms <= latestMs)', '', 'A gateway whose clock was ahead silences no positions.'],
      [
        'Math.max(nowMs, Date.parse(foundAt))',
        'nowMs',
        'A worker whose clock is behind takes no gateway for one that is ahead.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/store/webhooks/webhook-store.ts',
    ['integration/webhooks/moved-endpoint'],
    [
      [
        'SET ${isActive ? unheld : sql``} next',
        'SET ${isActive && !unheld ? unheld : sql``} next',
        'A late answer of the old address does not disable a webhook that was switched on with another.',
      ],
    ],
  ),
  ...mutationsOf(
    'workers/webhooks/endpoint-follower.ts',
    ['integration/webhooks/endpoint-runner.test'],
    [
      ['const id = idOfBody(body);', 'const id = `evt_${sequence}`;', 'An event keeps the id of its body.'],
      ['eventId: idOfBody(body)', 'eventId: `evt_${sequence}`', 'A replay sends an event under the id of its body.'],
    ],
  ),
  ...mutationsOf(
    'workers/webhooks/disabled-notices.ts',
    ['integration/webhooks/disabled-notices'],
    [['        await followers.releaseNotice(disabled);\n', '', 'A mail server that is away holds up no later run.']],
  ),
];
