import { LaunchError } from '../../engine/launcher/processes/launch-error.ts';
import { ConfigError } from '../../engine/runtime/config.ts';
import { checkMigrated } from '../../engine/store/migrate.ts';
import { isStoreAway } from '../../engine/store/postgres.ts';
import { askGateway } from './admin-client.ts';
import { RefusedError, UsageError } from './admin-errors.ts';
import { helpText } from './help-text.ts';
import { asSuperAdmin } from './operator-session.ts';
import { type Environment, openStores } from './operator-stores.ts';
import { type Order, parseVerb } from './parse-verb.ts';
import { printAnswer } from './print-answer.ts';

export interface AdminRun {
  readonly exitCode: 0 | 1 | 2;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs one command: 0 when it was done, 1 when it was refused, 2 when it was not understood. Throws unexpected errors.
 * `readSecret` reads secrets that must not stand on the command line.
 */
export async function runAdmin(
  args: readonly string[],
  environment: Environment,
  readSecret: () => Promise<string>,
): Promise<AdminRun> {
  try {
    const order = parseVerb(args);
    if (order.kind === 'help') return { exitCode: 0, stdout: helpText(order.verbs), stderr: '' };
    const { fromStdin } = order;
    const values = fromStdin ? { ...order.values, [fromStdin]: await readSecret() } : order.values;
    const data = await carryOut({ ...order, values }, environment);
    const stdout = order.isJson ? `${JSON.stringify(data, undefined, 2)}\n` : printAnswer(order.verb, data);
    return { exitCode: 0, stdout, stderr: '' };
  } catch (error) {
    const { message } = error as Error;
    if (error instanceof UsageError)
      return { exitCode: 2, stdout: '', stderr: `${message} \`npm run admin -- --help\` shows what there is.\n` };
    const isForeseen = [RefusedError, ConfigError, LaunchError].some((kind) => error instanceof kind);
    if (isForeseen) return { exitCode: 1, stdout: '', stderr: `${message}\n` };
    if (isStoreAway(error)) return { exitCode: 1, stdout: '', stderr: `a store cannot be reached: ${message}\n` };
    throw error;
  }
}

async function carryOut(order: Extract<Order, { kind: 'run' }>, environment: Environment): Promise<unknown> {
  const { verb, values, as } = order;
  const stores = openStores(environment);
  try {
    await checkMigrated(stores.sql);
    if ('run' in verb) return await verb.run(stores, values);
    const { gatewayUrl } = stores;
    return await asSuperAdmin(stores.sql, as, (accessToken) => askGateway(gatewayUrl, verb, values, accessToken));
  } finally {
    await stores.close();
  }
}
