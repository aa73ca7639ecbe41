/**
 * Facts that the SQL rules cannot find by themselves: the writer of each table, and the statements that a person has
 * reviewed and permitted. An entry that no code needs any more is a failure too.
 */

/**
 * `commit_group`: the SQL function of that name and the functions it calls, on behalf of the actors.
 * `plain`: a plain transaction of engine/store. `worker`: the workers. `platform`: ownership, leases, migrations.
 */
export type TableWriter = 'commit_group' | 'plain' | 'worker' | 'platform';

export interface Reviewed {
  readonly tableWriters: Readonly<Record<string, TableWriter>>;
  /** Files of engine/store whose statements are not plain transactions. */
  readonly storeWriters: Readonly<Record<string, TableWriter>>;
  /** Writes by another than the table's writer, each with its reason. */
  readonly foreignWrites: readonly { readonly path: string; readonly table: string; readonly reason: string }[];
  /** Tables that belong to no organization, each with its reason. */
  readonly platformTables: Readonly<Record<string, string>>;
  /** Unique keys that do not start with the organization: `table (columns)`, each with its reason. */
  readonly globalKeys: Readonly<Record<string, string>>;
  /** Statements over all organizations: the file, words that stand in the statement, the reason. */
  readonly globalStatements: readonly { readonly path: string; readonly contains: string; readonly reason: string }[];
}

