import { hash } from '@node-rs/argon2';
import * as v from 'valibot';
import { createRandomSource } from '../../engine/runtime/random.ts';
import { newSecret } from '../../engine/runtime/secrets.ts';
import {
  type AgentChoice,
  createSuperAdmin,
  endSessionsOf,
  findUser,
  issueAgentTokens,
  listDeletions,
  listShards,
  setUserActive,
  verifyUser,
} from '../../engine/store/accounts/operator-store.ts';
import { renewHistory } from '../../engine/store/cluster/platform-store.ts';
import { checkMigrated } from '../../engine/store/migrate.ts';
import { hurryStep, listOpenSteps } from '../../engine/store/payments/payment-step-store.ts';
import type { Sql } from '../../engine/store/postgres.ts';
import { listAudit } from '../../engine/store/records/audit-store.ts';
import { type ListAuditQuery, listAuditQuery } from '../../schema/accounts/audit.ts';
import { splitName } from '../../schema/customers/customer.ts';
import { email as emailInput } from '../../schema/fields/fields.ts';
import { newPassword } from '../../schema/fields/new-password.ts';
import { LIMITS } from '../../schema/limits.ts';
import { RefusedError, UsageError } from './admin-errors.ts';
import type { OperatorStores } from './operator-stores.ts';
import { AUDIT_LIST } from './route-verbs.ts';
import { SECRETS_VERBS } from './secrets-verbs.ts';
import { ID, ORGANIZATION, PASSWORD, PASSWORD_STDIN, type Parameter, type StoreVerb, type Values } from './verb.ts';

const EMAIL: Parameter = { name: 'email', kind: 'text', isRequired: true, help: 'the address to sign in with' };
const MINUTES = { fewest: 15, most: 43_200 };
const PASSWORD_CHARS = 24;

const users: readonly StoreVerb[] = [
  {
    noun: 'users',
    verb: 'create-super-admin',
    summary: 'make a super admin; the API cannot',
    parameters: [
      EMAIL,
      { name: 'name', kind: 'text', help: 'first name and last name' },
      { ...PASSWORD, help: `else one is made and shown this once; ${PASSWORD.help}` },
      PASSWORD_STDIN,
    ],
    async run({ sql }, { email, name = 'Super Admin', password }) {
      const chosen = password ?? newSecret('', PASSWORD_CHARS);
      const account = parseAccount({ email, password: chosen });
      const person = splitName(`${name}`);
      const made = await createSuperAdmin(sql, {
        email: account.email,
        ...person,
        passwordHash: await hash(account.password),
      });
      if (!made) throw new RefusedError(`USER_EMAIL_TAKEN: somebody has the address ${email} already`);
      return { id: made.id, email, role: 'super_admin', ...(password === undefined ? { password: chosen } : {}) };
    },
  },
  {
    noun: 'users',
    verb: 'verify',
    summary: "take a user's address as proved, without a mail",
    parameters: [EMAIL],
    async run({ sql, settled }, values) {
      const { organizationId, id } = await getUser(sql, values);
      const isChanged = await verifyUser(sql, organizationId, id);
      await settled();
      return { id, organizationId, email: values['email'], verified: isChanged ? 'now' : 'before' };
    },
  },
  {
    noun: 'users',
    verb: 'end-sessions',
    summary: 'sign a user out everywhere',
    parameters: [EMAIL],
    async run({ sql, settled }, values) {
      const { organizationId, id } = await getUser(sql, values);
      const sessionsEnded = await endSessionsOf(sql, organizationId, id);
      // Also when none is left: an earlier run that was cut off may have ended them just now.
      await settled();
      return { id, organizationId, email: values['email'], sessionsEnded };
    },
  },
  {
    noun: 'users',
    verb: 'lock',
    summary: 'lock a user out, a super admin too, and end every session',
    parameters: [EMAIL],
    run: (stores, values) => switchUser(stores, values, false),
  },
  {
    noun: 'users',
    verb: 'unlock',
    summary: 'let a user sign in again',
    parameters: [EMAIL],
    run: (stores, values) => switchUser(stores, values, true),
  },
];

async function switchUser({ sql, settled }: OperatorStores, values: Values, isActive: boolean) {
  const { email } = values;
  const { organizationId, id, agentId } = await getUser(sql, values);
  const sessionsEnded = await setUserActive(sql, { organizationId, id }, isActive);
  if (sessionsEnded === undefined && (await getUser(sql, values)).isActive !== isActive)
    throw new RefusedError(
      isActive
        ? `CONFLICT: ${email} is an agent who is not active; use: agents update ${agentId} --organization ${organizationId} --active true`
        : `LAST_SUPER_ADMIN: ${email} is the only one who may act; make or unlock another one first`,
    );
  await settled();
  const since = sessionsEnded === undefined ? 'before' : 'now';
  return { id, organizationId, email, [isActive ? 'unlocked' : 'locked']: since, sessionsEnded: sessionsEnded ?? 0 };
}

const accountInput = v.object({ email: emailInput, password: newPassword });

