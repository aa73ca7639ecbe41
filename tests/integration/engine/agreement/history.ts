import assert from 'node:assert/strict';
import type { Answer, Command } from '../../../../schema/commands.ts';
import { ERRORS, isOutcome } from '../../../../schema/errors.ts';
import type { TaskView } from '../../../../schema/tasks/task-view.ts';
import { assertRowsAgree } from './agreed-rows.ts';
import { type MadeTask, Model, type Single } from './model.ts';
import type { Verdict } from './model-rules.ts';
import { type ModelState, packagesOf, shownOf, shownTask } from './model-state.ts';
import type { Request, Sent, TaskBody } from './request.ts';
import type { Known, Step } from './step.ts';
import { toCommand } from './to-command.ts';
import { PHONELESS, type Tenant } from './world.ts';

interface Kept {
  readonly fingerprint: string;
  /** The data of a success, or the code of a refusal. */
  readonly outcome: string;
}

type ItemResult = {
  readonly task?: TaskView;
  readonly error?: { readonly code?: string; readonly statusCode: number };
};

/** One organization's history: each step is carried out by the engine and by the model, and both must say the same. */
export class History {
  readonly tenant: Tenant;
  readonly model: Model;
  readonly #log: string[];
  readonly #kept = new Map<string, Kept>();
  readonly #keyed: { readonly sent: Sent; readonly command: Command }[] = [];

  /** `log` receives every step, for a person who must find the fault. */
  constructor(tenant: Tenant, limits: ModelState['limits'], log: string[]) {
    this.tenant = tenant;
    this.#log = log;
    this.model = new Model(limits, tenant.agentId);
    const { name, email } = PHONELESS;
    this.model.state.customers.set(tenant.customerId, { name, email, phone: null, address: null });
    this.model.state.used.customers = 1;
  }

