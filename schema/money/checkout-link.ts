/** Which payment a checkout link is about; only who has the token may follow it. */
export interface CheckoutLink {
  readonly organizationId: number;
  readonly paymentId: number;
  readonly token: string;
}

const LINK = /^([0-9a-z]{1,11})\.([0-9a-z]{1,11})\.([A-Za-z0-9_-]{1,64})$/;

/** Our own link to wherever the provider has the customer pay: below the address of this service, and known before that is. */
export function checkoutPath({ organizationId, paymentId, token }: CheckoutLink): string {
  return `/api/v1/payments/checkout/${organizationId.toString(36)}.${paymentId.toString(36)}.${token}`;
}

/** The last segment of such a link; undefined for what is none. */
export function parseCheckoutLink(text: string): CheckoutLink | undefined {
  const [, organization, payment, token] = LINK.exec(text) ?? [];
  if (token === undefined) return undefined;
  const [organizationId, paymentId] = [Number.parseInt(organization!, 36), Number.parseInt(payment!, 36)];
  const isId = (id: number) => Number.isSafeInteger(id) && id > 0;
  return isId(organizationId) && isId(paymentId) ? { organizationId, paymentId, token } : undefined;
}
