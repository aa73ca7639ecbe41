import { findFreePort } from '../../engine/launcher/processes/free-port.ts';
import type { Releaser } from '../../engine/runtime/lifecycle.ts';
import { seedOrganization } from '../../tests/support/seeds/seed.ts';
import type { Stand } from '../compare/open-stand.ts';
import { makeTaskEvent, taskNamed } from '../replay/task-event.ts';
import { GATEWAY, startServer } from '../stand/server-process.ts';
import type { PartName } from './fanout-options.ts';
import type { Side } from './measure-step.ts';
import type { NchanServer } from './nchan-server.ts';
import { STAND_IN_NAME } from './stamp.ts';

/** The events that both sides of a part publish. */
export interface Match {
  readonly part: PartName;
  /** Each with one POST under way at a time. */
  readonly publishers: number;
  readonly sides: readonly [ours: Side, nchan: Side];
}

const HUB = new URL('./hub-server.ts', import.meta.url);
const PEER = new URL('../peers/fastify-peer.ts', import.meta.url);

/** A finished event, published unchanged: to the hub of a gateway, and to nchan. */
export async function openHubMatch(
  { stores }: Stand,
  nchan: NchanServer,
  releaser: Releaser,
  signal: AbortSignal,
): Promise<Match & { readonly eventBytes: number }> {
  const publishPort = await findFreePort();
  const environment = { PUBLISH_PORT: `${publishPort}` };
  const plan = { name: 'hub', program: HUB, readyPath: '/readyz', environment };
  const server = await startServer(plan, stores, releaser, signal);
  const target = { baseUrl: server.baseUrl, apiKey: stores.demo.apiKey };
  const body = await makeTaskEvent(target, STAND_IN_NAME, signal);
  const databaseUrl = urlOf(stores.postgres.url, server.database);
  let steps = 0;
  const ours: Side = {
    name: 'ours',
    serverPids: [server.pid],
    async openChannel() {
      const { organizationId, key } = await seedOrganization(databaseUrl);
      const url = `http://127.0.0.1:${publishPort}/${organizationId}`;
      return {
        publish: { url, headers: {}, expectedStatus: 202, body },
        listen: streamOf(server.baseUrl, organizationId, key),
      };
    },
    lastLines: server.lastLines,
  };
  const theirs: Side = {
    name: 'nchan',
    serverPids: [nchan.pid],
    async openChannel() {
      const name = `step${++steps}`;
      return {
        // 202 would mean that no client listens.
        publish: { url: `${nchan.baseUrl}/publish/${name}`, headers: {}, expectedStatus: 201, body },
        listen: { url: `${nchan.baseUrl}/events/${name}`, headers: {} },
      };
    },
    lastLines: () => '',
  };
  return { part: 'hub', publishers: 16, sides: [ours, theirs], eventBytes: body.length };
}

/** A created task: by our gateway, and by an ordinary service in front of nchan. */
export async function openPostMatch(
  { stores }: Stand,
  nchan: NchanServer,
  releaser: Releaser,
  signal: AbortSignal,
): Promise<Match> {
  const { apiKey, organizationId } = stores.demo;
  const gateway = await startServer({ name: 'ours', program: GATEWAY, readyPath: '/readyz' }, stores, releaser, signal);
  const environment = { PEER_COUNTING: 'rows', PEER_PUBLISH_URL: `${nchan.baseUrl}/publish/` };
  const plan = { name: 'peer', program: PEER, readyPath: '/readyz', environment };
  const peer = await startServer(plan, stores, releaser, signal);
  const publishTo = (baseUrl: string) => ({
    url: `${baseUrl}/api/v1/tasks`,
    headers: { 'x-api-key': apiKey },
    expectedStatus: 201,
    body: JSON.stringify(taskNamed(STAND_IN_NAME)),
  });
  const ours: Side = {
    name: 'ours',
    serverPids: [gateway.pid],
    openChannel: async () => ({
      publish: publishTo(gateway.baseUrl),
      listen: streamOf(gateway.baseUrl, organizationId, apiKey),
    }),
    lastLines: gateway.lastLines,
  };
  const theirs: Side = {
    name: 'nchan',
    serverPids: [peer.pid, nchan.pid],
    openChannel: async () => ({
      publish: publishTo(peer.baseUrl),
      listen: { url: `${nchan.baseUrl}/events/${organizationId}`, headers: {} },
    }),
    lastLines: peer.lastLines,
  };
  return { part: 'post', publishers: 64, sides: [ours, theirs] };
}

function streamOf(baseUrl: string, organizationId: number, key: string) {
  return { url: `${baseUrl}/api/v1/realtime/organizations/${organizationId}/events`, headers: { 'x-api-key': key } };
}

function urlOf(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}
