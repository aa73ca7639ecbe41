import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPERATION_TEXTS } from '../../../../gateway/openapi/operation-texts.ts';
import { PARAMETER_TEXTS } from '../../../../gateway/openapi/parameter-texts.ts';
import { FIELD_TEXTS } from '../../../../schema/field-texts.ts';
import { DOCUMENT, STREAM_DOCUMENT } from '../../../support/contract/described-api.ts';

/** The reference and AsyncAPI have a text for everything, and the tables of texts have nothing else. */

interface Part extends Readonly<Record<string, unknown>> {
  readonly description?: string;
}

const { components, paths } = DOCUMENT as unknown as {
  readonly components: Record<'schemas' | 'parameters', Record<string, Part>>;
  readonly paths: Record<string, Record<string, Part & { readonly parameters: readonly (Part & { name?: string })[] }>>;
};

function* fieldsOf(model: string, part: unknown): Generator<readonly [model: string, name: string, field: Part]> {
  if (typeof part !== 'object' || part === null) return;
  const { properties = {} } = part as { readonly properties?: Record<string, Part> };
  for (const [name, field] of Object.entries(properties)) yield [model, name, field];
  for (const inner of Object.values(part)) yield* fieldsOf(model, inner);
}

const { schemas: ofStreams } = STREAM_DOCUMENT['components'] as { readonly schemas: Record<string, Part> };

const fields = Object.entries({ ...ofStreams, ...components.schemas }).flatMap(([model, schema]) => [
  ...fieldsOf(model, schema),
]);

test('every field has a text, and every text of the table has a field', () => {
  const silent = fields.filter(([, , { description }]) => !description).map(([model, name]) => `${model}.${name}`);
  assert.deepEqual(silent, [], 'without a text in schema/field-texts.ts');
  const used = new Set(
    fields
      .map(([model, name, { description }]) =>
        [`${model}.${name}`, name].find((key) => FIELD_TEXTS[key] === description),
      )
      .filter((key) => key !== undefined),
  );
  assert.deepEqual(
    Object.keys(FIELD_TEXTS).filter((key) => !used.has(key)),
    [],
  );
});

test('every operation has a text, and every text of the table has an operation', () => {
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  const texts = operations.map(({ operationId, description }) => [operationId as string, description] as const);
  assert.deepEqual(Object.fromEntries(texts), OPERATION_TEXTS);
});

test('every parameter has a text, and every text of the table has a parameter', () => {
  const own = Object.values(paths).flatMap((item) => Object.values(item).flatMap(({ parameters }) => parameters));
  const parameters = [...Object.values(components.parameters), ...own].filter(({ name }) => name !== undefined) as {
    readonly name: string;
    readonly in: string;
    readonly description?: string;
    readonly schema: Part;
  }[];
  const silent = parameters.filter(({ description, schema }) => !(description ?? schema.description));
  assert.deepEqual(
    silent.map(({ name }) => name),
    [],
    'without a text in gateway/openapi/parameter-texts.ts',
  );
  const used = new Set(
    parameters.map((parameter) =>
      [`${parameter.in} ${parameter.name}`, parameter.name].find(
        (key) => PARAMETER_TEXTS[key] === parameter.description,
      ),
    ),
  );
  assert.deepEqual(
    Object.keys(PARAMETER_TEXTS).filter((key) => !used.has(key)),
    [],
  );
});

test('every refusal of the reference that names codes says of each when it comes and what to do', () => {
  let codes = 0;
  const visit = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return;
    const { 'x-code': listed, description } = part as {
      'x-code'?: readonly Record<string, string>[];
      description?: string;
    };
    for (const { code, when, remedy } of listed ?? []) {
      codes++;
      assert.ok(when && remedy && description?.includes(`- \`${code}\`: ${when}. ${remedy}`), code);
    }
    for (const inner of Object.values(part)) visit(inner);
  };
  visit(DOCUMENT);
  assert.ok(codes > 100, `${codes}`);
});

const textOf = (model: string, name: string) =>
  fields.find(([ofModel, ofName]) => ofModel === model && ofName === name)![2].description!;

test('the texts of times and counts say what the code does', () => {
  for (const model of ['AssignmentRequest', 'PlannedOffer'])
    assert.match(textOf(model, 'etaSeconds'), /^Seconds from .* until the service .* begins/);
  assert.match(textOf('EventPage', 'count'), /^Of this page/);
  assert.match(textOf('ReplayWebhookInput', 'to'), /^End; included/);
  assert.match(textOf('PutShiftsInput', 'to'), /^End; excluded/);
  const { parameters } = paths['/api/v1/agents/{id}/shifts']!['get']!;
  const to = parameters.find(({ name }) => name === 'to') as { readonly schema: Part } | undefined;
  assert.match(to!.schema.description!, /before this moment, not at it/);
});

test('a step that accepts an offer may come too late, and the document says so', () => {
  const { responses } = paths['/api/v1/tasks/{id}/status']!['put'] as unknown as { responses: Record<string, Part> };
  assert.match(responses['409']!.description!, /ASSIGNMENT_REQUEST_EXPIRED/);
});

test('the texts say what a webhook that is disabled shows, and the reasons of payments', () => {
  for (const model of ['Webhook', 'WebhookWithSecret']) assert.match(textOf(model, 'isActive'), /asked for.*`status`/);
  for (const reason of ['superseded', 'task_cancelled', 'amount_mismatch', 'refunded_at_provider', 'declined'])
    assert.ok(textOf('Payment', 'failureReason').includes(`\`${reason}\``), reason);
  for (const reason of ['late_payment', 'refunded_at_provider'])
    assert.ok(textOf('Refund', 'reason').includes(`\`${reason}\``), reason);
});
