import { after, before } from 'node:test';
import { type ApiClient, createApiClient } from '../support/api-client.ts';
import { type OrganizationSeed, type SeededOrganization, seedOrganization } from '../support/seeds/seed.ts';
import { startTestGateway, type TestGateway, type TestGatewayOptions } from '../support/system/gateway.ts';
import { joinSharedGateway, keepSharedGateway } from '../support/system/shared-gateway.ts';

export interface FixtureOptions extends TestGatewayOptions {
  /** Why the file has a gateway and a database of its own: what it looks at or changes that belongs to no organization. */
  readonly own?: string;
}

export interface ApiFixture {
  readonly gateway: TestGateway;
  /** The client of the organization that the file got with the gateway. */
  readonly api: ApiClient;
  /** A client with another key; closed with the fixture. */
  clientOf(key: string): ApiClient;
  /** One more organization with a client of its own. */
  organization(seed?: OrganizationSeed): Promise<SeededOrganization & { readonly api: ApiClient }>;
}

/**
 * A gateway for all tests of a file, with an organization that no other file has. The files of a process share the
 * gateway, except those with any option but `organization`. `prepare` runs once it is there: a hook of the file's own
 * would not wait for it, since node:test starts the hooks of a file without waiting for one another.
 */
export function useGateway(
  options: FixtureOptions = {},
  prepare: (fixture: ApiFixture) => Promise<void> = async () => {},
): ApiFixture {
  const isShared = Object.keys(options).every((name) => name === 'organization');
  let gateway: TestGateway | undefined;
  let leave = (): void => {};
  let api: ApiClient | undefined;
  const clients: ApiClient[] = [];

  function clientOf(key: string): ApiClient {
    const client = createApiClient({ baseUrl: gateway!.baseUrl, key });
    clients.push(client);
    return client;
  }

  before(async () => {
    // The files after one with its own gateway still find the shared one.
    leave = keepSharedGateway();
    gateway = await (isShared ? joinSharedGateway(options.organization) : startTestGateway(options));
    api = clientOf(gateway.key);
    await prepare(fixture);
  });
  after(async () => {
    for (const client of clients) client.close();
    if (!isShared) await gateway?.stop();
    leave();
  });

  const fixture: ApiFixture = {
    get gateway() {
      return gateway!;
    },
    get api() {
      return api!;
    },
    clientOf,
    async organization(seed) {
      const seeded = await seedOrganization(gateway!.databaseUrl, seed);
      return { ...seeded, api: clientOf(seeded.key) };
    },
  };
  return fixture;
}
