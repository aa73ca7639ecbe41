import type { SecretBox } from '../../runtime/secret-box.ts';

/** A secret as its row has it: sealed, or in clear until the workers of the first release that seals come to it. */
export interface StoredSecret {
  readonly clear: string | null;
  readonly sealed: string | null;
}

/** The records that secrets are bound to. */
export const VAPID_PLACE = 'web pushes';
export const INTERNAL_PLACE = 'internal commands';

export function webhookPlace(organizationId: number, webhookId: number): string {
  return `webhook ${webhookId} of organization ${organizationId}`;
}

/** Throws UnreadableSecretError. */
export function openStored(box: SecretBox, { clear, sealed }: StoredSecret, place: string): string {
  return sealed === null ? clear! : box.open(sealed, place);
}