function parseAccount(given: Readonly<Record<'email' | 'password', unknown>>) {
  const parsed = v.safeParse(accountInput, given);
  if (parsed.success) return parsed.output;
  throw new UsageError(`${parsed.issues.map((issue) => `--${v.getDotPath(issue)} ${issue.message}`).join(', ')}.`);
}

async function getUser(sql: Sql, { email }: Values) {
  const user = await findUser(sql, `${email}`);
  if (!user) throw new RefusedError(`there is no user with the address ${email}`);
  return user;
}

const agents: readonly StoreVerb[] = [
  {
    noun: 'agents',
    verb: 'issue-tokens',
    summary: 'sign agents in, for load tests and demos; at most 10,000 at a time',
    parameters: [
      ORGANIZATION,
      { name: 'ids', kind: 'ids', help: 'these agents: 1,2,3' },
      { name: 'count', kind: 'number', help: 'or the first so many' },
      { name: 'minutes', kind: 'number', help: `how long the access tokens live: 15 (the default) to ${MINUTES.most}` },
    ],
    columns: ['agentId', 'expiresIn', 'accessToken', 'refreshToken'],
    async run({ sql }, { organization, ids, count, minutes = MINUTES.fewest }) {
      const lifeMs = Number(minutes) * 60_000;
      if (Number(minutes) < MINUTES.fewest || Number(minutes) > MINUTES.most)
        throw new UsageError(`--minutes is from ${MINUTES.fewest} to ${MINUTES.most}.`);
      const tokens = await issueAgentTokens(sql, Number(organization), choiceOf(ids, count), lifeMs);
      if (tokens.length === 0) throw new RefusedError(`organization ${organization} has no such agents`);
      return tokens.map((each) => ({ ...each, expiresIn: lifeMs / 1_000 }));
    },
  },
];

function choiceOf(ids: Values[string] | undefined, count: Values[string] | undefined): AgentChoice {
  if ((ids === undefined) === (count === undefined)) throw new UsageError('Give either --ids or --count.');
  const choice = ids === undefined ? { count: Number(count) } : { ids: ids as readonly number[] };
  const size = 'ids' in choice ? choice.ids.length : choice.count;
  if (size < 1 || size > LIMITS.agentTokensAtOnce)
    throw new UsageError(`Tokens are issued to 1 to ${LIMITS.agentTokensAtOnce} agents at a time.`);
  return choice;
}

const payments: readonly StoreVerb[] = [
  {
    noun: 'payments',
    verb: 'steps',
    summary: 'what is left to do at the payment providers, those that failed most often first; at most 500',
    parameters: [ORGANIZATION],
    columns: ['paymentId', 'provider', 'step', 'attempts', 'dueAt', 'lastError'],
    run: ({ sql }, { organization }) => listOpenSteps(sql, Number(organization)),
  },
  {
    noun: 'payments',
    verb: 'retry',
    summary: 'have what is left to do for a payment done now',
    parameters: [ID, ORGANIZATION],
    async run({ sql }, { id, organization }) {
      const key = { organizationId: Number(organization), paymentId: Number(id) };
      const step = await hurryStep(sql, key);
      if (!step) throw new RefusedError(`nothing is left to do at a provider for payment ${id}`);
      return { id, ...step };
    },
  },
];

const platform: readonly StoreVerb[] = [
  {
    noun: 'audit',
    verb: 'platform',
    summary: 'who changed what that belongs to no organization: super admins and their sessions',
    ...AUDIT_LIST,
    run: ({ sql }, values) => listAudit(sql, 0, parseAuditQuery(values)),
  },
  {
    noun: 'organizations',
    verb: 'deletions',
    summary: 'the deleted organizations and the progress of their deletion',
    parameters: [],
    columns: ['organizationId', 'requestedBy', 'requestedAt', 'clearedAt', 'finishedAt'],
    run: ({ sql }) => listDeletions(sql),
  },
  {
    noun: 'shards',
    verb: 'list',
    summary: 'which gateway owns which organizations',
    parameters: [],
    columns: ['shard', 'epoch', 'gateway', 'address', 'leaseExpiresAt'],
    run: ({ sql }) => listShards(sql),
  },
  {
    noun: 'queues',
    verb: 'list',
    summary: 'how many jobs wait for the workers',
    parameters: [],
    columns: ['queue', 'waiting', 'active', 'delayed', 'failed', 'nextRunAt'],
    run: (stores) => stores.listQueues(),
  },
  {
    noun: 'history',
    verb: 'renew',
    summary:
      'after a copy of the whole data of Postgres was put back: streams do not resume from before; no program may run',
    parameters: [],
    async run({ sql }) {
      await checkMigrated(sql);
      return renewHistory(sql, createRandomSource());
    },
  },
];

function parseAuditQuery(values: Values): ListAuditQuery {
  const texts = Object.entries(values).map(([field, value]) => [field, `${value}`]);
  const parsed = v.safeParse(listAuditQuery, Object.fromEntries(texts));
  if (parsed.success) return parsed.output;
  throw new UsageError(`${parsed.issues.map((issue) => `${v.getDotPath(issue)} ${issue.message}`).join(', ')}.`);
}

/** The commands on the stores themselves. */
export const STORE_VERBS: readonly StoreVerb[] = [...users, ...agents, ...payments, ...SECRETS_VERBS, ...platform];
