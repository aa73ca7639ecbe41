import { type Mutation, mutationsOf } from '../../mutation.ts';

/** Faults in who gets a push or a mail, and in how often. */
export const NOTICES: readonly Mutation[] = [
  ...mutationsOf(
    'engine/domain/outbound/notices.ts',
    ['unit/domain/outbound/notices'],
    [
      [' || goesBack(task)', '', 'A customer gets no mail about goods that go back to the sender.'],
      [
        "if (kind === 'task_assigned' && !hasTask) return",
        "if (kind === 'task_assigned' && hasTask) return",
        'An agent gets no push for a task that was taken back.',
      ],
      [
        "if (kind === 'tracking_on_the_way' && taskStatus !== 'in_transit') return",
        "if (kind === 'tracking_on_the_way' && taskStatus === 'new') return",
        'No mail says that a courier is on the way who no longer is.',
      ],
      [
        'if (notice.expiresAt <= now) return',
        "if (notice.expiresAt === '') return",
        'A notice that is too late is dropped.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/store/notifications/notice-follow-store.ts',
    ['integration/notifications/mails'],
    [
      ["WHERE old.status = 'dropped'", 'WHERE false', 'A dropped mail makes way for a new one.'],
      ["WHERE old.status = 'dropped'", "WHERE old.status <> 'pending'", 'A mail that was sent is not sent again.'],
    ],
  ),
  ...mutationsOf(
    'engine/store/notifications/notice-store.ts',
    ['integration/notifications/lanes'],
    [
      [' AND h.channel = r.channel', '', 'Mails in progress take no room of the pushes of their organization.'],
      ['PARTITION BY channel ORDER BY', 'ORDER BY', 'Of pushes and mails, each has the room of its own.'],
      [
        'coalesce(h.count, 0)\n        + row_number()',
        'row_number()',
        'The organization with the fewest in progress is first.',
      ],
    ],
  ),
  ...mutationsOf(
    'schema/migrations/0045-due-by-channel.sql',
    ['integration/notifications/lanes'],
    [['(organization_id, channel, due_at)', '(organization_id, due_at)', 'Many due mails make no lease slow.']],
  ),
  ...mutationsOf(
    'workers/notifications/notice-sender.ts',
    ['unit/workers/notice-sender'],
    [['held[channel] += 1', 'held.push += 1', 'Mails that hang take no room of pushes.']],
  ),
];
