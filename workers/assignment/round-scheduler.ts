import { isSought } from '../../engine/domain/assignment/assignment-machine.ts';
import { computedOver } from '../../engine/domain/travel/known-ways.ts';
import { newsOf, type Proposal, piecesOf, proposalOf } from '../../engine/planning/proposal.ts';
import type { RoundPlanner } from '../../engine/planning/round-planner.ts';
import type { RoundPositions } from '../../engine/planning/round-positions.ts';
import { roundViewOf } from '../../engine/planning/round-view-of.ts';
import type { Clock, Scheduler } from '../../engine/runtime/clock.ts';
import { withDeadline } from '../../engine/runtime/deadline.ts';
import type { FaultPoints } from '../../engine/runtime/fault-points.ts';
import type { Log } from '../../engine/runtime/log.ts';
import { Histogram, SHORT_SECONDS } from '../../engine/runtime/metrics/histogram.ts';
import { createOutage, type Outage } from '../../engine/runtime/outage.ts';
import type { RoundStore, SearchingOrganization } from '../../engine/store/planning/round-store.ts';
import type { RoundTurnStore } from '../../engine/store/planning/round-turn-store.ts';
import type { TravelTimes } from '../../engine/travel/travel-times.ts';
import type { LackingTask } from '../../schema/assignment/proposed-offer.ts';
import type { Answer } from '../../schema/commands.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { OwnerCommand } from '../../schema/owner-command.ts';
import { type CallCouriers, jobsForCouriers } from './couriers/book-couriers.ts';
import { CourierTurn } from './couriers/courier-turn.ts';

export interface RoundSchedulerOptions {
  readonly store: Pick<RoundStore, 'readRound' | 'forget'>;
  readonly positions: RoundPositions;
  readonly turns: RoundTurnStore;
  readonly planner: Pick<RoundPlanner, 'plan'>;
  readonly travel: Pick<TravelTimes, 'prepare' | 'ways'>;
  readonly ask: (organizationId: number, command: OwnerCommand) => Promise<Answer>;
  readonly bookCouriers: CallCouriers;
  readonly faultPoints: FaultPoints;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly log: Log;
}

/** The results of rounds since the start. */
export interface RoundCounts {
  rounds: number;
  failed: number;
  offers: number;
  /** The seconds of rounds that did not fail. */
  readonly seconds: Histogram;
}

interface Place {
  organization: SearchingOrganization;
  state: 'waiting' | 'due' | 'planning' | 'resting';
  /** When there was something new since the round began, on the monotonic clock. */
  heardAt: number | undefined;
  /** The last task that the round before looked at, when there were more. */
  after: number;
  readonly courierTurn: CourierTurn;
  /** Facts besides events that may change the outcome. */
  hopes: Hopes;
  /** Rounds since an event that only more such events could have changed. */
  idleRounds: number;
  /** When the last round ended, and until when the rest lasts that followed, on the monotonic clock. */
  endedAt: number;
  restsUntil: number;
  /** It was heard of since it was last seen that something was committed that may help. */
  hasHelpfulNews: boolean;
  /** The log went on since the last round began, and nobody has told what for. */
  hasUnnamedNews: boolean;
  /** Agents have told where they are since the last round began. */
  haveMoved: boolean;
  /** The duration of its last round. */
  tookMs: number;
  /** When a round has to begin before a search ends, on the monotonic clock; Infinity when none ends soon. */
  neededAt: number;
  /** While it waits: not before this, when it is due, both on the monotonic clock, and the timer. */
  earliestAt: number;
  dueAt: number;
  cancelWait: () => void;
  /** Ends the timer that forgets who rests and is not heard of any more. */
  cancelForget: () => void;
}

/** The events without a commit that may help a task without an agent. */
interface Hopes {
  /** It is meant for somebody who is not free yet, or not ready. */
  readonly time: boolean;
  readonly moves: boolean;
}

const NO_HOPES: Hopes = { time: false, moves: false };

