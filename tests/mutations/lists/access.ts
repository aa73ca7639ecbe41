import { type Mutation, mutationsOf } from '../mutation.ts';

/** Faults in sessions, in secrets at rest, in proofs, and in what agents see of links. */
export const ACCESS: readonly Mutation[] = [
  ...mutationsOf(
    'gateway/request/handle-request.ts',
    ['api/tracking/links-of-agents'],
    [
      [
        "identity.role === 'agent' ? withoutTrackingLinks(answer.data) : answer.data",
        "identity.role === 'agent' ? answer.data : withoutTrackingLinks(answer.data)",
        'Agents read tasks without the link of the customer, and staff with it.',
      ],
      [
        '(data === answer.data ? answer.etag : undefined) ?? etagOf(data)',
        'answer.etag ?? etagOf(data)',
        'A task without its link has an entity tag of its own.',
      ],
    ],
  ),
  ...mutationsOf(
    'gateway/routes/task-list-routes.ts',
    ['api/tracking/links-of-agents'],
    [
      [
        "identity.role === 'agent' ? encodeForAgent : encodeTask",
        'encodeTask',
        'Agents export tasks without the link of the customer.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/views/parts/tracking-url.ts',
    ['unit/views/tracking-links'],
    [
      [
        'if (link < end) link = json.indexOf(LINK, end);',
        '',
        'What an integrator keeps under the name of the link stays.',
      ],
      ["if (part === '{') depth += 1;\n    else if", 'if', 'What is kept ends with its own brace.'],
    ],
  ),
  ...mutationsOf(
    'schema/functions/refresh-session.sql',
    ['api/auth/refresh-grace'],
    [
      [
        'pair.used_at <= at - grace',
        'pair.used_at <= at',
        'A refresh token that comes again within the grace gets another pair.',
      ],
      ['pair.refresh_hash IS NULL OR ', '', 'A refresh token that its session has forgotten ends it.'],
      [
        'SET revoked_at = at WHERE',
        'SET revoked_at = revoked_at WHERE',
        'A refresh token that is reused ends its session.',
      ],
      [
        'p.refresh_hash = predecessor OR p.used_at',
        'p.used_at',
        'The use of a successor ends the grace of the refresh token before it.',
      ],
      ['OFFSET most_pairs - 1', 'OFFSET most_pairs + 5', 'A session has a bounded number of pairs.'],
    ],
  ),
  ...mutationsOf(
    'engine/store/accounts/organization-store.ts',
    ['api/administration/organizations'],
    [
      [
        'strpos(fold_case(o.name), fold_case(',
        'strpos(lower(o.name), lower(',
        'Every letter has two cases, in any locale.',
      ],
    ],
  ),
  ...mutationsOf(
    'schema/accounts/session.ts',
    ['unit/schema/passwords'],
    [['email, password: givenPassword', 'email, password: newPassword', 'An older, shorter password signs in.']],
  ),
  ...mutationsOf(
    'schema/fields/new-password.ts',
    ['unit/schema/passwords'],
    [
      ['[...text.slice(0, 2 * least)].length', 'text.length', 'A new password has 8 characters.'],
      ["atLeastChars(1, 'must not be empty')", 'v.regex(/\\S/)', 'A password of spaces signs in.'],
    ],
  ),
  ...mutationsOf(
    'engine/store/accounts/session-store.ts',
    ['api/auth/sessions.test'],
    [
      ['l.refreshed_at DESC, l.id DESC', 'l.refreshed_at, l.id', 'Sessions that are in use stay.'],
      ['LIMIT ${LIMITS.sessionsEndedByLogin}', '', 'A login ends few sessions at a time.'],
    ],
  ),
  ...mutationsOf(
    'gateway/guards/authenticate.ts',
    ['api/streams/streams-token'],
    [["method === 'HEAD' ? ", "method === 'NONE' ? ", 'HEAD uses no stream token up.']],
  ),
  ...mutationsOf(
    'engine/store/accounts/user-token-store.ts',
    ['api/administration/links-of-inactive'],
    [
      [' AND u.is_active FOR UPDATE OF u', ' FOR UPDATE OF u', 'A link of an inactive user changes nothing.'],
      ['${isoTime(now)} AND u.is_active`', '${isoTime(now)}`', 'A link of an inactive user opens no page.'],
    ],
  ),
  ...mutationsOf(
    'schema/migrations/0042-links-of-inactive-users.sql',
    ['api/administration/links-of-inactive'],
    [
      ['OLD.is_active IS DISTINCT FROM', 'OLD.is_active AND NOT', 'A link made beside a deactivation stays dead.'],
      [
        'UPDATE user_tokens SET token_hash = sha256(token_hash)',
        'DELETE FROM user_tokens',
        'Void links count as mails.',
      ],
    ],
  ),
  ...mutationsOf(
    'schema/functions/proof-room.sql',
    ['store/proofs'],
    [
      [
        "  PERFORM pg_advisory_xact_lock(hashtextextended('proof_room ' || task, organization));\n",
        '',
        'Proofs at one moment do not pass the bound.',
      ],
      ["'proof_room ' || task", "'proof_room'", 'Proofs of one task wait for those of another.'],
    ],
  ),
  ...mutationsOf(
    'gateway/administration/administer-proofs.ts',
    ['store/proofs'],
    [
      [
        "return { refusal: refusal('OUTCOME_UNKNOWN') };",
        'return { refusal: known.refusal };',
        'A proof that is stored is not answered as if nothing was written.',
      ],
      ['isUnknown(noted) ? await note(SYSTEM) : noted', 'noted', 'A task that its driver has lost knows his proof.'],
      [' || isUnknown(known)', '', 'A proof that is stored is answered 201 though its task is gone.'],
    ],
  ),
  ...mutationsOf(
    'engine/store/accounts/change-notes.ts',
    ['api/tasks/proofs'],
    [
      ['::text[])[${picked}]', '::text[])[1]', 'A repeat gets the answer that the first one got.'],
      ['picks ? sql`picked` : sql`1`', 'sql`1`', 'A wrong PIN is answered with the number of attempts left.'],
    ],
  ),
  ...mutationsOf(
    'engine/runtime/secret-box.ts',
    ['unit/runtime/secret-box'],
    [
      ['new Map(keys.map(', 'new Map(keys.slice(0, 1).map(', 'Each key decrypts.'],
      ['this.keyId = idOf(keys[0]!)', 'this.keyId = idOf(keys.at(-1)!)', 'The first key encrypts.'],
    ],
  ),
  ...mutationsOf(
    'engine/store/secrets/stored-secret.ts',
    ['integration/store/secrets'],
    [
      [
        'return `webhook ${webhookId} of organization ${organizationId}`;',
        "return `webhook${organizationId > 0 && webhookId > 0 ? '' : ' 0'}`;",
        'A sealed secret opens for its own webhook only.',
      ],
    ],
  ),
  ...mutationsOf(
    'gateway/administration/administer-channels.ts',
    ['api/administration/channels'],
    [[' && (rateLimit === null || rateLimit === before.rateLimit)', '', 'No limit is taken that has no effect.']],
  ),
  ...mutationsOf(
    'gateway/administration/routes/organization-routes.ts',
    ['api/openapi/openapi-headers'],
    [['    keepsNothing: true,\n', '', 'A key that is ignored is not judged.']],
  ),
  ...mutationsOf(
    'gateway/administration/administer.ts',
    ['gateway/repeated-revocation'],
    [[' && planned.revokesAgain === true', ' && false', 'A repeated revocation waits as the first one does.']],
  ),
  ...mutationsOf(
    'gateway/administration/administer-users.ts',
    ['gateway/repeated-revocation'],
    [['input.role != null || ', '', 'A role that is sent again waits for all gateways.']],
  ),
  ...mutationsOf(
    'gateway/administration/administer-channels.ts',
    ['gateway/repeated-revocation'],
    [['revokesAgain: revokes', 'revokesAgain: false', 'A status that is sent again waits for all gateways.']],
  ),
  ...mutationsOf(
    'gateway/admin-cli/store-verbs.ts',
    ['gateway/repeated-revocation'],
    [['  await settled();\n  const since', '  const since', 'A lock that is repeated waits for all gateways.']],
  ),
  ...mutationsOf(
    'gateway/receipts/receipt-page.ts',
    ['api/customers/receipts'],
    [["${task.contact && section('Contact', contactOf(task.contact))}", '', 'The person to meet stands on the paper.']],
  ),
  ...mutationsOf(
    'gateway/admin-cli/store-verbs.ts',
    ['integration/admin/admin'],
    [['} --active true`', '} --is-active true`', 'A refusal names a command that there is.']],
  ),
  ...mutationsOf(
    'gateway/admin-cli/secrets-verbs.ts',
    ['integration/admin/secrets'],
    [
      ['await checkKnown(stores);', '', 'No rotation to a key that running programs may lack.'],
      ['await checkLost(sql, lost);', '', 'No secret that running programs can read is given up as lost.'],
    ],
  ),
  ...mutationsOf(
    'engine/store/secrets/secret-key-store.ts',
    ['integration/admin/secrets'],
    [
      [
        'WHERE id = ${keyId})\n    ORDER BY name',
        'WHERE id <> ${keyId})\n    ORDER BY name',
        'A noted key may be rotated to beside programs.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/store/secrets/seal-secrets.ts',
    ['integration/store/secrets'],
    [
      [
        "OR (${scope === 'all'}::boolean AND (secret_key <> ${keyId} OR previous_secret_key <> ${keyId}))",
        "OR (${scope === 'all'}::boolean AND secret_key <> ${keyId})",
        'Rotation encrypts previous secrets too.',
      ],
      [
        'AND w.id = t.id AND w.version = t.version RETURNING',
        'AND w.id = t.id RETURNING',
        'A secret that is renewed while it is sealed stays the new one.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/store/accounts/user-store.ts',
    ['store/last-admin', 'administration/last-admin'],
    [
      [')} FOR SHARE) o', ')}) o', 'Two administrators cannot take each other’s rights at the same time.'],
      ['\n      AND u.email_verified_at IS NOT NULL', '', 'An administrator who cannot sign in yet does not count.'],
    ],
  ),
  ...mutationsOf(
    'gateway/administration/administer-users.ts',
    ['administration/last-admin'],
    [
      [" && caller.role !== 'super_admin'", '', 'A super admin may demote the last administrator.'],
      ['isAdmin(before) && !isAdmin(after)', 'isAdmin(before)', 'The last administrator may have another name.'],
    ],
  ),
  ...mutationsOf(
    'engine/launcher/local-instance.ts',
    ['integration/launcher/start-settings'],
    [
      ['    ending.abort();\n', '', 'A stop of `npm start` ends the migration.'],
      ['return migrating.catch(() => {});', '', 'It waits until the migration has ended.'],
    ],
  ),
  ...mutationsOf(
    'engine/launcher/demo-organization.ts',
    ['integration/launcher/databases'],
    [
      ['lower(u.email) = ${ADMIN} OR o.name', 'o.name', 'A demo organization that has another name is found again.'],
      [
        'id = (SELECT min(id)',
        "name = 'demo' AND id = (SELECT min(id)",
        'A demo channel that has another name is found.',
      ],
      ['AND id = (SELECT min(id) FROM', 'AND id IN (SELECT id FROM', 'A new key is that of one channel.'],
    ],
  ),
];
