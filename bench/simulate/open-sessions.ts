import { issueAgentTokens } from '../../engine/store/accounts/operator-store.ts';
import { connectPostgres } from '../../engine/store/postgres.ts';
import { LIMITS } from '../../schema/limits.ts';
import { UsageError } from '../stand/run-to-end.ts';
import type { AgentSession } from './driver.ts';
import type { AgentLogin } from './enrol-agents.ts';
import { inParallel } from './in-parallel.ts';
import type { SimulatorApi } from './simulator-api.ts';

interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Seconds. */
  readonly expiresIn: number;
}

/** As many as passwords are checked at a time. */
const LOGINS_AT_A_TIME = LIMITS.passwordHashes;
const ISSUED_LIFE_MS = 12 * 3_600_000;

/** Signs agents in as an operator does, all at once, where the database can be reached. */
export async function issueSessions(
  databaseUrl: string,
  organizationId: number,
  ids: readonly number[],
): Promise<AgentSession[]> {
  const sql = connectPostgres(databaseUrl, { name: 'dispatch simulator', connections: 1, statementTimeoutMs: 30_000 });
  try {
    const expiresAtMs = Date.now() + ISSUED_LIFE_MS;
    const issued = await issueAgentTokens(sql, organizationId, { ids }, ISSUED_LIFE_MS);
    if (issued.length < ids.length)
      throw new UsageError(
        `Only ${issued.length} of ${ids.length} agents may sign in: the others are inactive, or gone.`,
      );
    return issued.map((tokens) => ({ ...tokens, expiresAtMs }));
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Signs agents in by their passwords, as their apps do: some twenty a second. */
export async function logIn(
  api: SimulatorApi,
  agents: readonly AgentLogin[],
  onProgress: (done: number) => void,
): Promise<AgentSession[]> {
  const sessions: AgentSession[] = [];
  await inParallel(agents, LOGINS_AT_A_TIME, async ({ id, email, password }) => {
    const { data } = await api.as().post('/auth/login', { body: { email, password } });
    sessions.push(sessionOf(id, data));
    onProgress(sessions.length);
  });
  return sessions;
}

/** A new session for one that is about to end. */
export async function refreshSession(api: SimulatorApi, session: AgentSession): Promise<AgentSession> {
  const { data } = await api.as().post('/auth/refresh', { body: { refreshToken: session.refreshToken } });
  return sessionOf(session.agentId, data);
}

function sessionOf(agentId: number, { accessToken, refreshToken, expiresIn }: Tokens): AgentSession {
  return { agentId, accessToken, refreshToken, expiresAtMs: Date.now() + expiresIn * 1_000 };
}
