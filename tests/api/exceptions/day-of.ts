import assert from 'node:assert/strict';
import type { HistoryStepView } from '../../../schema/tasks/task-history.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { type OrganizationSeed, type SeededOrganization, seedAgent, seedSession } from '../../support/seeds/seed.ts';
import type { ApiFixture } from '../api-fixture.ts';

/** The type and the data of an event in the log. */
export interface Told {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>> & { readonly task: TaskView };
}

/** An organization that a dispatcher works for, with agents who are signed in. */
export interface Day extends SeededOrganization {
  readonly api: ApiClient;
  readonly agents: readonly { readonly agentId: number; readonly session: string; readonly api: ApiClient }[];
  /** A task that an agent has brought to this status. */
  taskIn(status: TaskView['status'], overrides?: object, agent?: number): Promise<TaskView>;
  read(taskId: number): Promise<TaskView>;
  /** The events after the first `skipped` of the log. */
  told(skipped?: number): Promise<readonly Told[]>;
  history(taskId: number): Promise<readonly HistoryStepView[]>;
}

const STEPS = ['accepted', 'in_transit', 'completed'] as const;

export async function dayOf(fixture: ApiFixture, seed: OrganizationSeed = {}, agentCount = 2): Promise<Day> {
  const organization = await fixture.organization({ role: 'dispatcher', ...seed });
  const { api, organizationId } = organization;
  const { databaseUrl } = fixture.gateway;
  const agents: Day['agents'][number][] = [];
  for (let index = 0; index < agentCount; index += 1) {
    const { agentId, userId } = await seedAgent(databaseUrl, organizationId);
    const session = await seedSession(databaseUrl, organizationId, userId);
    agents.push({ agentId, session, api: fixture.clientOf(session) });
  }
  return {
    ...organization,
    agents,
    async taskIn(status, overrides = {}, agent = 0) {
      let task = await api.createTask(overrides);
      const move = async (path: string, body: object, by: 'post' | 'put' = 'put') => {
        const reply = await api[by](`/tasks/${task.id}/${path}`, body);
        assert.equal(reply.status, 200, reply.text);
        task = reply.body.data;
      };
      if (status === 'new') return task;
      if (status === 'cancelled') await move('status', { status });
      else await move('assign', { agentId: agents[agent]!.agentId }, 'post');
      if (status === 'awaiting_assignment') await move('unassign', {}, 'post');
      for (const step of STEPS.slice(0, STEPS.indexOf(status as 'accepted') + 1))
        await move('status', { status: step });
      return task;
    },
    read: async (taskId) => (await api.get(`/tasks/${taskId}`)).body.data,
    told: async (skipped = 0) =>
      (await api.get<{ items: Told[] }>(`/events?after=${skipped}&limit=1000`)).body.data.items,
    history: async (taskId) =>
      (await api.get<{ items: HistoryStepView[] }>(`/tasks/${taskId}/history`)).body.data.items,
  };
}

/** A task that its agent could not hand over. */
export async function failedTask(day: Day, overrides: object = {}): Promise<TaskView> {
  const { id } = await day.taskIn('in_transit', overrides);
  const failure = { status: 'completed', outcome: 'failed', failureReason: 'nobody at home' };
  const { status, text, body } = await day.api.put(`/tasks/${id}/status`, failure);
  assert.equal(status, 200, text);
  return body.data;
}
