import { type OrganizationSeed, seedOrganization } from '../seeds/seed.ts';
import { startTestGateway, type TestGateway } from './gateway.ts';

/**
 * How long the gateway waits for the next file of its process: to start one and its database costs ten times as much as
 * an organization.
 */
const LINGER_MS = 500;

let shared: Promise<TestGateway> | undefined;
let users = 0;
let stopping: NodeJS.Timeout | undefined;

/**
 * The gateway that the files of this process share, with an organization of the caller's own. `stop` leaves it, and the
 * last one to leave has it stopped. Not for tests that look across organizations, or that change what belongs to none.
 */
export async function joinSharedGateway(organization: OrganizationSeed = {}): Promise<TestGateway> {
  const leave = stay();
  try {
    shared ??= startTestGateway();
    const gateway = await shared;
    const seeded = await seedOrganization(gateway.databaseUrl, organization);
    return { ...gateway, ...seeded, place: { ...gateway.place, ...seeded }, stop: async () => leave() };
  } catch (error) {
    shared = undefined;
    leave();
    throw error;
  }
}

/** Keeps the shared gateway, if there is one, until the function that it returns is called. */
export function stay(): () => void {
  users += 1;
  clearTimeout(stopping);
  return () => {
    users -= 1;
    if (users === 0) stopping = setTimeout(stopShared, LINGER_MS);
  };
}

async function stopShared(): Promise<void> {
  const gateway = shared;
  shared = undefined;
  await (await gateway)?.stop();
}
