import { isoTime } from '../../engine/runtime/clock.ts';
import { newSigningSecret } from '../../engine/runtime/secrets.ts';
import type { AuditNote } from '../../engine/store/accounts/change-notes.ts';
import type { Fragment, Sql } from '../../engine/store/postgres.ts';
import { webhookPlace } from '../../engine/store/secrets/stored-secret.ts';
import { DISABLED, SWITCHED_OFF } from '../../engine/store/webhooks/ended-deliveries.ts';
import {
  deleteBelongings,
  deleteWebhook,
  drawWebhookId,
  endBelongings,
  findMissingChannel,
  insertWebhook,
  moveBelongings,
  readWebhook,
  replaceSecret,
  updateWebhook,
} from '../../engine/store/webhooks/webhook-store.ts';
import { matchesEtag } from '../../engine/views/parts/etag.ts';
import { encodeWebhook, encodeWebhookWithSecret } from '../../engine/views/webhook-view.ts';
import { isLimitedToOwn } from '../../schema/accounts/permissions.ts';
import type { Caller } from '../../schema/commands.ts';
import { notFound, type Refusal, refusal } from '../../schema/errors.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { CreateWebhookInput, UpdateWebhookInput, Webhook } from '../../schema/notices/webhook.ts';
import type { ById, Identity, ParsedRequest, RouteAnswer } from '../route.ts';
import { administer, type Plan } from './administer.ts';
import type { Administration } from './open-administration.ts';

/** The channel to whose webhooks a caller is limited; null for those who have all of the organization's. */
export function ownChannelOf({ role, caller }: Identity): number | null {
  return isLimitedToOwn(role, 'webhooks') ? caller.channelId : null;
}

/** Makes a webhook, of the caller's channel unless an administrator makes it; the answer alone tells its secret. */
export async function createWebhook(
  administration: Administration,
  request: ParsedRequest<unknown, unknown, CreateWebhookInput>,
): Promise<RouteAnswer> {
  const { sql } = administration;
  const { organizationId, caller } = request.identity;
  const { url, events, statuses, channelIds, description, concurrency } = request.body;
  // Before its turn to write: name servers take their time.
  const complaint = await refusalOfUrl(administration, organizationId, url);
  return administerAndAnnounce(administration, request, async (now) => {
    if (complaint) return { refusal: complaint };
    const fields = {
      organizationId,
      channelId: ownChannelOf(request.identity),
      url,
      events,
      statuses: statuses ?? null,
      channelIds: channelIds ?? null,
      description: description ?? null,
      concurrency: concurrency ?? 1,
    };
    const refused = await refusalOfChannels(sql, fields);
    if (refused) return { refusal: refused };
    const webhook: Webhook = {
      ...{ ...fields, id: await drawWebhookId(sql), version: 1, createdAt: now, updatedAt: now },
      ...{ isActive: true, status: 'active', disabledReason: null, disabledAt: null, failingSince: null },
    };
    const secret = newSigningSecret();
    return {
      answer: { status: 201, message: 'Webhook created', data: encodeWebhookWithSecret(webhook, secret) },
      write: {
        change: insertWebhook(sql, webhook, sealed(administration, webhook, secret)),
        notes: [webhookNote(caller, 'webhook.created', undefined, webhook)],
        elseRefusal: refusal('WEBHOOK_LIMIT_REACHED'),
        revokes: false,
      },
    };
  });
}

/**
 * Changes a webhook. An inactive one that is switched on starts afresh, at the present end of the log. One with another
 * address has the health of a new one.
 */
export async function changeWebhook(
  administration: Administration,
  request: ParsedRequest<ById, unknown, UpdateWebhookInput>,
): Promise<RouteAnswer> {
  const { sql } = administration;
  const { organizationId, caller } = request.identity;
  const input = request.body;
  const complaint = input.url == null ? undefined : await refusalOfUrl(administration, organizationId, input.url);
  const plan: PlanForOne = async (before, now) => {
    const refused = await refusalOfChannels(sql, { ...before, channelIds: input.channelIds ?? null });
    if (refused) return { refusal: refused };
    if (request.ifMatch && !matchesEtag(request.ifMatch, encodeWebhook(before)))
      return { refusal: refusal('PRECONDITION_FAILED') };
    const after = changedWebhook(before, input);
    const message = 'Webhook updated';
    if (encodeWebhook(after) === encodeWebhook(before))
      return { answer: { status: 200, message, data: encodeWebhook(before) } };
    const written = { ...after, version: before.version + 1, updatedAt: now };
    const startsAfresh = after.status === 'active' && before.status !== 'active';
    return {
      answer: { status: 200, message, data: encodeWebhook(written) },
      write: {
        change: updateWebhook(sql, written, startsAfresh),
        also: consequencesOf(sql, before, written),
        notes: [webhookNote(caller, 'webhook.updated', before, written)],
        revokes: false,
      },
    };
  };
  return administerOne(administration, request, plan, complaint);
}

/** The consequences of a change for what waits to be sent, and for how the endpoint fares. */
function consequencesOf(sql: Sql, before: Webhook, after: Webhook): readonly Fragment[] {
  if (after.status !== before.status)
    return endBelongings(sql, after, before.status === 'disabled' ? DISABLED : SWITCHED_OFF);
  return isMoved(before, after) ? moveBelongings(sql, after) : [];
}