  get #now(): number {
    return this.tenant.world.clock.now();
  }

  get #known(): Known {
    const { tasks, packages, customers, warehouses } = this.model.state;
    const ids = (map: ReadonlyMap<number, unknown>) => [...map.keys()];
    return {
      tasks: ids(tasks),
      packages: ids(packages),
      customers: ids(customers),
      warehouses: ids(warehouses),
      nowMs: this.#now,
      packagesOf: (taskId) => packagesOf(this.model.state, taskId).map(([id]) => id),
      statusOf: (kind, id) => this.model.state[kind].get(id)?.status,
    };
  }

  async perform(step: Step): Promise<void> {
    this.tenant.world.forward(1);
    switch (step.kind) {
      case 'send': {
        const sent: Sent = { ...step.make(this.#known), key: step.key === undefined ? undefined : `key ${step.key}` };
        const command = toCommand(sent, this.tenant.callers);
        if (sent.key !== undefined) this.#keyed.push({ sent, command });
        return this.#send(sent, command);
      }
      case 'repeat': {
        const again = this.#keyed[step.which % Math.max(this.#keyed.length, 1)];
        return again && this.#send(again.sent, again.command);
      }
      case 'assign':
        return this.#assign(step.task);
      case 'unassign':
        return this.#unassign(step.task);
      case 'rename':
        return this.#rename(step.name);
      case 'wait':
        this.#log.push('wait');
        await this.tenant.wait();
        return this.model.wake(this.tenant.world.clock.now());
      case 'retire':
        this.#log.push('retire');
        return this.tenant.retire();
    }
  }

  /** Memory, the list, the model and what is kept beside the tasks say the same. */
  async agree(): Promise<void> {
    await this.agreeOnTasks();
    await assertRowsAgree(this.tenant.world.sql, this.tenant.organizationId);
  }

  /** Memory, the list and the model say the same. */
  async agreeOnTasks(): Promise<void> {
    const { tenant, model } = this;
    const { tasks } = model.state;
    const listed = await this.#list();
    assert.deepEqual([...listed.keys()].sort(), [...tasks.keys()].sort(), 'the list holds the tasks that were made');
    for (const id of tasks.keys()) {
      const json = await tenant.read(id);
      assert.equal(listed.get(id), json, `the list and the single read of task ${id}`);
      const expected = shownTask(model.state, id);
      assert.deepEqual(shownOf(JSON.parse(json) as TaskView, expected), expected, `task ${id}`);
    }
  }

  async #list(): Promise<Map<number, string>> {
    const { organizationId, callers, world } = this.tenant;
    const listed = new Map<number, string>();
    for (let page = 1; ; page++) {
      const query = { page, limit: 100, sortBy: 'updatedAt', sortOrder: 'DESC' } as const;
      const { items, count } = await world.engine.listTasks(organizationId, query, callers.dispatcher);
      for (const { id, json } of items) listed.set(id, json);
      assert.equal(count, this.model.state.tasks.size);
      if (listed.size >= count || items.length === 0) return listed;
    }
  }

  async #send(sent: Sent, command: Command): Promise<void> {
    this.#log.push(JSON.stringify(sent));
    const { key, ...request } = sent;
    const answer = await this.tenant.ask(command);
    const fingerprint = JSON.stringify(request);
    const kept = key === undefined ? undefined : this.#kept.get(`request ${key}`);
    if (kept) return assertReplayed(answer, kept, fingerprint);
    assert.ok(answer.ok || ERRORS[answer.refusal.code].status < 500, JSON.stringify(answer));
    if (request.kind === 'batch') this.#learnBatch(request, answer);
    else this.#learn(request, answer);
    if (key !== undefined && (answer.ok || isOutcome(answer.refusal)))
      this.#kept.set(`request ${key}`, { fingerprint, outcome: answer.ok ? answer.data : answer.refusal.code });
  }

  #learn(request: Single, answer: Answer): void {
    const verdict = this.model.judge(request, this.#now);
    if (verdict !== undefined && verdict !== 'same') return assertRefused(answer, verdict);
    assert.ok(answer.ok, `${JSON.stringify(answer)}, and nothing stands against it`);
    const data = JSON.parse(answer.data) as TaskView;
    if (verdict === 'same') return;
    if (request.kind === 'create') this.model.create(request.body, madeOf(request.body, data));
    else if (request.kind === 'update') {
      const known = this.model.state.packages;
      const added = data.packages.map(({ id }) => id).filter((id) => !known.has(id));
      this.model.update(request.id, request.body, added);
    } else this.model.apply(request, data.id);
    const isTask = request.kind === 'create' || request.kind === 'update' || request.kind === 'status';
    if (!isTask) return;
    const expected = shownTask(this.model.state, data.id);
    assert.deepEqual(shownOf(data, expected), expected, 'the answer');
  }

  #learnBatch({ items, atomic }: Extract<Request, { kind: 'batch' }>, answer: Answer): void {
    if (atomic) {
      const failing = this.#tryAll(items);
      if (failing.size > 0) {
        assertRefused(answer, new Set(['BATCH_REJECTED']));
        const { details } = (answer as Extract<Answer, { ok: false }>).refusal;
        const told = details!['items'] as ({ readonly index: number } & ItemResult)[];
        assert.deepEqual(
          told.map(({ index }) => index),
          [...failing.keys()],
        );
        for (const { index, error } of told) assertCode(error!, failing.get(index)!);
        return;
      }
    }
    assert.ok(answer.ok, JSON.stringify(answer));
    const { items: results } = JSON.parse(answer.data) as { items: ItemResult[] };
    assert.equal(results.length, items.length);
    for (const [index, body] of items.entries()) this.#learnItem(body, results[index]!);
  }

  #learnItem(body: TaskBody, { task, error }: ItemResult): void {
    const name = body.idempotencyKey && `item ${body.idempotencyKey}`;
    const kept = name ? this.#kept.get(name) : undefined;
    const fingerprint = JSON.stringify(body);
    if (kept) {
      if (kept.fingerprint !== fingerprint) assertCode(error!, new Set(['IDEMPOTENCY_KEY_REUSED']));
      else if (task) assert.equal(JSON.stringify(task), kept.outcome);
      else assertCode(error!, new Set([kept.outcome]));
      return;
    }
    const verdict = this.model.judge({ kind: 'create', body }, this.#now) as Verdict;
    if (verdict) assertCode(error!, verdict);
    else this.model.create(body, madeOf(body, task!));
    if (name && (task || isKeptCode(codeOf(error!))))
      this.#kept.set(name, { fingerprint, outcome: task ? JSON.stringify(task) : codeOf(error!) });
  }

  /** The items of an atomic batch that cannot be done, found out on a copy that is thrown away. */
  #tryAll(items: readonly TaskBody[]): Map<number, ReadonlySet<string>> {
    const before = this.model.state;
    const failing = new Map<number, ReadonlySet<string>>();
    const twins = new Map<string, string>();
    let nextId = -1_000;
    const invent = (body: TaskBody): MadeTask => ({
      id: nextId--,
      customerId: nextId--,
      packageIds: (body.packages ?? []).map(() => nextId--),
      createdAtMs: 0,
      children: (body.children ?? []).map(invent),
    });
    this.model.state = structuredClone(before);
    for (const [index, body] of items.entries()) {
      const fingerprint = JSON.stringify(body);
      const name = body.idempotencyKey && `item ${body.idempotencyKey}`;
      const kept = name ? this.#kept.get(name) : undefined;
      const known = name ? (twins.get(name) ?? kept?.fingerprint) : undefined;
      if (known !== undefined) {
        if (known !== fingerprint) failing.set(index, new Set(['IDEMPOTENCY_KEY_REUSED']));
        else if (kept && !kept.outcome.startsWith('{')) failing.set(index, new Set([kept.outcome]));
        continue;
      }
      const verdict = this.model.judge({ kind: 'create', body }, this.#now) as Verdict;
      if (verdict) failing.set(index, verdict);
      else this.model.create(body, invent(body));
      if (name && !verdict) twins.set(name, fingerprint);
    }
    this.model.state = before;
    return failing;
  }

  async #assign(number: number): Promise<void> {
    const taskId = this.#pickTask(number, ['new', 'awaiting_assignment']);
    if (taskId === undefined || this.model.isBusyAt(taskId)) return;
    this.#log.push(`assign ${taskId}`);
    const { agentId, callers } = this.tenant;
    await this.#carryOut({ kind: 'assign-task', caller: callers.dispatcher, taskId, input: { agentId } });
    this.model.assign(taskId);
  }

  async #unassign(number: number): Promise<void> {
    const taskId = this.#pickTask(number, ['assigned', 'accepted']);
    if (taskId === undefined) return;
    this.#log.push(`unassign ${taskId}`);
    await this.#carryOut({ kind: 'unassign-task', caller: this.tenant.callers.dispatcher, taskId, input: {} });
    this.model.unassign(taskId);
  }

  /** The model does not know what agents are called: lists and single reads have to. */
  async #rename(name: string): Promise<void> {
    this.#log.push(`rename ${name}`);
    const { agentId, callers } = this.tenant;
    await this.#carryOut({ kind: 'update-agent', caller: callers.dispatcher, agentId, input: { name } });
  }

  async #carryOut(command: Command): Promise<void> {
    const answer = await this.tenant.ask(command);
    assert.ok(answer.ok, JSON.stringify(answer));
  }

  #pickTask(number: number, statuses: readonly string[]): number | undefined {
    const { tasks } = this.model.state;
    const found = [...tasks].filter(([, { status, childIds }]) => childIds === null && statuses.includes(status));
    return found[number % Math.max(found.length, 1)]?.[0];
  }
}

