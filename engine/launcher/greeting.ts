import type { DemoOrganization } from './demo-organization.ts';

const FIRST_TASK = {
  name: 'First delivery',
  taskType: 'delivery',
  customer: { name: 'Ada Lovelace', phone: '+442079460958' },
  location: { address: '12 St James Square, London', latitude: 51.5074, longitude: -0.1353 },
  packages: [{ name: 'Parcel', weight: 1.2 }],
};

export interface Greeted {
  readonly facts: DemoOrganization;
  readonly factsFile: string;
  /** Where the workers serve their metrics. */
  readonly workersMetrics: string;
  /** Unset where it is the folder that the other commands look into by themselves. */
  readonly dataDir: string | undefined;
  readonly hasFleet: boolean;
}

/** The text on the screen once everything runs: the address, the key, and a line to paste. */
export function greet({ facts, factsFile, workersMetrics, dataDir, hasFleet }: Greeted): string {
  const place = dataDir === undefined ? '' : `DATA_DIR=${quoted(dataDir)} `;
  const selfSigned = facts.baseUrl.startsWith('https:') ? ' --insecure' : '';
  const rule = '─'.repeat(76);
  return [
    '',
    rule,
    `  Ready at  ${facts.baseUrl}   (API description: /openapi.json)`,
    `  API key   ${facts.apiKey}`,
    `  Console   ${facts.baseUrl}/console`,
    `            sign in as ${facts.dispatcher.email} with ${facts.dispatcher.password}`,
    `            or as ${facts.orgAdmin.email} with ${facts.orgAdmin.password}`,
    `  Accounts  ${factsFile}   (every e-mail address and password)`,
    `  A fleet   ${hasFleet ? 'on the move, until Ctrl-C' : `${place}npm run simulate, in another terminal`}`,
    `  Commands  ${place}npm run admin -- --help`,
    `  Metrics   /metrics, and of the workers ${workersMetrics}`,
    '',
    '  Create a task:',
    '',
    `curl${selfSigned} -sS ${facts.baseUrl}/api/v1/tasks \\`,
    `  -H 'x-api-key: ${facts.apiKey}' -H 'content-type: application/json' \\`,
    `  -d '${JSON.stringify(FIRST_TASK)}'`,
    '',
    '  Ctrl-C stops everything; the data stays for the next start.',
    rule,
    '',
    '',
  ].join('\n');
}

/** As one word of a shell. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