/** Its address alone decides where an attempt goes. A disabled webhook stays disabled. */
function isMoved(before: Webhook, after: Webhook): boolean {
  return after.status === 'active' && new URL(after.url).href !== new URL(before.url).href;
}

/** Gives a webhook another secret; the one it had signs along for a day, unless it was only just made. */
export function rotateSecret(administration: Administration, request: ParsedRequest<ById>): Promise<RouteAnswer> {
  return administerOne(administration, request, async (before, now) => {
    const secret = newSigningSecret();
    const previousUntil = isoTime(Date.parse(now) + LIMITS.previousSecretMs);
    const repeatedFrom = isoTime(Date.parse(previousUntil) - LIMITS.rotationRepeatedMs);
    const after = { ...before, version: before.version + 1, updatedAt: now };
    return {
      answer: { status: 200, message: 'Secret rotated', data: encodeWebhookWithSecret(after, secret) },
      write: {
        change: replaceSecret(administration.sql, after, {
          sealedSecret: sealed(administration, after, secret),
          previousUntil,
          repeatedFrom,
        }),
        notes: [webhookNote(request.identity.caller, 'webhook.secret_rotated', before, after)],
        revokes: false,
      },
    };
  });
}

/** Deletes a webhook with all that waits to be sent to it. */
export function removeWebhook(administration: Administration, request: ParsedRequest<ById>): Promise<RouteAnswer> {
  const { sql } = administration;
  return administerOne(administration, request, async (before) => ({
    answer: { status: 200, message: 'Webhook deleted', data: '{}' },
    write: {
      change: deleteWebhook(sql, before),
      also: deleteBelongings(sql, before),
      notes: [webhookNote(request.identity.caller, 'webhook.deleted', before, undefined)],
      revokes: false,
    },
  }));
}

type PlanForOne = (webhook: Webhook, now: string) => ReturnType<Plan>;

/** Runs a plan on the webhook of the path, which this caller may not have. The complaint comes first. */
export function administerOne(
  administration: Administration,
  request: ParsedRequest<ById>,
  plan: PlanForOne,
  complaint?: Refusal,
): Promise<RouteAnswer> {
  const { organizationId } = request.identity;
  const webhookId = request.params.id;
  return administerAndAnnounce(administration, request, async (now) => {
    if (complaint) return { refusal: complaint };
    const found = await readWebhook(administration.sql, organizationId, ownChannelOf(request.identity), webhookId);
    return found ? plan(found.webhook, now) : { refusal: notFound('Webhook', webhookId) };
  });
}

/** See administer. The workers hear at once of what was changed or ordered, within a second where no webhook was on. */
export async function administerAndAnnounce(
  administration: Administration,
  request: ParsedRequest<unknown>,
  plan: Plan,
): Promise<RouteAnswer> {
  const { organizationId } = request.identity;
  const answer = await administer(administration, { ...request, organizationId }, plan);
  if (!('refusal' in answer)) administration.announce(organizationId);
  return answer;
}

/** A secret as it is stored. */
function sealed({ secretBox }: Administration, { organizationId, id }: Webhook, secret: string): string {
  return secretBox.seal(secret, webhookPlace(organizationId, id));
}

async function refusalOfUrl(
  { checkUrl }: Administration,
  organizationId: number,
  url: string,
): Promise<Refusal | undefined> {
  const complaint = await checkUrl(organizationId, url);
  return complaint === undefined ? undefined : violation(`url ${complaint}`);
}

/** A webhook of a channel gets the events of that channel, and can name no other. */
async function refusalOfChannels(
  sql: Sql,
  { organizationId, channelId, channelIds }: Pick<Webhook, 'organizationId' | 'channelId' | 'channelIds'>,
): Promise<Refusal | undefined> {
  if (channelIds === null) return undefined;
  if (channelId !== null && channelIds.some((id) => id !== channelId))
    return violation('channelIds must hold no channel but the one that the webhook belongs to');
  const missing = await findMissingChannel(sql, organizationId, channelIds);
  return missing === undefined ? undefined : notFound('Channel', missing);
}

function violation(sentence: string): Refusal {
  return refusal('VALIDATION_FAILED', undefined, { violations: [sentence] });
}

function changedWebhook(before: Webhook, input: UpdateWebhookInput): Webhook {
  const { url, events, statuses, channelIds, description, concurrency, isActive } = input;
  const after = {
    ...before,
    url: url ?? before.url,
    events: events ?? before.events,
    statuses: statuses === undefined ? before.statuses : statuses,
    channelIds: channelIds === undefined ? before.channelIds : channelIds,
    description: description === undefined ? before.description : description,
    concurrency: concurrency ?? before.concurrency,
    ...switched(before, isActive ?? undefined),
  };
  return isMoved(before, after) ? { ...after, failingSince: null } : after;
}

function switched({ status }: Webhook, isActive: boolean | undefined): Partial<Webhook> {
  if (isActive === false) return { isActive, status: 'inactive' };
  if (isActive === undefined || status === 'active') return {};
  return { isActive, status: 'active', disabledReason: null, disabledAt: null, failingSince: null };
}

function webhookNote(
  caller: Caller,
  action: string,
  before: Webhook | undefined,
  after: Webhook | undefined,
): AuditNote {
  const { organizationId, id } = (after ?? before)!;
  return {
    organizationId,
    action,
    recordType: 'webhook',
    recordId: id,
    caller,
    before: before ? encodeWebhook(before) : null,
    after: after ? encodeWebhook(after) : null,
  };
}
