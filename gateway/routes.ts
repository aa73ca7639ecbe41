import type { Engine } from '../engine/org/start-engine.ts';
import type { Clock } from '../engine/runtime/clock.ts';
import { accountPageRoutes } from './accounts/account-page-routes.ts';
import { authRoutes } from './accounts/auth-routes.ts';
import type { Accounts } from './accounts/open-accounts.ts';
import type { Administration } from './administration/open-administration.ts';
import { channelRoutes } from './administration/routes/channel-routes.ts';
import { notificationRoutes } from './administration/routes/notification-routes.ts';
import { organizationRoutes } from './administration/routes/organization-routes.ts';
import { proofRoutes } from './administration/routes/proof-routes.ts';
import { userRoutes } from './administration/routes/user-routes.ts';
import { webhookRoutes } from './administration/routes/webhook-routes.ts';
import { consoleRoutes, type MapGround } from './console-files/console-routes.ts';
import { docsRoutes } from './docs/docs-routes.ts';
import type { Access } from './guards/open-access.ts';
import { auditRoutes } from './operations/audit-routes.ts';
import { clientPackageRoute } from './operations/client-package-route.ts';
import { type Descriptions, descriptionRoutes } from './operations/description-routes.ts';
import { type OperationalState, operationalRoutes } from './operations/operational-routes.ts';
import { trailRoutes } from './operations/trail-routes.ts';
import { checkoutRoutes } from './payments/checkout-routes.ts';
import type { Payments } from './payments/open-payments.ts';
import { paymentCallbackRoutes } from './payments/payment-callback-routes.ts';
import { paymentRoutes } from './payments/payment-routes.ts';
import { walletRoutes } from './payments/wallet-routes.ts';
import type { Preview } from './preview/open-preview.ts';
import { previewRoute } from './preview/preview-route.ts';
import type { Reads } from './reads.ts';
import { ReceiptPrinter } from './receipts/receipt-printer.ts';
import { receiptRoutes } from './receipts/receipt-routes.ts';
import type { Route } from './route.ts';
import { actionRoute } from './routes/action-route.ts';
import { agentRoutes } from './routes/agent-routes.ts';
import { assignmentRequestRoutes } from './routes/assignment-request-routes.ts';
import { assignmentRoutes } from './routes/assignment-routes.ts';
import { batchRoute } from './routes/batch-route.ts';
import { customerRoutes } from './routes/customer-routes.ts';
import { eventRoutes } from './routes/event-routes.ts';
import { exceptionRoutes } from './routes/exception-routes.ts';
import { locationRoutes } from './routes/location-routes.ts';
import { packageRoutes } from './routes/package-routes.ts';
import { ratingRoutes } from './routes/rating-routes.ts';
import { taskListRoutes } from './routes/task-list-routes.ts';
import { taskRoutes } from './routes/task-routes.ts';
import { warehouseRoutes } from './routes/warehouse-routes.ts';
import type { LastingReplies } from './sse/lasting-replies.ts';
import type { StreamHub } from './sse/stream-hub.ts';
import { streamRoutes } from './sse/stream-routes.ts';
import type { Tracking } from './tracking/open-tracking.ts';
import { trackingPageRoutes } from './tracking/tracking-page-routes.ts';
import { trackingRoutes } from './tracking/tracking-routes.ts';
import type { TrackingStreams } from './tracking/tracking-streams.ts';

export interface RouteParts {
  readonly engine: Engine;
  readonly reads: Reads;
  readonly clock: Clock;
  readonly replies: LastingReplies;
  readonly hub: StreamHub;
  readonly access: Pick<Access, 'streamTokens'>;
  readonly accounts: Accounts;
  readonly administration: Administration;
  readonly preview: Preview;
  readonly payments: Payments;
  readonly tracking: Tracking;
  readonly trackingStreams: TrackingStreams;
  readonly operational: OperationalState;
  readonly descriptions: Descriptions;
  /** See publicUrlOf. */
  readonly publicUrl: () => string;
  readonly mapGround: MapGround;
}

/** The route table: every path that the gateway serves. The OpenAPI document is made from it. */
export function createRoutes(parts: RouteParts): Route[] {
  const { engine, reads, clock, replies, hub, access, accounts, administration, preview, payments } = parts;
  const { tracking, trackingStreams, operational, descriptions, publicUrl, mapGround } = parts;
  return [
    ...taskRoutes(engine, reads, clock),
    batchRoute(engine, clock),
    actionRoute(engine, clock),
    ...packageRoutes(engine, reads),
    ...ratingRoutes(engine, reads),
    ...taskListRoutes(engine, replies),
    ...proofRoutes(administration),
    ...receiptRoutes(new ReceiptPrinter(engine, reads)),
    ...customerRoutes(engine, reads),
    ...warehouseRoutes(engine, reads),
    ...agentRoutes(engine, reads, administration),
    ...assignmentRoutes(engine),
    ...exceptionRoutes(engine, clock),
    ...assignmentRequestRoutes(engine, reads),
    previewRoute(preview),
    ...paymentRoutes(engine, reads, payments.provider),
    ...paymentCallbackRoutes(payments),
    ...checkoutRoutes(payments),
    ...walletRoutes(engine, reads),
    ...trackingRoutes(tracking),
    ...trackingPageRoutes(tracking, trackingStreams),
    ...locationRoutes(engine),
    ...eventRoutes(engine),
    ...streamRoutes(hub, access.streamTokens),
    ...authRoutes(accounts, reads, engine.history),
    ...accountPageRoutes(accounts),
    ...userRoutes(administration, publicUrl),
    ...channelRoutes(administration),
    ...organizationRoutes(administration),
    ...auditRoutes(administration),
    ...trailRoutes(administration),
    ...webhookRoutes(administration),
    ...notificationRoutes(administration),
    ...consoleRoutes(mapGround),
    ...docsRoutes(descriptions.reference),
    ...operationalRoutes(operational),
    ...descriptionRoutes(descriptions),
    clientPackageRoute(),
  ];
}