/**
 * Plans rounds for the organizations that search for agents: one at a time of each, a few at a time in all. It need not
 * remember anything: a change that a round saw too late, twice or not at all is in the next one.
 * States of an organization: unknown → waiting (for its window) → due (for a place) → planning → waiting (news in the
 * meantime, more tasks than a round takes, or failed) | resting → waiting (news, or the rest is over) | unknown (no
 * task searches any more).
 * Rests grow while nothing happens that could help: no hint comes, the log stands still, and agents do not come nearer.
 */
export class RoundScheduler {
  readonly counts: RoundCounts = { rounds: 0, failed: 0, offers: 0, seconds: new Histogram(SHORT_SECONDS) };
  readonly #options: RoundSchedulerOptions;
  readonly #outage: Outage;
  readonly #turns: Outage;
  readonly #places = new Map<number, Place>();
  readonly #due: Place[] = [];
  readonly #planning = new Set<Promise<void>>();
  #isStopped = false;

  constructor(options: RoundSchedulerOptions) {
    this.#options = options;
    this.#outage = createOutage(options.log, 'planning a round');
    this.#turns = createOutage(options.log, 'taking turns for rounds in Redis');
  }

  /** Organizations that it knows. */
  get size(): number {
    return this.#places.size;
  }

  /** These organizations have searching tasks; the next sweep finds those without room. */
  nudge(organizations: readonly SearchingOrganization[]): void {
    const now = this.#options.clock.monotonic();
    for (const organization of organizations) {
      const place = this.#places.get(organization.organizationId);
      if (place) this.#hear(place, organization, now);
      else if (this.#places.size < LIMITS.relayedOrganizations && !this.#isStopped) this.#add(organization, now);
    }
  }

  /** Something was committed of these that may help a search; to be called before they are seen by `nudge`. */
  noteHelpful(organizationIds: readonly number[]): void {
    for (const organizationId of organizationIds) {
      const place = this.#places.get(organizationId);
      if (place) place.hasHelpfulNews = true;
    }
  }

  /** Agents of these have told where they are. */
  moved(organizationIds: readonly number[]): void {
    for (const organizationId of organizationIds) {
      const place = this.#places.get(organizationId);
      if (!place) continue;
      place.haveMoved = true;
      if (place.hopes.moves) place.restsUntil = Math.min(place.restsUntil, place.endedAt + LIMITS.roundMovesMs);
    }
  }

  /** Begins no more rounds; resolves when those under way have ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#due.length = 0;
    await Promise.all(this.#planning);
  }

  #add(organization: SearchingOrganization, now: number): void {
    const place: Place = {
      organization,
      state: 'waiting',
      heardAt: undefined,
      after: 0,
      courierTurn: new CourierTurn(),
      hopes: NO_HOPES,
      idleRounds: 0,
      endedAt: now,
      restsUntil: now,
      hasHelpfulNews: false,
      hasUnnamedNews: false,
      haveMoved: false,
      tookMs: 0,
      neededAt: neededAt(organization, 0, now),
      earliestAt: now,
      dueAt: now,
      cancelWait: () => {},
      cancelForget: () => {},
    };
    this.#places.set(organization.organizationId, place);
    this.#wait(place, windowMs(place) - sinceNews(organization));
  }

  #hear(place: Place, organization: SearchingOrganization, now: number): void {
    const isNews = place.hasHelpfulNews;
    place.hasHelpfulNews = false;
    // A hint may have been lost on its way.
    if (!isNews && organization.lastSequence !== place.organization.lastSequence) {
      place.hasUnnamedNews = true;
      place.restsUntil = Math.min(place.restsUntil, place.endedAt + LIMITS.roundMovesMs);
    }
    place.organization = organization;
    place.neededAt = neededAt(organization, place.tookMs, now);
    if (place.state === 'waiting' && place.neededAt < place.dueAt)
      this.#wait(place, place.dueAt - now, place.earliestAt - now);
    if (isNews) place.idleRounds = 0;
    if (isNews && place.state === 'planning') place.heardAt ??= now - sinceNews(organization);
    if (place.state !== 'resting' || !(isNews || now >= place.restsUntil)) return;
    place.cancelForget();
    this.#wait(place, windowMs(place) - (isNews ? sinceNews(organization) : 0));
  }

  /** For the rest of its window, or until just before a search ends if that is sooner; in any case `leastMs`. */
  #wait(place: Place, windowLeftMs: number, leastMs = 0): void {
    const now = this.#options.clock.monotonic();
    place.state = 'waiting';
    place.earliestAt = now + Math.max(0, leastMs);
    place.dueAt = Math.max(place.earliestAt, Math.min(now + windowLeftMs, place.neededAt));
    place.cancelWait();
    place.cancelWait = this.#options.scheduler.after(place.dueAt - now, () => {
      place.state = 'due';
      this.#due.push(place);
      this.#next();
    });
  }

  #next(): void {
    while (!this.#isStopped && this.#planning.size < LIMITS.roundsAtOnce) {
      const place = this.#due.shift();
      if (!place) return;
      const round = this.#serve(place);
      this.#planning.add(round);
      void round.then(() => {
        this.#planning.delete(round);
        this.#next();
      });
    }
  }

  async #serve(place: Place): Promise<void> {
    const { clock } = this.#options;
    const begunAt = clock.monotonic();
    place.state = 'planning';
    place.neededAt = Number.POSITIVE_INFINITY;
    place.heardAt = undefined;
    place.hasUnnamedNews = false;
    place.haveMoved = false;
    let pauseMs: number = LIMITS.roundPauseMs;
    let isOver = false;
    let hasFailed = false;
    try {
      const othersMs = await this.#takeTurn(place);
      // Another process plans it, or died at that.
      if (othersMs > 0) return this.#wait(place, 0, othersMs);
      isOver = await this.#roundInTurn(place);
      this.#outage.worked();
    } catch (error) {
      this.counts.failed += 1;
      hasFailed = true;
      pauseMs = LIMITS.roundRetryMs;
      if (!this.#isStopped) this.#outage.failed(error);
    }
    const endedAt = clock.monotonic();
    place.tookMs = endedAt - begunAt;
    if (isOver && place.heardAt === undefined) return this.#rest(place, endedAt);
    // Its tasks have had their window.
    const windowLeftMs = hasFailed ? 0 : (place.heardAt ?? endedAt) + windowMs(place) - endedAt;
    this.#wait(place, windowLeftMs, Math.max(pauseMs, place.tookMs));
  }

  /** Until the next sweep where time may help or something has just happened; then longer and longer. */
  #rest(place: Place, now: number): void {
    const { organizationId } = place.organization;
    const { idleRounds, hasUnnamedNews, haveMoved, hopes } = place;
    const mayBeHelped = hasUnnamedNews || (haveMoved && hopes.moves);
    const mostMs = mayBeHelped ? LIMITS.roundMovesMs : LIMITS.roundRestMs;
    const restMs = idleRounds <= 1 ? 0 : Math.min(mostMs, LIMITS.relaySweepMs * 2 ** (idleRounds - 1));
    place.state = 'resting';
    place.endedAt = now;
    place.restsUntil = now + restMs;
    const forget = () => {
      this.#places.delete(organizationId);
      this.#options.store.forget(organizationId);
    };
    place.cancelForget = this.#options.scheduler.after(restMs + LIMITS.roundForgetMs, forget);
  }

  /**
   * Resolves to for how long at most the turn is another process's; 0 when it is ours, and while Redis is away: a round
   * beside another one does no harm.
   */
  async #takeTurn({ organization: { organizationId } }: Place): Promise<number> {
    try {
      const taken = this.#options.turns.take(organizationId, LIMITS.roundTurnMs);
      const othersMs = await withDeadline(taken, LIMITS.roundPositionsMs, 'taking a turn');
      this.#turns.worked();
      return othersMs;
    } catch (error) {
      this.#turns.failed(error);
      return 0;
    }
  }

  /** Resolves to whether all tasks have been looked at. */
  async #roundInTurn(place: Place): Promise<boolean> {
    const { turns, log, clock } = this.#options;
    const { organizationId } = place.organization;
    try {
      const begunAt = clock.monotonic();
      // Not before it has ended: the next one begins behind these tasks, and one that fails is made again.
      place.after = await this.#round(place);
      this.counts.rounds += 1;
      this.counts.seconds.observe((clock.monotonic() - begunAt) / 1_000);
      return place.after === 0;
    } finally {
      turns.giveBack(organizationId).catch((err) => log.debug({ err, organizationId }, 'a turn has to run out'));
    }
  }

  /** Resolves to the last task that it looked at; 0 when there are no others. */
  async #round(place: Place): Promise<number> {
    const { store, positions, planner, travel, bookCouriers, faultPoints, clock, log } = this.#options;
    const { organizationId, settings } = place.organization;
    const { after: before, courierTurn: turn } = place;
    const [rows, located] = await Promise.all([
      store.readRound(organizationId, { after: before }),
      positions.load(organizationId),
    ]);
    const known = before === 0 ? NO_HOPES : place.hopes;
    const after = rows.tasks.length < LIMITS.roundTasks ? 0 : rows.tasks.at(-1)!.taskId;
    const tasks = rows.tasks.filter(isSought);
    const page = { after: before, last: after === 0 ? Number.POSITIVE_INFINITY : after };
    if (tasks.length === 0) {
      turn.next([], page);
      return after;
    }
    const readAt = clock.monotonic();
    const facts = { ...rows, tasks, positions: located, settings, now: clock.now() };
    const seen = await computedOver(travel, LIMITS.routingRoundMs, (ways) => roundViewOf(facts, ways));
    faultPoints('after-round-view');
    const trips = await travel.prepare(seen.view);
    const plan = await planner.plan({ view: seen.view, trips, mode: settings.mode });
    const plannedAt = clock.monotonic();
    const proposal = proposalOf(plan, seen);
    faultPoints('after-round-plan');
    await this.#propose(organizationId, { ...proposal, lacking: [] });
    // Before the owner hears that nobody is left to be asked, and gives up.
    const jobs = jobsForCouriers(proposal.lacking, seen.view);
    const waiting = await bookCouriers(organizationId, settings, jobs, { turn, ...page });
    const lacking = proposal.lacking.map((one) => (waiting.has(one.taskId) ? { ...one, isHopeless: false } : one));
    await this.#propose(organizationId, newsOf({ offers: [], lacking }, tasks, seen.view.now));
    place.hopes = hopesOf(proposal.lacking, known);
    // A round has not tried everything while there are tasks whose turn to have a courier is still to come.
    if (after === 0) place.idleRounds = place.hopes.time ? 0 : place.idleRounds + (turn.isOver ? 1 : 0);
    const ms = { planMs: plannedAt - readAt, proposeMs: clock.monotonic() - plannedAt };
    const size = { tasks: tasks.length, agents: rows.agents.length, offers: plan.offers.length };
    log.debug({ organizationId, ...size, ...ms }, 'a round is over');
    return after;
  }

  async #propose(organizationId: number, proposal: Proposal): Promise<void> {
    for (const piece of piecesOf(proposal)) {
      const answer = await this.#options.ask(organizationId, { kind: 'propose-offers', ...piece });
      this.#options.faultPoints('after-proposal');
      if (!answer.ok) throw new Error(`the owner of ${organizationId} refused a proposal: ${answer.refusal.code}`);
      this.counts.offers += piece.offers.length;
    }
  }
}

/** The window ends when offers leave, so that planning begins a little before. */
function windowMs({ organization, tookMs }: Place): number {
  const { batchingWindowMs } = organization.settings;
  return batchingWindowMs - Math.min(tookMs, LIMITS.roundLeadMs, batchingWindowMs / 2);
}

/** When a round has to begin so that it looks before the first search ends. */
function neededAt({ endsInMs }: SearchingOrganization, tookMs: number, now: number): number {
  return endsInMs === null ? Number.POSITIVE_INFINITY : now + endsInMs - LIMITS.roundBeforeEndMs - tookMs;
}

/** The window begins with the commit, and not with when it is heard of. */
function sinceNews({ quietMs }: SearchingOrganization): number {
  return Math.min(Math.max(quietMs, 0), LIMITS.roundHeardMs);
}

/** `known`: of the tasks before these. */
function hopesOf(lacking: readonly LackingTask[], known: Hopes): Hopes {
  return {
    time: known.time || lacking.some(({ reason }) => reason === null),
    moves: known.moves || lacking.some(({ counts }) => counts['too_far'] || counts['stale_position']),
  };
}
