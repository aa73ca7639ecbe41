import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import { runLauncher } from '../../../engine/launcher/run-launcher.ts';

/** The launcher as `npm start` runs it, with stand-ins for what it starts and a table of its own for the data. */
runLauncher({
  gateway: program('stand-in-gateway.ts'),
  workers: program('stand-in-workers.ts'),
  fleet: program('stand-in-workers.ts'),
  migrate: async () => {},
  renewHistory: async () => 'renewed',
  async ensureDemoOrganization(databaseUrl, { baseUrl }) {
    const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
    await sql`CREATE TABLE IF NOT EXISTS demo_keys (n integer GENERATED ALWAYS AS IDENTITY)`;
    const [key] = await sql<{ n: number }[]>`INSERT INTO demo_keys DEFAULT VALUES RETURNING n`;
    await sql.end();
    const account = { email: 'someone@example.com', password: 'not a secret' };
    return {
      baseUrl,
      organizationId: 1,
      channelId: 1,
      apiKey: `dk_live_${key?.n}`,
      superAdmin: account,
      orgAdmin: account,
      dispatcher: account,
      agents: [{ id: 1, ...account }],
    };
  },
});

function program(file: string) {
  const args = ['--import', import.meta.resolve('tsx'), fileURLToPath(new URL(file, import.meta.url))];
  return { file: process.execPath, args };
}