export const reviewed: Reviewed = {
  tableWriters: {
    migrations: 'platform',
    log_history: 'platform',
    internal_secret: 'platform',
    secret_keys: 'platform',
    shards: 'platform',
    gateways: 'platform',
    organizations: 'commit_group',
    users: 'plain',
    channels: 'plain',
    agents: 'commit_group',
    agent_trail: 'plain',
    sessions: 'plain',
    session_pairs: 'plain',
    user_tokens: 'plain',
    mail_requests: 'plain',
    audit_access: 'plain',
    kept_outcomes: 'plain',
    access_changes: 'platform',
    audit_records: 'commit_group',
    deleted_organizations: 'commit_group',
    organization_heads: 'commit_group',
    customers: 'commit_group',
    locations: 'commit_group',
    tasks: 'commit_group',
    packages: 'commit_group',
    task_history: 'commit_group',
    events: 'commit_group',
    idempotency_records: 'commit_group',
    usage: 'commit_group',
    warehouses: 'commit_group',
    scheduled_tasks: 'commit_group',
    task_references: 'commit_group',
    // Made by 0033, replaced by the next three in 0034.
    findable_tasks: 'commit_group',
    findable_fresh: 'commit_group',
    findable_pages: 'worker',
    findable_places: 'worker',
    location_uses: 'commit_group',
    task_counts: 'commit_group',
    searching_tasks: 'commit_group',
    assignment_requests: 'commit_group',
    payments: 'commit_group',
    payment_counts: 'commit_group',
    ledger_transfers: 'commit_group',
    ledger_entries: 'commit_group',
    ledger_accounts: 'commit_group',
    payment_attempts: 'worker',
    task_proofs: 'plain',
    task_pins: 'plain',
    webhooks: 'plain',
    webhook_orders: 'plain',
    webhook_followers: 'worker',
    webhook_deliveries: 'worker',
    push_tokens: 'plain',
    notification_settings: 'plain',
    notifications: 'worker',
    vapid_keys: 'platform',
    relay_positions: 'worker',
    daily_activity: 'worker',
    couriers: 'worker',
    fleet_jobs: 'worker',
    test_checkouts: 'plain',
    test_provider_secret: 'platform',
  },
  storeWriters: {
    'engine/store/planning/courier-store.ts': 'worker',
    'engine/store/webhooks/delivery-store.ts': 'worker',
    'engine/store/planning/fleet-store.ts': 'worker',
    'engine/store/webhooks/follower-store.ts': 'worker',
    'engine/store/migrate.ts': 'platform',
    'engine/store/notifications/notice-follow-store.ts': 'worker',
    'engine/store/notifications/notice-store.ts': 'worker',
    'engine/store/payments/payment-step-store.ts': 'worker',
    'engine/store/cluster/platform-store.ts': 'platform',
    'engine/store/log/relay-store.ts': 'worker',
    'engine/store/cluster/shard-store.ts': 'platform',
    'engine/store/notifications/vapid-store.ts': 'platform',
    'engine/store/secrets/lost-secrets.ts': 'platform',
    'engine/store/secrets/seal-secrets.ts': 'platform',
    'engine/store/secrets/secret-key-store.ts': 'platform',
  },
  foreignWrites: [
    {
      path: 'engine/store/secrets/seal-secrets.ts',
      table: 'webhooks',
      reason: 'encrypts the secrets of rows whose version has not changed meanwhile, and nothing else of them',
    },
    {
      path: 'engine/store/secrets/lost-secrets.ts',
      table: 'webhooks',
      reason: 'the operator replaces secrets that nobody can read, while no gateway runs',
    },
    {
      path: 'engine/store/secrets/lost-secrets.ts',
      table: 'audit_access',
      reason: 'the audit line of a replaced secret, in the statement that replaces it',
    },
    {
      path: 'schema/functions/findables.sql',
      table: '*',
      reason: 'called by the workers: it moves what commits have appended to the tables that searches read',
    },
    {
      path: 'schema/migrations/0033-task-filters.sql',
      table: 'findable_tasks',
      reason: 'filled from the tasks that are there, before any actor of this release runs',
    },
    {
      path: 'schema/migrations/0034-findable-pages.sql',
      table: 'findable_fresh',
      reason: 'filled from the tasks that are there, before any actor of this release runs',
    },
    {
      path: 'schema/migrations/0003-task-lists.sql',
      table: 'scheduled_tasks',
      reason: 'filled from the tasks that are there, before any actor of this release runs',
    },
    {
      path: 'schema/migrations/0003-task-lists.sql',
      table: 'task_references',
      reason: 'filled from the tasks that are there, before any actor of this release runs',
    },
    {
      path: 'schema/migrations/0003-task-lists.sql',
      table: 'locations',
      reason: 'a new column, filled from the tasks that are there, before any actor of this release runs',
    },
    {
      path: 'schema/migrations/0003-task-lists.sql',
      table: 'location_uses',
      reason: 'filled from the tasks that are there, before any actor of this release runs',
    },
    {
      path: 'schema/migrations/0003-task-lists.sql',
      table: 'task_counts',
      reason: 'filled from the tasks that are there, before any actor of this release runs',
    },
    {
      path: 'schema/migrations/0004-whole-tasks.sql',
      table: 'task_history',
      reason: 'a migration fills its new column, before any actor of this release runs',
    },
    {
      path: 'schema/migrations/0006-identity.sql',
      table: 'users',
      reason: 'a migration fills its new column',
    },
    {
      path: 'schema/migrations/0006-identity.sql',
      table: 'channels',
      reason: 'a migration makes the built-in ones',
    },
    {
      path: 'schema/migrations/0009-agents.sql',
      table: 'usage',
      reason: 'counts the agents that are there, before any actor of this release runs',
    },
    {
      path: 'schema/functions/commit-group.sql',
      table: 'users',
      reason: 'an agent and its user are created and renamed as one',
    },
    {
      path: 'schema/functions/commit-group.sql',
      table: 'sessions',
      reason: 'an agent that becomes inactive loses its sessions',
    },
    {
      path: 'schema/functions/commit-group.sql',
      table: 'mail_requests',
      reason: 'an agent without a password gets a mail to set one',
    },
    {
      path: 'engine/launcher/demo-organization.ts',
      table: 'agents',
      reason: 'creates the demo organization before any actor can own it',
    },
    {
      path: 'engine/launcher/demo-organization.ts',
      table: 'usage',
      reason: 'counts the agents of the demo organization',
    },
    {
      path: 'schema/migrations/0021-payment-counts.sql',
      table: 'payment_counts',
      reason: 'counts the payments that were there before; commit_group counts from then on',
    },
    {
      path: 'schema/migrations/0012-lists-at-hand.sql',
      table: 'location_uses',
      reason: 'a migration fills its new column, before any actor of this release runs',
    },
    {
      path: 'schema/migrations/0012-lists-at-hand.sql',
      table: 'scheduled_tasks',
      reason: 'a migration fills its new column, before any actor of this release runs',
    },
    {
      path: 'schema/migrations/0029-due-at.sql',
      table: 'tasks',
      reason: 'a migration judges delays and timers again by the new rule, before any actor of this release runs',
    },
    {
      path: 'schema/migrations/0029-due-at.sql',
      table: 'organization_heads',
      reason: 'a migration judges delays and timers again by the new rule, before any actor of this release runs',
    },
    {
      path: 'schema/migrations/0037-requirements.sql',
      table: 'tasks',
      reason: 'a migration fills its new column from the proofs, before any actor of this release writes it',
    },
    {
      path: 'schema/migrations/0009-agents.sql',
      table: 'agents',
      reason: 'a migration fills its new columns from the users, before any actor of this release writes them',
    },
    {
      path: 'engine/store/accounts/organization-store.ts',
      table: 'organizations',
      reason: 'creates the organization before any actor can own it',
    },
    {
      path: 'engine/store/accounts/organization-store.ts',
      table: 'organization_heads',
      reason: 'creates the head with the organization, before any actor can own it',
    },
    {
      path: 'engine/store/webhooks/webhook-store.ts',
      table: 'webhook_followers',
      reason:
        'deleted with its webhook, or left by its holder when it has another address: that one writes nothing more',
    },
    {
      path: 'engine/store/webhooks/webhook-store.ts',
      table: 'webhook_deliveries',
      reason: 'pending ones end or are due at once with the change of their webhook, under the lock of its follower',
    },
    {
      path: 'engine/store/cluster/deletion-store.ts',
      table: 'deleted_organizations',
      reason: 'the job that empties the stores notes its progress',
    },
    {
      path: 'schema/functions/delete-organization.sql',
      table: 'mail_requests',
      reason: 'mails that wait for the users of a deleted organization are deleted with it',
    },
    {
      path: 'schema/functions/delete-organization.sql',
      table: 'kept_outcomes',
      reason: 'the kept answer to its creation is deleted with it',
    },
    {
      path: 'engine/store/webhooks/delivery-store.ts',
      table: 'webhook_orders',
      reason: 'the sender advances and deletes the orders of callers as it carries them out',
    },
    {
      path: 'engine/store/cluster/maintenance-store.ts',
      table: 'assignment_requests',
      reason: 'removes requests that were answered long ago: no actor holds them any more',
    },
    {
      path: 'engine/store/cluster/maintenance-store.ts',
      table: 'notifications',
      reason: 'removes old ones: no sender needs them any more',
    },
    {
      path: 'engine/store/notifications/notice-store.ts',
      table: 'push_tokens',
      reason: 'deletes a token together with the outcome in which the push service reports it gone',
    },
    {
      path: 'schema/functions/refresh-session.sql',
      table: 'sessions',
      reason: 'a refresh is a plain transaction in a function: it reads again after it has waited for the lock',
    },
    {
      path: 'schema/functions/refresh-session.sql',
      table: 'session_pairs',
      reason: 'the same',
    },
    {
      path: 'schema/migrations/0042-links-of-inactive-users.sql',
      table: 'user_tokens',
      reason: 'a trigger voids them in the transaction that changes the activity of their user, by any writer',
    },
    {
      path: 'engine/store/cluster/maintenance-store.ts',
      table: 'access_changes',
      reason: 'removes rows that triggers wrote and every process has read',
    },
  ],
  platformTables: {
    migrations: 'one schema for the whole database',
    log_history: 'one row for the whole database',
    internal_secret: 'one row for the whole database',
    secret_keys: 'one key encrypts for the whole database',
    test_provider_secret: 'one row for the whole database',
    vapid_keys: 'one row for the whole database',
    shards: 'organizations are spread over them',
    gateways: 'a gateway serves many organizations',
    mail_requests: 'the request names no organization, and its sender may be unknown',
    deleted_organizations: 'the rest of a deleted organization',
  },
  globalKeys: {
    'users (lower(email))': 'a login names no organization',
    'channels (key_hash)': 'the key identifies its channel',
    'sessions (access_hash)': 'the token identifies its owner',
    'session_pairs (access_hash)': 'the token identifies its owner',
    'sessions (family_hash)': 'the token identifies its owner',
    'user_tokens (token_hash)': 'the token identifies its owner',
    'push_tokens (token_hash)': 'a token is one device, regardless of its present user',
  },
  globalStatements: [
    {
      path: 'engine/store/secrets/lost-secrets.ts',
      contains: 'SET sealed_previous_secret = NULL',
      reason: 'a lost key is the loss of every organization',
    },
    {
      path: 'engine/store/secrets/secret-key-store.ts',
      contains: 'secret_keys k',
      reason: 'a key of secrets serves every organization',
    },
    {
      path: 'engine/store/secrets/secret-key-store.ts',
      contains: 'UNION ALL SELECT NULL, NULL',
      reason: 'a key of secrets serves every organization',
    },
    {
      path: 'engine/store/records/agent-store.ts',
      contains: 'SELECT lower(email)',
      reason: 'an address is one user in all organizations: the statement returns only whether it is taken',
    },
  ],
};