function madeOf(body: TaskBody, task: TaskView): MadeTask {
  const moved = new Set(body.packageIds);
  return {
    id: task.id,
    customerId: task.customerId,
    packageIds: task.packages.map(({ id }) => id).filter((id) => !moved.has(id)),
    createdAtMs: Date.parse(task.createdAt),
    children: (body.children ?? []).map((child, index) => madeOf(child, task.children[index]! as TaskView)),
  };
}

const CODE_BY_STATUS: Readonly<Record<number, string>> = { 400: 'VALIDATION_FAILED', 404: 'NOT_FOUND' };

const codeOf = ({ code, statusCode }: NonNullable<ItemResult['error']>) =>
  code ?? CODE_BY_STATUS[statusCode] ?? `${statusCode}`;

/** Rules about the present moment are judged again. */
const isKeptCode = (code: string) => code !== 'VALIDATION_FAILED';

function assertCode(error: NonNullable<ItemResult['error']>, allowed: ReadonlySet<string>): void {
  assert.ok(error && allowed.has(codeOf(error)), `${JSON.stringify(error)}, not one of ${[...allowed]}`);
}

function assertRefused(answer: Answer, allowed: ReadonlySet<string>): void {
  assert.ok(!answer.ok && allowed.has(answer.refusal.code), `${JSON.stringify(answer)}, not one of ${[...allowed]}`);
}

function assertReplayed(answer: Answer, kept: Kept, fingerprint: string): void {
  if (kept.fingerprint !== fingerprint) return assertRefused(answer, new Set(['IDEMPOTENCY_KEY_REUSED']));
  assert.equal(answer.replayed, true);
  assert.equal(answer.ok ? answer.data : answer.refusal.code, kept.outcome);
}
