import { type Mutation, mutationsOf } from '../../mutation.ts';

/** Faults in what a page of the console keeps of what a person has typed and selected. */
export const KEPT_TEXT: readonly Mutation[] = [
  ...mutationsOf(
    'gateway/console/page/of-user.ts',
    ['unit/gateway/console/page/of-user'],
    [
      ['(who !== undefined && owner !== undefined && who !== owner)', 'false', 'No other user meets what was typed.'],
      ['owner = hasLeft ? undefined : (who ?? owner);', 'owner = who;', 'Another user is known after a session ended.'],
    ],
  ),
  ...mutationsOf(
    'gateway/console/page/link.ts',
    ['unit/gateway/console/page/link'],
    [['    if (ends !== endsBefore) return;\n', '', 'A patch that waits for its frame ends with its session.']],
  ),
  ...mutationsOf(
    'gateway/console/page/draft.ts',
    ['unit/gateway/console/page/draft'],
    [
      ['attemptAfter(attempt.peek(), order)', 'attemptAfter(NO_ATTEMPT, order)', 'An order sent again is one task.'],
      ['  attempt.value = NO_ATTEMPT;\n', '', 'The next draft is a task of its own.'],
      [
        'attemptAnswered(attempt.peek(), answer)',
        'attempt.peek()',
        'A refused order may be taken when it is sent again.',
      ],
    ],
  ),
  ...mutationsOf(
    'gateway/console/actions/selection.ts',
    ['unit/gateway/console/actions/act'],
    [
      [
        'for (const id of ids) left.delete(id);',
        'left.clear();',
        'A finished action leaves the rest of the selection.',
      ],
    ],
  ),
  ...mutationsOf(
    'gateway/console/page/draft.ts',
    ['unit/gateway/console/actions/typed-since'],
    [['if (isSame) discardDraft();', 'discardDraft();', 'What is typed while a task is made stays.']],
  ),
  ...mutationsOf(
    'gateway/console/page/edit.ts',
    ['unit/gateway/console/actions/typed-since'],
    [
      ['if (now.form === sent.form) return', 'return', 'What is typed while a change is saved stays.'],
      ['...before, ...Object.fromEntries(typed)', '...now.form', 'It stays on the task as it was saved.'],
      ['now?.before !== sent.before', 'now === undefined', 'A change that was begun since stays as it is.'],
    ],
  ),
  ...mutationsOf(
    'gateway/console/ui/controls.tsx',
    ['unit/gateway/console/actions/busy-button'],
    [['busy ? event.preventDefault() :', 'busy ? undefined :', 'A busy button sends no form a second time.']],
  ),
  ...mutationsOf(
    'gateway/console/page/new-key.ts',
    ['unit/gateway/console/page/new-key', 'unit/gateway/console/import/send-table'],
    [
      [
        ': { ...attempt, isOpen: true }',
        ': NO_ATTEMPT',
        'A webhook that is added again after a lost answer is made once.',
      ],
      ['? NO_ATTEMPT :', '? attempt :', 'A refusal is not repeated once its cause is gone.'],
      [
        'isDecided(answer, attempt.isOpen)',
        'isDecided(answer, false)',
        'A guard does not decide about a call that was sent.',
      ],
      ['const refusal = longAgo(last, asked);', 'const refusal = undefined;', 'No call is made twice after a day.'],
      [' - 3_600_000', '', 'Nothing is sent again when the engine is about to forget its key.'],
      [
        'last.isOpen && last.sent === JSON.stringify(body) &&',
        'last.isOpen &&',
        'Another call is sent, however old the last one is.',
      ],
      ['if (isReplayed) return true;', '', 'The first answer under a key, again, decides about the first call.'],
      [
        'isRepeat || isOutcomeUnknown',
        'isRepeat',
        'A guard does not decide about a call whose first attempt had no answer.',
      ],
      ['...attempt, isOpen: true', '...attempt', 'A call without an answer may have been carried out.'],
    ],
  ),
  ...mutationsOf(
    'gateway/console/import/send-lines.ts',
    ['unit/gateway/console/import-lines', 'unit/gateway/console/import/send-table'],
    [
      [
        'isDecided(answer, firstSentAtMs !== null)',
        'isDecided(answer, false)',
        'A guard does not decide about lines that were sent.',
      ],
      ['{ ...part, firstSentAtMs }', 'part', 'Lines without an answer were sent.'],
      ['part.firstSentAtMs ?? now()', 'now()', 'Lines that are sent again become no younger.'],
    ],
  ),
  ...mutationsOf(
    'gateway/console/import/send-table.ts',
    ['unit/gateway/console/import/send-table'],
    [
      ['words: refusalText(answer.failure) });\n', "words: '' });\n", 'Lines about which nothing is decided say why.'],
      [' || isOld(undecided.peek())', '', 'Lines whose key may be forgotten are not sent again.'],
      [
        'isForgotten(sentAtMs, Date.now())',
        'isForgotten(sentAtMs, nowMs.value)',
        'Lines become older while the machine sleeps.',
      ],
      ['  void nowMs.value;\n', '', 'Lines become too old while the page is open.'],
    ],
  ),
  ...mutationsOf(
    'gateway/console/saved/saved-views.ts',
    ['unit/gateway/console/saved-views'],
    [
      ['views.some(({ name }) => name === view.name) ? views', 'false ? views', 'A view saved meanwhile stays.'],
      ['views.toSpliced(at, 0, view)', '[view]', 'Undo puts one view back, and leaves the others as they are.'],
    ],
  ),
  ...mutationsOf(
    'gateway/console/page/pin.ts',
    ['unit/gateway/console/page/pin'],
    [
      ['return isChanged && ', 'return false && ', 'A changed address is sent, or said to be nowhere.'],
      ['before.pin.trim() ? own : ', 'before.pin.trim() ? pinIn(place.pin) : ', 'Another address leaves the pin.'],
    ],
  ),
  ...mutationsOf(
    'gateway/console/live/parts/list-view.ts',
    ['unit/gateway/console/parts/list-of-today'],
    [
      ['selected.filter((id) => !ids.has(id))', '[]', 'A selection says which of its tasks are out of sight.'],
      ['selected: _____, ', '', 'A selection lets nothing into a list that is held.'],
    ],
  ),
];
