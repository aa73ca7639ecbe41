import * as v from 'valibot';
import { named } from '../fields/named.ts';
import { actorView, shownId, shownInteger, shownTime } from '../fields/shown-fields.ts';
import { LIMITS } from '../limits.ts';

export const PROOF_KINDS = named('ProofKind', ['photo', 'signature', 'pin'] as const);
export type ProofKind = (typeof PROOF_KINDS)[number];

/** An image as it came: `base64` is exactly what its bytes encode to. */
export interface ProofImage {
  readonly contentType: ImageType;
  readonly base64: string;
  readonly bytes: number;
}

export const PROOF_MEDIA = ['image/jpeg', 'image/png', 'image/webp'] as const;
type ImageType = (typeof PROOF_MEDIA)[number];

/** By which bytes a file of each type begins; of WebP those after its length. */
const BEGINNINGS: Readonly<Record<ImageType, readonly [offset: number, hex: string][]>> = {
  'image/jpeg': [[0, 'ffd8ff']],
  'image/png': [[0, '89504e470d0a1a0a']],
  'image/webp': [
    [0, '52494646'],
    [8, '57454250'],
  ],
};

const DATA_URL = /^data:(image\/[a-z]+);base64,/;

function parseImage(dataUrl: string): ProofImage | undefined {
  const [beginning = '', named = ''] = DATA_URL.exec(dataUrl) ?? [];
  const contentType = PROOF_MEDIA.find((type) => type === named);
  if (!contentType) return undefined;
  const base64 = dataUrl.slice(beginning.length);
  const content = Buffer.from(base64, 'base64');
  const isWhatItSays = BEGINNINGS[contentType].every(
    ([offset, hex]) => content.subarray(offset, offset + hex.length / 2).toString('hex') === hex,
  );
  return isWhatItSays && content.toString('base64') === base64
    ? { contentType, base64, bytes: content.length }
    : undefined;
}

const image = v.pipe(
  v.string('must be a string'),
  v.maxLength(LIMITS.proofChars, `must be at most ${LIMITS.proofChars} characters`),
  v.rawTransform<string, ProofImage>(({ dataset, addIssue, NEVER }) => {
    const parsed = parseImage(dataset.value);
    if (parsed) return parsed;
    addIssue({ message: `must be a data URL in base64 with an image of ${PROOF_MEDIA.join(', ')}` });
    return NEVER;
  }),
);

/** The body of POST /tasks/:id/proof: one proof. Images are data URLs. */
export const proofInput = v.pipe(
  named(
    'AddProofInput',
    v.object(
      {
        photo: v.nullish(image),
        signature: v.nullish(image),
        pin: v.nullish(v.pipe(v.string('must be a string'), v.regex(/^\d{4}$/, 'must be 4 digits'))),
      },
      'the body must be an object',
    ),
  ),
  v.rawCheck(({ dataset, addIssue }) => {
    const given = PROOF_KINDS.filter((kind) => (dataset.value as Record<string, unknown> | undefined)?.[kind] != null);
    if (given.length !== 1) addIssue({ message: 'exactly one of photo, signature and pin must be given' });
  }),
);
export type ProofInput = v.InferOutput<typeof proofInput>;

/** A row of `task_proofs` without the file. */
export interface ProofRecord {
  readonly organizationId: number;
  readonly taskId: number;
  readonly id: number;
  readonly kind: ProofKind;
  /** The type of the file; a PIN has no file. */
  readonly contentType: string | null;
  readonly bytes: number | null;
  /** The sender of the proof. */
  readonly actorType: string;
  readonly actorId: number | null;
  readonly createdAt: string;
}

/** `fileUrl`: the address of the file, for readers of the task. */
export const proofView = named(
  'Proof',
  v.object({
    id: shownId,
    taskId: shownId,
    kind: v.picklist(PROOF_KINDS),
    contentType: v.nullable(v.string()),
    bytes: v.nullable(v.number()),
    fileUrl: v.nullable(v.string()),
    actor: actorView,
    createdAt: shownTime,
  }),
);
export type ProofView = v.InferOutput<typeof proofView>;

export const proofListView = named('ProofList', v.object({ items: v.array(proofView), count: shownInteger }));
