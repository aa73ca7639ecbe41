import type { Engine } from '../engine/org/start-engine.ts';
import type { Clock } from '../engine/runtime/clock.ts';
import type { Accounts } from './accounts/open-accounts.ts';
import type { Administration } from './administration/open-administration.ts';
import type { Access } from './guards/open-access.ts';
import type { Payments } from './payments/open-payments.ts';
import type { Preview } from './preview/open-preview.ts';
import { ReceiptPrinter } from './receipts/receipt-printer.ts';
import type { Route } from './route.ts';
import { agentRoutes } from './routes/agent-routes.ts';
import { assignmentRequestRoutes } from './routes/assignment-request-routes.ts';
import { assignmentRoutes } from './routes/assignment-routes.ts';
import { auditRoutes } from './routes/audit-routes.ts';
import { authRoutes } from './routes/auth-routes.ts';
import { batchRoute } from './routes/batch-route.ts';
import { channelRoutes } from './routes/channel-routes.ts';
import { checkoutRoutes } from './routes/checkout-routes.ts';
import { customerRoutes } from './routes/customer-routes.ts';
import { eventRoutes } from './routes/event-routes.ts';
import { locationRoutes } from './routes/location-routes.ts';
import { notificationRoutes } from './routes/notification-routes.ts';
import { type OperationalState, operationalRoutes } from './routes/operational-routes.ts';
import { organizationRoutes } from './routes/organization-routes.ts';
import { packageRoutes } from './routes/package-routes.ts';
import { paymentCallbackRoutes } from './routes/payment-callback-routes.ts';
import { paymentRoutes } from './routes/payment-routes.ts';
import { previewRoute } from './routes/preview-route.ts';
import { proofRoutes } from './routes/proof-routes.ts';
import { receiptRoutes } from './routes/receipt-routes.ts';
import { streamRoutes } from './routes/stream-routes.ts';
import { taskListRoutes } from './routes/task-list-routes.ts';
import { taskRoutes } from './routes/task-routes.ts';
import { trackingPageRoutes } from './routes/tracking-page-routes.ts';
import { trackingRoutes } from './routes/tracking-routes.ts';
import { trailRoutes } from './routes/trail-routes.ts';
import { userRoutes } from './routes/user-routes.ts';
import { walletRoutes } from './routes/wallet-routes.ts';
import { warehouseRoutes } from './routes/warehouse-routes.ts';
import { webhookRoutes } from './routes/webhook-routes.ts';
import type { LastingReplies } from './sse/lasting-replies.ts';
import type { StreamHub } from './sse/stream-hub.ts';
import type { Tracking } from './tracking/open-tracking.ts';
import type { TrackingStreams } from './tracking/tracking-streams.ts';

export interface RouteParts {
  readonly engine: Engine;
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
}

/** The route table: every path that the gateway answers, from which the OpenAPI document is made, too. */
export function createRoutes(parts: RouteParts): Route[] {
  const { engine, clock, replies, hub, access, accounts, administration, preview, payments } = parts;
  const { tracking, trackingStreams, operational } = parts;
  return [
    ...taskRoutes(engine, clock),
    batchRoute(engine, clock),
    ...packageRoutes(engine),
    ...taskListRoutes(engine, replies),
    ...proofRoutes(administration),
    ...receiptRoutes(new ReceiptPrinter(engine, administration)),
    ...customerRoutes(engine),
    ...warehouseRoutes(engine),
    ...agentRoutes(engine, administration),
    ...assignmentRoutes(engine),
    ...assignmentRequestRoutes(engine),
    previewRoute(preview),
    ...paymentRoutes(engine, payments.provider),
    ...paymentCallbackRoutes(payments),
    ...checkoutRoutes(payments),
    ...walletRoutes(engine),
    ...trackingRoutes(tracking),
    ...trackingPageRoutes(tracking, trackingStreams),
    ...locationRoutes(engine),
    ...eventRoutes(engine),
    ...streamRoutes(hub, access.streamTokens),
    ...authRoutes(accounts),
    ...userRoutes(administration),
    ...channelRoutes(administration),
    ...organizationRoutes(administration),
    ...auditRoutes(administration),
    ...trailRoutes(administration),
    ...webhookRoutes(administration),
    ...notificationRoutes(administration),
    ...operationalRoutes(operational),
  ];
}
