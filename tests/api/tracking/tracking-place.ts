import assert from 'node:assert/strict';
import type { Letterhead } from '../../../schema/accounts/letterhead.ts';
import type { AgentView } from '../../../schema/fleet/agent.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import type { TrackedPosition, TrackedTask } from '../../../schema/tasks/tracking.ts';
import type { ApiClient, ApiReply } from '../../support/api-client.ts';
import { type OrganizationSeed, type SeededOrganization, seedChannel } from '../../support/seeds/seed.ts';
import { createAgent } from '../agents/agent-place.ts';
import type { ApiFixture } from '../api-fixture.ts';

export interface TrackedList {
  readonly organization: Letterhead;
  readonly items: readonly TrackedTask[];
  readonly count: number;
}

export interface TrackedLocation {
  readonly taskId: number;
  readonly status: string;
  readonly etaAt: string | null;
  readonly location: TrackedPosition | null;
}

/** An organization with an agent, whose tasks are followed by people who have nothing but a link. */
export interface TrackingPlace extends SeededOrganization {
  /** An administrator's. */
  readonly api: ApiClient;
  readonly agent: AgentView;
  /** The answer to any client that asks for that path, with its query. */
  ask<T = TrackedList>(path: string): Promise<ApiReply<T>>;
  rate(taskId: number, token: string, body: object, headers?: Record<string, string>): Promise<ApiReply<Rated>>;
  assign(taskId: number): Promise<void>;
  step(taskId: number, status: string, fields?: object): Promise<void>;
  /** Takes a new task through all steps up to this one. */
  bringTo(taskId: number, status: 'assigned' | 'accepted' | 'in_transit' | 'completed'): Promise<void>;
  /** `speed` in metres a second; a device may leave it out. */
  moveAgent(latitude: number, longitude: number, speed?: number): Promise<void>;
}

export interface Rated {
  readonly score: number;
  readonly comment: string | null;
  readonly ratedAt: string;
}

const STEPS = ['assigned', 'accepted', 'in_transit', 'completed'] as const;

export async function trackingPlace(fixture: ApiFixture, seed: OrganizationSeed = {}): Promise<TrackingPlace> {
  const place = await fixture.organization({ role: 'org_admin', ...seed });
  const { api } = place;
  const device = fixture.clientOf((await seedChannel(fixture.gateway.databaseUrl, place.organizationId)).key);
  const agent = await createAgent(api, { name: 'Amina Zuhair-Diallo' });
  const succeed = (reply: ApiReply<unknown>) => assert.ok(reply.status < 300, reply.text);
  const assign = async (taskId: number) => succeed(await api.post(`/tasks/${taskId}/assign`, { agentId: agent.id }));
  const step = async (taskId: number, status: string, fields: object = {}) =>
    succeed(await api.put(`/tasks/${taskId}/status`, { status, ...fields }));
  return {
    ...place,
    agent,
    ask: (path) => api.raw({ method: 'GET', path }),
    rate: (taskId, token, body, headers = {}) =>
      api.raw({
        method: 'POST',
        path: `/api/v1/tracking/tasks/${taskId}/rating?token=${token}`,
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    assign,
    step,
    async bringTo(taskId, status) {
      for (const next of STEPS.slice(0, STEPS.indexOf(status) + 1)) {
        if (next === 'assigned') await assign(taskId);
        else await step(taskId, next);
      }
    },
    async moveAgent(latitude, longitude, speed) {
      const point = { agentId: agent.id, latitude, longitude, speed, recordedAt: new Date().toISOString() };
      succeed(await device.post('/agents/locations', { points: [point] }));
    },
  };
}

export function tokenOf({ trackingUrl }: Pick<TaskView, 'trackingUrl'>): string {
  return trackingUrl.slice('/t/'.length);
}
