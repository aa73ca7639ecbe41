import * as v from 'valibot';
import { formatMinor } from '../../engine/domain/money/money.ts';
import { parseTestSession, TEST_PAGES } from '../../engine/providers/test-provider.ts';
import type { Checkout } from '../../engine/store/payments/checkout-store.ts';
import type { TestCheckout } from '../../engine/store/payments/test-checkout-store.ts';
import { html } from '../../engine/views/parts/html.ts';
import { LIMITS } from '../../schema/limits.ts';
import { parseCheckoutLink } from '../../schema/money/checkout-link.ts';
import type { Reply } from '../http/port.ts';
import { buttonLink, leadOn, type Note, screenOf } from '../pages/screen.ts';
import { FORM_MEDIA, lastSegmentOf, type ParsedRequest, type RawRoute, rawRoute } from '../route.ts';
import type { Payments } from './open-payments.ts';

/** Pages for paying customers: the link that a payment has as `checkoutUrl`, and the pages of the test provider. */
export function checkoutRoutes(payments: Payments): RawRoute[] {
  return [followLink(payments), showTestCheckout(payments), endTestCheckout(payments)];
}

const PAGE = {
  place: 'api',
  bare: true,
  textParams: true,
  guard: { kind: 'public' },
  answers: 'text/html',
  refusals: ['404 A page that says so', '503 UNAVAILABLE'],
} as const;

const linkQuery = v.object({ returned: v.optional(v.string()) });

function followLink(payments: Payments): RawRoute {
  return rawRoute({
    ...PAGE,
    method: 'GET',
    path: '/payments/checkout/:link',
    query: { schema: linkQuery, lists: new Set(), ignoresOthers: true },
    summary:
      'For the customer: leads on to the page of the provider, or shows the outcome; `returned` marks a customer ' +
      'who comes back from there',
    leadsOn: { to: "on to the provider's page, while the payment is open", always: false },
    async handle(request, reply, incoming) {
      const link = parseCheckoutLink(lastSegmentOf(incoming.path));
      const checkout = link && (await payments.followLink(link));
      if (!checkout) return show(request, reply, UNKNOWN, 404);
      const isReturned = request.query.returned !== undefined;
      const { status, page } = checkout;
      if (status === 'pending' && page !== null && !isReturned) return leadOn(request, reply, addressOf(page));
      show(request, reply, toldOf(checkout, lastSegmentOf(incoming.path)));
    },
  });
}

function showTestCheckout(payments: Payments): RawRoute {
  return rawRoute({
    ...PAGE,
    method: 'GET',
    path: `${TEST_PAGES}/:session`,
    summary: 'The page of the test provider, where one pays by pressing a button',
    async handle(request, reply, incoming) {
      const key = parseTestSession(lastSegmentOf(incoming.path));
      const checkout = key && (await payments.testCheckouts.find(key));
      if (!checkout) return show(request, reply, UNKNOWN, 404);
      show(request, reply, testPageOf(checkout));
    },
  });
}

function endTestCheckout(payments: Payments): RawRoute {
  return rawRoute({
    ...PAGE,
    method: 'POST',
    path: `${TEST_PAGES}/:session`,
    body: { maxBytes: LIMITS.formBytes, media: FORM_MEDIA },
    summary: 'What the buttons of that page do: `outcome` is `pay` or `decline`; leads back',
    leadsOn: { to: 'back to the checkout', always: true },
    refusals: [...PAGE.refusals, '400 A page that says so'],
    async handle(request, reply, incoming) {
      const key = parseTestSession(lastSegmentOf(incoming.path));
      const outcome = new URLSearchParams(request.body.toString()).get('outcome');
      if (outcome !== 'pay' && outcome !== 'decline') return show(request, reply, UNCLEAR, 400);
      const checkout = key && (await payments.testCheckouts.end(key, outcome === 'pay' ? 'paid' : 'declined'));
      if (!checkout) return show(request, reply, UNKNOWN, 404);
      leadOn(request, reply, wayBack(checkout));
    },
  });
}

const SCREEN = screenOf({ sources: { 'form-action': "'self'" } });

const UNKNOWN: Note = { title: 'Unknown payment', text: 'There is no payment behind this link.' };
const UNCLEAR: Note = { title: 'Nothing was paid', text: 'It was not said whether to pay.' };

function toldOf(checkout: Checkout, link: string): Note {
  return { ...outcomeOf(checkout, link), letterhead: checkout.letterhead };
}

function outcomeOf({ status, page, amountMinor, currency }: Checkout, link: string): Note {
  const amount = `${formatMinor(amountMinor, currency)} ${currency}`;
  const reloadSeconds = LIMITS.checkoutReloadSeconds;
  switch (status) {
    case 'succeeded':
      return { title: 'Paid', text: `Thank you: ${amount} has been paid.` };
    case 'refunded':
      return { title: 'Refunded', text: `${amount} has been given back.` };
    case 'failed':
      return { title: 'Not paid', text: `${amount} was not paid, and can no longer be paid here.` };
    case 'pending':
      if (page === null)
        return { title: 'One moment', text: `The page on which ${amount} is paid is being made.`, reloadSeconds };
      return {
        title: 'Not confirmed yet',
        text: `This page says so as soon as ${amount} has been paid.`,
        reloadSeconds,
        actions: buttonLink(link, 'Back to the payment'),
      };
  }
}

function testPageOf(checkout: TestCheckout): Note {
  const { status, amountMinor, currency, description } = checkout;
  const title = `Test payment of ${formatMinor(amountMinor, currency)} ${currency}`;
  if (status !== 'open')
    return { title, text: `This payment is ${status}.`, actions: buttonLink(wayBack(checkout), 'Back') };
  return { title, text: html`<bdi>${description}</bdi>. No money moves here.`, actions: BUTTONS };
}

const BUTTONS = html`<form method="post" class="buttons"><button name="outcome" value="pay">Pay</button>
<button name="outcome" value="decline" class="second">Decline</button></form>`;

/** A page of ours gets a relative address, from the link beside it: a proxy may have taken off a path before both. */
function addressOf(page: string): string {
  return page.startsWith('/') ? `../test-provider/checkout/${lastSegmentOf(page)}` : page;
}

/** On this host, under the name by which the customer has reached it. */
function wayBack({ returnUrl }: TestCheckout): string {
  const { pathname, search } = new URL(returnUrl);
  return pathname + search;
}

function show(request: ParsedRequest, reply: Reply, note: Note, status = 200): void {
  SCREEN.send(request, reply, { status, page: SCREEN.note(note) });
}
