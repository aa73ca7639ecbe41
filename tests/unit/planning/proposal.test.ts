import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PassedOver, RoundPlan, Unplanned } from '../../../engine/domain/assignment/round-view.ts';
import { newsOf, piecesOf, proposalOf } from '../../../engine/planning/proposal.ts';
import type { SoughtTask } from '../../../engine/store/planning/round-store.ts';
import type { FailureReason, TaskSearch } from '../../../schema/assignment/assignment.ts';
import type { LackingTask, ProposedOffer } from '../../../schema/assignment/proposed-offer.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { soughtTask } from '../sought-task.ts';
import { agent, NOW, order, roundView } from './round-fixture.ts';

const seen = (count: number, unlocated = 0, isStale = false) => ({
  view: roundView(
    [order()],
    Array.from({ length: count }, (_, index) => agent(index + 1, { isStale })),
  ),
  unlocated: Array.from({ length: unlocated }, (_, index) => 100 + index),
  knowsCarried: true,
});

function lacking(counts: Partial<Record<PassedOver, number>>, view = seen(3), why: Unplanned['why'] = 'nobody') {
  const plan: RoundPlan = { offers: [], unplanned: [{ taskId: 1, why, counts, nearest: [] }] };
  return proposalOf(plan, view).lacking[0]!;
}

test('each task of a bundle becomes an offer of its own, in whole metres and seconds', () => {
  const offer = { agentId: 7, taskIds: [3, 5], score: 1.5, distanceM: 10.4, etaMs: [1_400, 2_600], stops: [] };
  const view = roundView([order()], [agent(7, { openTasks: 2 })]);
  const plan: RoundPlan = { offers: [offer], unplanned: [] };
  const shown = [
    { taskId: 3, agentId: 7, score: 1.5, distanceM: 10, etaSeconds: 1 },
    { taskId: 5, agentId: 7, score: 1.5, distanceM: 10, etaSeconds: 3 },
  ];
  assert.deepEqual(proposalOf(plan, { ...seen(1), view }).offers, [
    { ...shown[0], heldTasks: 2 },
    { ...shown[1], heldTasks: 3 },
  ]);
  assert.deepEqual(proposalOf(plan, { ...seen(1), view, knowsCarried: false }).offers, shown);
});

test('the lack follows from the reasons why candidates were passed over', () => {
  const reasons: [FailureReason | null, LackingTask][] = [
    ['no_available_agents', lacking({}, seen(0))],
    ['no_available_agents', lacking({}, seen(0, 4))],
    ['no_available_agents', lacking({ stale_position: 3 }, seen(3, 0, true))],
    ['no_eligible_agents', lacking({ skills: 2, declined: 1 })],
    ['no_eligible_agents', lacking({ capacity: 2, max_tasks: 1 })],
    ['capacity_exceeded', lacking({ capacity: 2, skills: 1 })],
    [null, lacking({}, seen(3), 'held')],
  ];
  for (const [expected, { reason, counts }] of reasons) assert.equal(reason, expected, JSON.stringify(counts));
});

test('a search is hopeless only when every agent on duty was passed over for a reason that waiting does not change', () => {
  assert.equal(lacking({ skills: 1, declined: 2 }).isHopeless, true);
  assert.equal(lacking({ skills: 1, declined: 1, too_far: 1 }).isHopeless, false, 'agents move');
  assert.equal(lacking({ skills: 1, declined: 1, capacity: 1 }).isHopeless, false);
  assert.equal(lacking({ skills: 3 }, seen(3, 1)).isHopeless, false);
  assert.equal(lacking({}, seen(0)).isHopeless, false);
});

test('agents without a known position count like those with an old one, and are listed behind those who are somewhere', () => {
  const near = { agentId: 1, reason: 'stale_position', distanceM: 10.4 } as const;
  const unplanned: Unplanned[] = [{ taskId: 1, why: 'nobody', counts: { stale_position: 1 }, nearest: [near] }];
  const [lack] = proposalOf({ offers: [], unplanned }, seen(3, 2)).lacking;
  const nowhere = [100, 101].map((agentId) => ({ agentId, reason: 'stale_position', distanceM: null }));
  assert.deepEqual(lack!.counts, { stale_position: 3 });
  assert.deepEqual(lack!.nearest, [{ ...near, distanceM: 10 }, ...nowhere]);
  const [many] = proposalOf({ offers: [], unplanned }, seen(3, 50)).lacking;
  assert.equal(many!.nearest.length, LIMITS.passedOverShown);
});

