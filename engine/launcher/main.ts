import { fileURLToPath } from 'node:url';
import { LIMITS } from '../../schema/limits.ts';
import { createRandomSource } from '../runtime/random.ts';
import { renewHistory } from '../store/cluster/platform-store.ts';
import { migrate } from '../store/migrate.ts';
import { connectPostgres } from '../store/postgres.ts';
import { ensureDemoOrganization } from './demo-organization.ts';
import { runLauncher } from './run-launcher.ts';

/** `npm start`: everything on this machine, ready to be tried (docs/contract.md §8, "For the operator"). */
runLauncher({
  // A larger nursery: what a request leaves behind dies there instead of being moved first.
  gateway: program('gateway', '../../gateway/main.ts', '--max-semi-space-size=64'),
  workers: program('workers', '../../workers/main.ts'),
  fleet: simulator(),
  migrate,
  renewHistory: renewHistoryAt,
  ensureDemoOrganization,
});

async function renewHistoryAt(databaseUrl: string): Promise<string> {
  const connection = { name: 'dispatch admin', connections: 1, statementTimeoutMs: LIMITS.readDeadlineMs };
  const sql = connectPostgres(databaseUrl, connection);
  try {
    return (await renewHistory(sql, createRandomSource())).history;
  } finally {
    await sql.end({ timeout: 2 });
  }
}

function simulator() {
  const { file, args } = program('simulate', '../../bench/simulate.ts');
  return { file, args: [...args, '--quiet'] };
}

/** Compiled, the programs lie beside this one; from a source they start through tsx. */
function program(name: string, source: string, ...flags: string[]) {
  const isSource = import.meta.url.endsWith('.ts');
  const file = new URL(isSource ? source : `./${name}.js`, import.meta.url);
  const loader = isSource ? ['--import', import.meta.resolve('tsx')] : ['--enable-source-maps'];
  return { file: process.execPath, args: [...flags, ...loader, fileURLToPath(file)] };
}
