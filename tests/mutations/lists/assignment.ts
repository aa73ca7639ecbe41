import { type Mutation, mutationsOf } from '../mutation.ts';

const OFFERS = ['unit/engine/decide/', 'integration/assignment/offers'];

/** Faults in searches, offers and the assignment of couriers. */
export const ASSIGNMENT: readonly Mutation[] = [
  ...mutationsOf(
    'engine/domain/assignment/assignment-machine.ts',
    ['unit/domain/assignment/', ...OFFERS],
    [
      ['return expiresAt <= now;', 'return expiresAt < now;', 'An offer that has run out cannot be accepted.'],
      [
        "request.rejectionReason === 'taken'",
        "request.rejectionReason === 'withdrawn'",
        'The slower agent gets ASSIGNMENT_ALREADY_TAKEN.',
      ],
      [
        "const isSame = status === (answer === 'accept' ? 'accepted' : 'rejected');",
        "const isSame = status === 'accepted';",
        'A rejected offer cannot be accepted later.',
      ],
      [
        'search.attempts >= maxAttempts',
        'search.attempts > maxAttempts',
        'A search ends after as many attempts as its limit says.',
      ],
      ['(other) => other.id !== id', '(other) => other.id === id', 'A declined offer is not open any more.'],
      [
        'search.startsAt === null && search.open.length === 0',
        'search.startsAt === null',
        'A task with open offers is not offered to others.',
      ],
      [
        'const until = task.windowEnd ?? timeoutAt;',
        'const until = timeoutAt;',
        'A search ends with the window of its task.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/domain/planning/lot-maker.ts',
    ['unit/planning/plan-round'],
    [
      [
        'LEFT_OUT_MS + urgency * Math',
        'LEFT_OUT_MS + Math',
        'An appointment far ahead is given after hours of search, too.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/domain/shown-time.ts',
    ['unit/domain/tasks/delay', 'unit/engine/eta-watch'],
    [['Math.min(ms, LIMITS.latestTimeMs)', 'ms', 'A computed time is never later than the last that can be shown.']],
  ),
  ...mutationsOf(
    'engine/domain/stops/plan-stops.ts',
    ['unit/domain/stops/', 'unit/engine/eta-watch', 'unit/planning/round-view-of'],
    [
      [
        'if (!hasLeft(task, start)) return',
        'if (true) return',
        'An agent that has left a stop sets out from where it is.',
      ],
      ['seenAt <= cameAt(task)!', 'false', 'An agent that nobody has seen since it came is still there.'],
      [
        'Math.max(firstFrom, thereAt) <= LIMITS.roomyWaitMs',
        'Math.max(earliest, thereAt) <= LIMITS.roomyWaitMs',
        'Goods that are ready do not wait for hours for others of their place.',
      ],
      ['readyAt - otherAt ||', '', 'An agent at a pickup takes first what is ready.'],
      [
        'isLeft ? { ...pickup, arrivedAt: null } : pickup',
        'pickup',
        'Before an agent comes back to a pickup it does what fits.',
      ],
      [
        'arrivedAt: null }, turn: 3,',
        'arrivedAt: null }, turn: 1,',
        'A door that its agent has left comes after the rest.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/domain/assignment/eligibility.ts',
    ['unit/domain/assignment/eligibility', 'unit/planning/'],
    [
      [
        'from < slot.until && slot.from < until',
        'from <= slot.until && slot.from <= until',
        'One slot may begin when another ends.',
      ],
      [
        'agent.openTasks + demand.tasks > maxTasksPerAgent',
        'agent.openTasks > maxTasksPerAgent',
        'An agent gets no more tasks than its limit.',
      ],
      [
        "if (demand.declinedBy.includes(agent.agentId)) return 'declined';",
        '',
        'An agent who declined is not planned again.',
      ],
    ],
  ),
  ...mutationsOf(
    'workers/assignment/round-scheduler.ts',
    ['unit/workers/'],
    [
      ['Math.min(now + windowLeftMs, place.neededAt)', 'now + windowLeftMs', 'A round looks before a search ends.'],
      [
        "if (place.state === 'waiting' && place.neededAt < place.dueAt)",
        "if (place.state === 'due')",
        'An end that is heard of later brings the round forward, too.',
      ],
      ['hasFailed ? 0 : ', '', 'A round that failed does not wait for its window once more.'],
      [
        '    const after = rows.tasks.length',
        '    const after = place.after = rows.tasks.length',
        'The tasks of a round that fails are looked at again, before the others.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/planning/proposal.ts',
    ['unit/planning/proposal'],
    [["['declined', 'skills'];", "['declined', 'skills', 'too_far'];", 'A search waits for agents who come nearer.']],
  ),
  ...mutationsOf(
    'engine/planning/round-planner.ts',
    ['integration/planning/round-planner'],
    [
      ['if (this.#thread !== thread) return;', '', 'No round gets the plan of another one that was given up.'],
      [
        "this.#fail(new PlanningError('the planning thread did not start', { cause: error }));",
        'throw error;',
        'A thread that does not start holds up no further round.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/store/planning/round-store.ts',
    ['integration/assignment/round-store', 'integration/assignment/inactive-organization'],
    [
      [" AND o.status = 'active'", '', 'An organization that is not active has no rounds.'],
      [
        'AND deadline_at <= now()',
        'AND false AND deadline_at <= now()',
        'The end of the search of a moving task is known.',
      ],
    ],
  ),
  ...mutationsOf('engine/org/decide/assignment/answer-request.ts', OFFERS, [
    [
      "(caller.role === 'agent' && request.agentId !== caller.agentId)",
      "(caller.role === 'agent' && request.agentId < 0)",
      "An agent cannot answer another agent's offer.",
    ],
    [
      "const refused = request.mode === 'broadcast' ?",
      "const refused = request.mode === 'sequential' ?",
      'A broadcast is not won by an agent who no longer fits.',
    ],
  ]),
  ...mutationsOf(
    'engine/org/decide/records/update-agent.ts',
    ['unit/engine/update-agent'],
    [
      [
        'wantedHome(before.home, homeOf(home))',
        'homeOf(home)',
        'An agent’s home that is sent back as answers show it is no change.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/org/decide/records/update-agent.ts',
    ['api/assignment/unsuited-agent', 'api/assignment/inactive-agent'],
    [
      ['|| vehicle !== undefined', '', 'An agent with a smaller vehicle loses the offers that it cannot carry.'],
      ['|| skills !== undefined', '', 'An agent without a skill loses the offers that need it.'],
      ['if (isLeaving) draftDecline(', 'if (false) draftDecline(', 'An agent that leaves loses every offer.'],
    ],
  ),
  ...mutationsOf(
    'engine/org/decide/steps/task-search.ts',
    ['api/assignment/unsuited-agent'],
    [
      ['|| isSuited(draft, facts, agent)) return;', ') return;', 'An agent keeps the offers that it can carry.'],
      [
        "const reasonCode = how === 'cancelled' ? whyWithdrawn(draft, request) : null;",
        'const reasonCode = null;',
        'The history says why an offer was withdrawn.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/org/decide/needed-records.ts',
    ['integration/assignment/offers'],
    [
      [
        'if (isTaken) this.#chain();',
        '',
        'A vehicle that an accepted offer fills loses the others, though memory has none of them.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/org/decide/steps/accept-request.ts',
    ['api/assignment/unsuited-agent'],
    [
      [
        'withdrawFromFull(draft, request.agentId, now);',
        '',
        'A vehicle that an accepted offer fills loses the others.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/org/decide/assignment/assign-task.ts',
    ['api/assignment/unsuited-agent'],
    [['withdrawFromFull(draft, agent.id, now);', '', 'A vehicle that an assigned task fills loses its offers.']],
  ),
  ...mutationsOf('engine/org/decide/assignment/propose-offers.ts', OFFERS, [
    [
      'if (rejectedBy.includes(agentId) || expiredBy.includes(agentId)) return false;',
      '',
      'An agent who declined is not asked again.',
    ],
    ['!agent?.isActive || !agent.onDuty', '!agent?.isActive', 'An agent off duty is not asked.'],
    [
      'isAskedOfMany ? LIMITS.broadcastAgents : 1',
      'LIMITS.broadcastAgents',
      'A sequential search asks one agent at a time.',
    ],
  ]),
  ...mutationsOf(
    'engine/org/decide/assignment/propose-offers.ts',
    ['integration/assignment/told-searches'],
    [['{ ...task, updatedAt: sought.updatedAt }', 'task', 'A task that shows no change keeps its updatedAt.']],
  ),
  ...mutationsOf(
    'engine/org/decide/steps/agent-fit.ts',
    [...OFFERS, 'api/agents/assignment'],
    [
      ['held.length >= maxTasks', 'held.length > maxTasks', 'An agent holds no more tasks than its limit.'],
      [
        "return overlaps(slots, slot) ? refusal('AGENT_SLOT_TAKEN', undefined, { agentId }) : undefined;",
        'return undefined;',
        'An agent serves one scheduled task at a time.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/domain/stops/schedule.ts',
    ['unit/domain/stops/'],
    [
      [
        'this.setOutAts[index] === from ? from : setOutAt(this.start.rests, from, wayMs, atAnyTime)',
        'this.setOutAts[index]!',
        'An agent that has a break before a stop is free before the break.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/planning/round-view-of.ts',
    ['unit/gateway/preview-round'],
    [
      [
        'const shift = shiftOf(agent, at);',
        'const shift = shiftOf(agent, now);',
        'A preview follows the shifts of its time.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/planning/round-view-of.ts',
    ['unit/planning/shifts'],
    [
      [
        'freeAt: afterBreak(shift, freeAt),',
        'freeAt,',
        'An agent on its break keeps no order from those who could come.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/planning/round-view-of.ts',
    ['unit/planning/round-view-of'],
    [
      [
        'schedule.waitMs(done) < LIMITS',
        'beginAts[done]! - schedule.arriveAts[done]! < LIMITS',
        'An agent is free until a break after which a stop soon has its time.',
      ],
      [' && beginAts[last]! < endsAt', '', 'Stops of its next shift do not bind an agent in this one.'],
    ],
  ),
  ...mutationsOf(
    'engine/domain/planning/bound-agents.ts',
    ['unit/planning/round-view-of', 'unit/planning/windows'],
    [
      [
        'before === trips.length ? this.homeBy[agent]! : endOf(who)',
        'endOf(who)',
        'A stop that leads past the end of a shift anyway leaves the agent free before.',
      ],
      [
        'if (trip > 0 && !this.isHomeBy(who, endOf(who))) return IMPOSSIBLE;',
        '',
        'A trip before the stops of an agent ends in its shift, with the way home.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/planning/broadcast-round.ts',
    ['unit/planning/shifts', 'unit/planning/broadcast-round'],
    [
      [
        'earliestOf(slot, readyAt) - now',
        '(readyAt ?? 0) - now',
        'A broadcast asks nobody whose shift ends before the scheduled time.',
      ],
      [
        'order.slot ? breakWithin(shift, setOutAt, times.doneAt) : undefined',
        'undefined',
        'An agent with a break before the scheduled time is asked.',
      ],
      [
        '{ settings, now: nextRoundAt }, travel',
        '{ settings, now }, travel',
        'A broadcast asks early enough for an agent with a long way.',
      ],
      ['if (slot || ', 'if (', 'A broadcast for a scheduled task does not wait for its time.'],
    ],
  ),
  ...mutationsOf(
    'engine/store/planning/fleet-store.ts',
    ['integration/assignment/couriers.test'],
    [
      ["t.status <> 'completed' AND ", '', 'A vehicle is free as soon as its task is done.'],
      [
        "h.recorded_at >= date_trunc('milliseconds', j.booked_at) AND ",
        '',
        'A vehicle is not called off for a job that it lost before this one.',
      ],
    ],
  ),
  ...mutationsOf(
    'workers/assignment/couriers/courier-turn.ts',
    ['unit/workers/courier-turn'],
    [
      ['taskId > this.#hand', 'taskId > 0', 'The first tasks do not take the turns of all others.'],
      ['if (isHere) this.#move(last);', '', 'A page that has become empty does not keep the turn for ever.'],
      [
        'const isHere = after <= this.#hand && this.#hand < last;',
        'const isHere = true;',
        'Each page of tasks has its turn.',
      ],
    ],
  ),
  ...mutationsOf(
    'workers/assignment/couriers/book-couriers.ts',
    ['unit/workers/courier-turn'],
    [
      [
        'jobs.filter(({ load }) => options.provider.mayCarry(settings, load))',
        'jobs',
        'Tasks that no vehicle carries do not shut out others.',
      ],
      ['  return answer.ok;\n', '  return true;\n', 'A search goes on while its owner has not heard of the courier.'],
    ],
  ),
  ...mutationsOf(
    'workers/assignment/round-scheduler.ts',
    ['unit/workers/courier-turn'],
    [
      ['      turn.next([], page);\n', '', 'A page without a searching task passes the turn on.'],
      ['(turn.isOver ? 1 : 0)', '1', 'Rounds come as often as before until each task has had its turn for a courier.'],
      ['{ ...one, isHopeless: false }', 'one', 'No search is without hope while a courier is still to be asked.'],
    ],
  ),
];