const sought = (fields: Partial<SoughtTask>, search: Partial<TaskSearch> = {}) =>
  soughtTask(1, NOW, { status: 'awaiting_assignment', ...fields }, search);

test('the owner gets a lack that it does not know yet', () => {
  const told = (task: SoughtTask, lack: LackingTask) =>
    newsOf({ offers: [], lacking: [lack] }, [task], NOW).lacking.length;
  const [long, just] = [NOW - LIMITS.searchNoteMs, NOW - LIMITS.searchNoteMs + 1].map((ms) =>
    new Date(ms).toISOString(),
  );
  const none = lacking({ skills: 3 });
  const held = lacking({ busy: 1 }, seen(3), 'held');
  assert.equal(told(sought({ status: 'new' }), held), 1, 'it has not been looked at before');
  assert.equal(told(sought({}), held), 1, 'it waits for a busy agent');
  const waiting = { lacking: 'no_eligible_agents', noted: 'busy_agent', notedAt: long! } as const;
  assert.equal(told(sought({}, waiting), held), 0, 'it still does');
  assert.equal(told(sought({}, { ...waiting, noted: 'ready_time', notedAt: just! }), held), 0, 'that is noted later');
  assert.equal(told(sought({}), lacking({}, seen(3), 'held')), 0, 'the round had no room for it');
  assert.equal(told(sought({}), none), 1);
  const noted = (lacking: FailureReason, notedAt = long!, expiredBy: number[] = []) =>
    sought({}, { lacking, notedAt, expiredBy });
  assert.equal(told(noted('no_eligible_agents'), none), 0, 'it is known');
  assert.equal(told(noted('capacity_exceeded'), none), 1, 'it is another');
  assert.equal(told(noted('capacity_exceeded', just), none), 1, 'the search may end with it');
  const alternating = sought({}, { lacking: 'no_eligible_agents', noted: 'capacity_exceeded', notedAt: just! });
  assert.equal(told(alternating, none), 0, 'it is noted later, as it may alternate');
  const lasting = sought({}, { lacking: 'no_eligible_agents', noted: 'capacity_exceeded', notedAt: long! });
  assert.equal(told(lasting, none), 1, 'it has lasted');
  assert.equal(told(noted('no_eligible_agents', just, [3]), none), 1, 'there is no hope left');
});

test('a search gets every change of its candidates shortly before its end, and none earlier', () => {
  const at = (ms: number) => new Date(NOW + ms).toISOString();
  const lack = lacking({ skills: 3 });
  const noted = { lacking: 'no_eligible_agents', noted: 'no_eligible_agents', notedAt: at(0) } as const;
  const isNews = (fields: Partial<SoughtTask>, search: Partial<TaskSearch>) =>
    newsOf({ offers: [], lacking: [lack] }, [sought(fields, { ...noted, ...search })], NOW).lacking.length === 1;
  const others = { counts: { skills: 2 }, nearest: [] };
  const [soon, later] = [at(LIMITS.searchEndsSoonMs), at(LIMITS.searchEndsSoonMs + 1)];
  assert.equal(isNews({}, { until: later, passedOver: others }), false);
  assert.equal(isNews({}, { until: soon, passedOver: others }), true);
  assert.equal(isNews({}, { until: soon, passedOver: { counts: { skills: 3 }, nearest: [] } }), false);
  assert.equal(isNews({ windowEnd: soon }, { until: later, passedOver: others }), true);
  assert.equal(isNews({}, { until: soon, passedOver: null }), true);
});

test('the pieces of a proposal are as large as the owner takes them, and the offers of one task stay together', () => {
  const offers: ProposedOffer[] = Array.from({ length: 3 * LIMITS.proposedOffers }, (_, index) => ({
    taskId: Math.floor(index / 7),
    agentId: index,
    score: 0,
    distanceM: null,
    etaSeconds: null,
  }));
  const lack = Array.from({ length: LIMITS.proposedOffers + 1 }, () => lacking({}));
  const pieces = piecesOf({ offers, lacking: lack });
  assert.deepEqual(
    pieces.flatMap((piece) => piece.offers),
    offers,
  );
  assert.deepEqual(
    pieces.flatMap((piece) => piece.lacking),
    lack,
  );
  for (const piece of pieces) assert.ok(piece.offers.length + piece.lacking.length <= LIMITS.proposedOffers);
  const whole = pieces.filter((piece) => piece.offers.length > 0);
  for (const [index, piece] of whole.entries())
    assert.notEqual(piece.offers.at(-1)!.taskId, whole[index + 1]?.offers[0]?.taskId);
});
