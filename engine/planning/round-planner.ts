import { Worker } from 'node:worker_threads';
import { LIMITS } from '../../schema/limits.ts';
import type { RoundPlan } from '../domain/assignment/round-view.ts';
import type { Scheduler } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import { computeRound, type RoundInput } from './compute-round.ts';
import { packRound } from './packed-round.ts';

export interface RoundPlannerOptions {
  readonly scheduler: Scheduler;
  readonly log: Log;
  /** Orders times agents that are planned in the turn of the caller; LIMITS.roundPairsInTurn by default. */
  readonly pairsInTurn?: number;
  /** The program of the thread; tests have their own. */
  readonly thread?: URL;
}

/** Too much to plan, or the thread died or took too long; the same round may be asked for again. */
export class PlanningError extends Error {}

/** Compiled, the program of the thread lies beside the one that runs; a source starts it through tsx. */
const PLANNER_THREAD = new URL(
  import.meta.url.endsWith('.ts') ? './planner-thread.mjs' : './planner-thread.js',
  import.meta.url,
);

interface Waiting {
  readonly input: RoundInput;
  readonly resolve: (plan: RoundPlan) => void;
  readonly reject: (error: PlanningError) => void;
}

/**
 * Computes rounds: small ones at once, large ones in a thread, one after the other.
 *
 * States of the thread: none → (a large round) working ⇄ idle → (it dies, takes too long, or the end) none.
 */
export class RoundPlanner {
  readonly #options: RoundPlannerOptions;
  /** The first is being computed. */
  readonly #waiting: Waiting[] = [];
  #thread: Worker | undefined;
  #cancelPatience = () => {};
  #isStopped = false;

  constructor(options: RoundPlannerOptions) {
    this.#options = options;
  }

  /** Rejects with PlanningError. */
  async plan(input: RoundInput): Promise<RoundPlan> {
    const { orders, agents } = input.view;
    if (orders.length * agents.length <= (this.#options.pairsInTurn ?? LIMITS.roundPairsInTurn))
      return computeRound(input);
    return this.#planInThread(input);
  }

  /** Computes a round so many times, here and in the thread, so that those which matter find their code compiled. */
  async warmUp(input: RoundInput, times: number): Promise<void> {
    for (let time = 0; time < times; time += 1) {
      computeRound(input);
      await this.#planInThread(input);
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#end(new PlanningError('planning was stopped'));
  }

  #planInThread(input: RoundInput): Promise<RoundPlan> {
    if (this.#isStopped || this.#waiting.length >= LIMITS.roundsInThread)
      return Promise.reject(new PlanningError('no room for another large round'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ input, resolve, reject });
      if (this.#waiting.length === 1) this.#begin();
    });
  }

  #begin(): void {
    const [first] = this.#waiting;
    if (!first) return;
    try {
      this.#thread ??= this.#start();
      this.#cancelPatience = this.#options.scheduler.after(LIMITS.roundPlanMs, () => {
        this.#fail(new PlanningError(`a round took longer than ${LIMITS.roundPlanMs} ms`));
      });
      this.#thread.postMessage(packRound(first.input));
    } catch (error) {
      // Left in its place, the round would hold up all that come after it.
      this.#fail(new PlanningError('the planning thread did not start', { cause: error }));
    }
  }

  #start(): Worker {
    const thread = new Worker(this.#options.thread ?? PLANNER_THREAD);
    thread.on('message', (plan: RoundPlan) => {
      // A plan that was on its way when its round was given up is of no round that waits.
      if (this.#thread !== thread) return;
      this.#cancelPatience();
      this.#waiting.shift()?.resolve(plan);
      this.#begin();
    });
    const died = (cause?: unknown) => {
      if (this.#thread === thread) this.#fail(new PlanningError('the planning thread died', { cause }));
    };
    thread.on('error', died);
    thread.on('exit', () => died());
    return thread;
  }

  /** The round in the thread is gone with it; the others go on in another one. */
  #fail(error: PlanningError): void {
    const { log } = this.#options;
    log.warn({ err: error }, 'a large round has to be planned again');
    const thread = this.#thread;
    this.#thread = undefined;
    this.#cancelPatience();
    this.#waiting.shift()?.reject(error);
    thread?.terminate().catch((err) => log.warn({ err }, 'a planning thread did not end well'));
    this.#begin();
  }

  /** Every waiting round fails with it. */
  async #end(error: PlanningError): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    this.#cancelPatience();
    for (const { reject } of this.#waiting.splice(0)) reject(error);
    await thread?.terminate();
  }
}
