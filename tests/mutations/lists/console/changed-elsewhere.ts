import { type Mutation, mutationsOf } from '../../mutation.ts';

/** Faults in how an open console learns of changes that no event tells. */
export const CHANGED_ELSEWHERE: readonly Mutation[] = [
  ...mutationsOf(
    'gateway/console/live/api.ts',
    ['unit/gateway/console/parts/caller'],
    [
      [
        'if (asked > this.#heard) {',
        'if (asked > 0) {',
        'An old answer about the caller does not replace a newer one.',
      ],
      ['isReplayed, isOutcomeUnknown });', 'isReplayed });', 'A refusal says that an attempt before it was lost.'],
      ['{ signal: this.#calls.signal }', '{}', 'No call of a user who has left is made for the next one.'],
    ],
  ),
  ...mutationsOf(
    'gateway/console/live/live-core.ts',
    ['unit/gateway/console/parts/caller'],
    [
      [
        'this.#timeZone = timeZone;\n    this.#connection.abort();',
        'this.#timeZone = timeZone;',
        'Another time zone takes effect at once.',
      ],
      ['this.#loadedZone === this.#timeZone; ) {', '; ) {', 'What is of today follows the zone of the organization.'],
    ],
  ),
  ...mutationsOf(
    'gateway/console/live/live-core.ts',
    ['unit/gateway/console/parts/set-clock'],
    [
      [
        'this.connection.clockOffsetMs - setMs',
        'this.connection.clockOffsetMs',
        'The time of the server does not follow a clock that is set.',
      ],
      ['if (this.#isOpen) this.#connection.abort();\n  }\n\n  #see', '}\n\n  #see', 'It is asked again then.'],
      ['  #sweep(): void {\n    this.#heedClock();', '  #sweep(): void {', 'A clock set ahead sweeps no task away.'],
    ],
  ),
  ...mutationsOf(
    'gateway/console/live/records.ts',
    ['unit/gateway/console/parts/couriers-again'],
    [
      [
        'before.sequence === sequence && before.view.updatedAt >= view.updatedAt',
        'before.sequence === sequence',
        'A courier who was changed without an event is shown as changed.',
      ],
      ['before.sequence > sequence) return false;', 'before.sequence < 0) return false;', 'A newer courier stays.'],
    ],
  ),
  ...mutationsOf(
    'gateway/console/live/snapshot.ts',
    ['unit/gateway/console/parts/couriers-again'],
    [
      ['return from + PAGES_AGAIN;', 'return 1;', 'Every courier of a large fleet is read again.'],
      ['if (count > records.agents.size) await', 'if (count < 0) await', 'A courier who was added is known.'],
    ],
  ),
  ...mutationsOf(
    'gateway/console/import/import-state.ts',
    ['unit/gateway/console/import/import-state'],
    [
      [
        'nowMs.value, timeZone.value',
        'nowMs.peek(), timeZone.value',
        'A time without a day is one of the present day.',
      ],
      ['const zone = timeZone.value;', 'const zone = timeZone.peek();', 'A table has the times of the present zone.'],
    ],
  ),
];
