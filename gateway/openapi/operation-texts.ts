/** When to use each operation and what to know about it, by its name. Its summary says what it does. */
export const OPERATION_TEXTS: Readonly<Record<string, string>> = {
  createTask:
    'Use it for each order as it comes in. The answer leaves once the task is durable. With `autoAssign` the search for an agent begins by itself. Send an Idempotency-Key, so that a retry cannot make a second task.',
  createTasks:
    'Use it to bring in many orders at once. The whole batch is one commit. Without `atomic` the answer is 200 even when items fail: look at `status` and `error` of each.',
  listTasks:
    'Use it to find tasks, and to fill a screen before its stream is opened at `metadata.position`. Filters combine. `cursor` stays right while tasks are added; `page` lets people jump.',
  exportTasks:
    'Use it to copy many tasks, for reports or a warehouse of data. All lines are of one moment, which the header X-Log-Position names: a stream from there goes on without a gap.',
  getTask: 'Use it when one task is shown or checked. Its ETag makes a repeated read cheap and a change safe.',
  updateTask:
    'Use it while nobody has the task yet. For a task that a courier has, use POST /tasks/:id/amend. If-Match keeps two callers from overwriting each other.',
  changeTaskStatus:
    "Use it for the steps of a delivery: accepted, in_transit, completed, and for cancelling. A driver's app that was offline sends `occurredAt`. A failed delivery is `completed` with `outcome: failed` and a reason.",
  pickUpTask: 'Use it when the courier leaves the pickup place with the goods. The status of the task stays as it is.',
  scanPackage:
    'Use it for each barcode that the courier scans at the door. Where barcodes are required, every package has to be scanned before the task succeeds.',
  getTaskHistory:
    'Use it to answer who did what and when, and why a search found nobody. It is kept longer than the event log.',
  runTaskActions:
    'Use it where a dispatcher acts on a selection. Each item is decided like its single call, and the whole action is one commit.',
  amendTask:
    'Use it when an address, a time or a contact was wrong and the courier may be on the way already. The courier hears of it on its stream and by push.',
  reassignTask:
    'Use it when a courier breaks down or is late. `fromAgentId` and `fromStatus` make it safe against somebody who was faster. `keepStatus` is for goods that changed hands.',
  reattemptTask:
    'Use it after a failed delivery. The new task has the same order and other times, and names the failed one. With `returnToPickup` it brings the packages back.',
  listRatings: 'Use it for the quality of service: each rating names the agent that had the task at its end.',
  addPackage: 'Use it for a package that was forgotten, while nobody has the task yet.',
  listTaskPackages: 'Use it for packing lists and labels. Packages that were removed from the task are not in it.',
  findPackages:
    'Use it when somebody scans a parcel and asks where it belongs: it finds packages of any task, or of none.',
  changePackageStatus:
    'Use it where parcels are tracked one by one. A task that succeeds delivers its open packages by itself.',
  addProof:
    'Use it at the door, before the task is completed. A driver who was offline sends proofs first and the completion after them.',
  listProofs: 'Use it to see what proves a delivery. It has no files: each item names the path of its own.',
  getProofFile: 'Use it to show a photo or a signature. It needs the same credential as any other read.',
  printReceipt: 'Use it for the slip that goes along with the goods. It is one page of HTML without a script.',
  printReceipts: 'Use it to print the slips of a round. One unknown id refuses the whole document.',
  createCustomer:
    'Use it to keep customers before their first order. A task with an inline `customer` finds or makes its customer by itself.',
  listCustomers: 'Use it to find a customer by a part of the name, or by the phone number that calls.',
  getCustomer: 'Use it for the page of a customer: it counts the tasks by their outcome.',
  updateCustomer: 'Use it when a customer has moved or has another number. Tasks keep the place that they were given.',
  createWarehouse: 'Use it once for each place where goods are fetched. Tasks then name it by `pickupWarehouseId`.',
  listWarehouses: 'Use it to choose a pickup place.',
  getWarehouse: 'Use it when one warehouse is shown or changed.',
  updateWarehouse: 'Use it to move, rename or close a warehouse. A new task cannot name one that is inactive.',
  createAgent: 'Use it for each new courier. Without a password the courier gets a mail to choose one.',
  listAgents: 'Use it to see who works, who is on duty, and whom a task can be given to.',
  getAgent: "Use it when one agent is shown. A driver's app reads its own agent as `me`.",
  updateAgent: 'Use it for another vehicle, another phone, or to end the access of a courier who has left.',
  changeDuty:
    "Use it in the driver's app at the begin and the end of work. An agent off duty is offered nothing and keeps the tasks that it has.",
  setShifts:
    'Use it to write the plan of a day or a week. It replaces the shifts that start in the range, so the same plan may be sent again.',
  listShifts: 'Use it to show the plan of an agent.',
  listAgentTasks: "Use it in the driver's app for the list of the day. It has the filters of GET /tasks.",
  getAgentSchedule: 'Use it to see when an agent is free before a scheduled task is given to it by hand.',
  getAgentCash: 'Use it when a courier hands over the cash of the day.',
  assignTask: 'Use it to choose the agent by hand, also from a planner of your own. The agent still has to accept.',
  unassignTask: 'Use it when the agent should not have the task any more. It waits for another one then.',
  autoAssignTask:
    'Use it to let the planner choose, for a task that was created without `autoAssign` or whose search failed.',
  listAssignmentRequests: "Use it in the driver's app for open offers, and in a console to see who turned down what.",
  getAssignmentRequest: 'Use it when one offer is shown, with its distance and the time at which it expires.',
  acceptAssignmentRequest:
    'Use it when the courier takes an offer. 409 ASSIGNMENT_ALREADY_TAKEN says that somebody else was first.',
  rejectAssignmentRequest: 'Use it when the courier turns an offer down.',
  previewDispatch:
    'Use it to see what the planner would do, and how late each stop would be, before a search is started or a setting changed.',
  initializePayment:
    'Use it to send the customer to the page of the provider. The outcome comes as payment.succeeded or payment.failed.',
  recordCashPayment:
    "Use it when the customer pays at the door. The cash counts as the collector's until it is handed over.",
  payFromWallet: 'Use it for customers who have paid in before. A wallet never goes below zero.',
  listPayments: 'Use it for the books of a day, by task, customer or agent.',
  getPayment: 'Use it when one payment is shown.',
  refundPayment: 'Use it after a complaint. A refund is always the whole amount, and there is one.',
  listPaymentAuditLogs: 'Use it to answer who changed a payment and when.',
  receiveStripeCallback: 'For Stripe alone, which signs each report. Nothing else has to call it.',
  receiveTestCallback: 'For the test provider alone, which stands in for a real one where none is set up.',
  showCheckout: 'The address that a payment has as `checkoutUrl`. Send it to the customer, or open it for them.',
  showTestCheckout: 'For tries without a real provider: nobody is charged.',
  submitTestCheckout: 'For the page of the test provider alone.',
  getWallet: 'Use it before a payment from the wallet.',
  getWalletStatement: 'Use it to show a customer where the money went.',
  topUpWallet: 'Use it when a customer has paid in at a desk or by transfer.',
  listTrackedTasks:
    'Use it in your own tracking page in place of ours. The token is the end of the `trackingUrl` of a task, and needs no other credential.',
  getTrackedTask: 'Use it for one part of a job that the link covers.',
  getTrackedLocation: 'Use it for the dot on the map. There is one only while the task is on its way.',
  rateTask: 'Use it in your own tracking page, once the task is completed.',
  showTrackingPage: 'The page that a customer gets by mail or message. It needs no script.',
  watchTrackingPage: 'For the tracking page alone, which replaces its parts with what comes.',
  rateOnTrackingPage: 'For the form of the tracking page alone.',
  sendOwnLocations:
    "Use it in the driver's app every few seconds, with the points since the last call, also those from before a dead spot. They are answered from memory and not durable.",
  sendLocations: 'Use it where devices report to a system of yours. The channel needs `locationsWrite`.',
  sendHeartbeat: "Use it in the driver's app while the courier stands still, at least every five minutes.",
  listCurrentLocations: 'Use it to draw the map once; then follow agent.locations_updated on the stream.',
  listEvents:
    'Use it to read what happened in pages, in order and without gaps, for example once a night. For changes as they happen use a stream or a webhook.',
  watchOrganization:
    'Use it for a console that shows every change as it happens. The messages are described in /asyncapi.json. After a break go on with Last-Event-ID: nothing is lost and nothing comes twice.',
  watchOwn:
    "Use it in a driver's app, which hears of its own tasks and offers alone. The messages are described in /asyncapi.json.",
  createStreamToken:
    'Use it where EventSource opens the stream, because it cannot send a header. The token works once, within a minute.',
  login: 'Use it for people. Programs on a server use the key of a channel.',
  refreshSession:
    'Use it shortly before the access token ends, after 15 minutes. An answer that was lost can be asked for again within a minute.',
  logout: 'Use it when somebody leaves a device. Streams of the session end within a second.',
  getCaller: 'Use it after the start of an app, to show who is signed in and to hide what the caller may not do.',
  verifyEmail: 'For a page of your own in place of /account/verify. The token is in the link of the mail.',
  resendVerification: 'Use it when the mail did not arrive or its link is older than a day.',
  requestPasswordReset:
    'Use it behind a link such as “forgot password”. It does not show whether an address has an account.',
  completePasswordReset: 'For a page of your own in place of /account/reset. The token is in the link of the mail.',
  showVerifyPage: 'Where the link of the first mail leads. A mail program that opens it changes nothing.',
  submitVerifyPage: 'For the forms of that page alone.',
  showResetPage: 'Where the link of a mail for a new password leads. A mail program that opens it changes nothing.',
  submitResetPage: 'For the forms of that page alone.',
  showWelcomePage: 'Where an invitation leads. A chat program that opens it changes nothing.',
  submitWelcomePage: 'For the forms of that page alone.',
  createUser: 'Use it for dispatchers and administrators. Couriers are created as agents.',
  listUsers: 'Use it to see who has access.',
  getUser: 'Use it when one user is shown or changed.',
  updateUser: 'Use it for another role, or to end the access of somebody: sessions end at once.',
  inviteUser: 'Use it where a mail does not reach people: hand the link over in a chat, or let them scan the code.',
  createChannel: 'Use it once for each system that sends orders, so that each can be limited and switched off alone.',
  listChannels: 'Use it to see which systems have a key. Keys are not shown again.',
  updateChannel: 'Use it to rename a channel, to limit it, or to switch it off: its key is refused at once.',
  getChannel: 'Use it when one channel is shown or changed.',
  regenerateChannelKey: 'Use it when a key may be known to others. Put the new key in place at once.',
  createOrganization: 'Use it for each new tenant. Its first administrator is created by POST /users.',
  listOrganizations: 'Use it to look after the tenants of an installation.',
  getOrganization: 'Use it to read the settings of the own organization, such as those of assignment.',
  updateOrganization: 'Use it to change how agents are found, what a delivery needs, or how customers reach you.',
  deleteOrganization: 'Use it when a tenant leaves for good. Nothing brings the records back.',
  listAuditLogs: 'Use it to answer who changed what, with the record before and after.',
  getAgentTrail: 'Use it to see the way that an agent took, up to 30 days back.',
  createWebhook:
    'Use it to receive events at an address of yours. Keep the secret: it is shown once and proves that a request is ours.',
  listWebhooks: 'Use it to see which addresses receive events, and which of them fail.',
  updateWebhook:
    'Use it to narrow a webhook, to give it another address, or to enable it again after its endpoint was repaired.',
  getWebhook: 'Use it to see how a webhook does: whether it is in use and since when it fails.',
  deleteWebhook: 'Use it for an address that will not come back. Switch a webhook off instead to keep its deliveries.',
  rotateWebhookSecret: 'Use it when the secret may be known to others. For a day both sign, so no delivery is refused.',
  testWebhook: 'Use it to try an endpoint before real events come.',
  redeliverDelivery: 'Use it for one event that the endpoint lost.',
  replayWebhook: 'Use it after an outage of the endpoint. Events keep their ids, so drop what you have seen.',
  listDeliveries: 'Use it to find out why an event did not arrive.',
  getDelivery: 'Use it to see one delivery with each attempt and what the endpoint answered.',
  registerDevice: 'Use it after each sign-in, and whenever the device gets another token.',
  forgetDevice: 'Use it when the courier switches pushes off on this device.',
  getWebPushKey: 'Use it in a browser before `pushManager.subscribe`.',
  getNotificationSettings: 'Use it to show which mails customers get.',
  updateNotificationSettings:
    'Use it to switch mails on and to write them in your own words. It replaces all settings.',
  listNotifications: 'Use it to answer whether a push or a mail went out, for 30 days.',
  showConsole: 'Open it in a browser.',
  showConsoleRoot: 'Open it in a browser.',
  showConsoleView: 'Open it in a browser: attention, board, couriers or settings.',
  showConsoleViewRoot: 'Open it in a browser: attention, board, couriers or settings.',
  showConsoleRecord: 'Open it in a browser. It can be sent to a colleague.',
  getConsoleFile: 'For the page of the console alone.',
  getMapFile: 'For the map of the console alone, which reads the parts that it shows. One answer has 16 MiB at most.',
  showHome: 'Open it in a browser to find everything else.',
  getIcon: 'For browsers alone.',
  showReference: 'Open it in a browser to read about every call and to try it with a key of yours.',
  getDocsFile: 'Open it in a browser. `/docs/openapi.json` is the document that the reference shows.',
  showGuide: 'Open it in a browser.',
  getHealth: 'For the program that restarts a process that hangs. It does not look at the stores.',
  getReadiness: 'For the load balancer: send requests here only while it answers 200.',
  getMetrics: 'For the scraper of Prometheus.',
  getOpenApi: 'For generators of clients. It has no long texts; `/docs/openapi.json` has them.',
  getAsyncApi: 'For generators of programs that listen to streams or receive webhooks.',
  getClient: 'Give its address to `npm install`, so that the client and the server are of one release.',
};
