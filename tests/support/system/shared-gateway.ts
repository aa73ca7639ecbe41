import { type OrganizationSeed, seedOrganization } from '../seeds/seed.ts';
import { startTestGateway, type TestGateway } from './gateway.ts';

/** How long the gateway waits for the next file of its process. */
const LINGER_MS = 500;

let shared: Promise<TestGateway> | undefined;
let files = 0;
let stopping: NodeJS.Timeout | undefined;

/** Keeps the gateway that files share, if there is one, until the function that it returns is called. */
export function keepSharedGateway(): () => void {
  files += 1;
  clearTimeout(stopping);
  return () => {
    files -= 1;
    if (files === 0 && shared) stopping = setTimeout(stopShared, LINGER_MS);
  };
}

/**
 * The gateway that the files of this process share, with an organization of the caller's own. To start a gateway and its
 * database costs ten times as much as an organization. The caller keeps the gateway.
 */
export async function joinSharedGateway(organization?: OrganizationSeed): Promise<TestGateway> {
  shared ??= startTestGateway();
  const gateway = await shared;
  const seeded = await seedOrganization(gateway.databaseUrl, organization);
  return {
    ...gateway,
    ...seeded,
    get place(): never {
      throw new Error('other files are at this place, too: say why this one needs its `own`');
    },
    stop: () => Promise.reject(new Error('other files use this gateway, too: say why this one needs its `own`')),
  };
}

async function stopShared(): Promise<void> {
  const left = shared;
  shared = undefined;
  // Each file has reported that it did not start.
  const gateway = await left?.catch(() => undefined);
  await gateway?.stop();
}
