import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as v from 'valibot';
import {
  changeOf,
  faultsOf,
  formOf,
  NUMBER_FIELDS,
  STANDARD_MODE,
} from '../../../../gateway/console/settings/assignment-fields.ts';
import { changedOrganization, updateOrganizationInput } from '../../../../schema/accounts/organization.ts';
import { assignmentSettingsOf } from '../../../../schema/assignment/assignment.ts';

const isAccepted = (settings: object) => v.safeParse(updateOrganizationInput, { settings }).success;

test('the form shows the defaults of the engine', () => {
  const defaults = assignmentSettingsOf({});
  assert.equal(STANDARD_MODE, defaults.mode);
  assert.deepEqual(
    NUMBER_FIELDS.map(({ name, standard }) => [name, standard]),
    NUMBER_FIELDS.map(({ name }) => [name, defaults[name]]),
  );
});

test('the form refuses the numbers that the engine refuses, and no other', () => {
  for (const { name, min, max } of NUMBER_FIELDS) {
    for (const typed of [min - 1, min, max, max + 1, min + 0.5]) {
      const form = { ...formOf({}), [name]: String(typed) };
      const wrong = faultsOf(form).map((field) => field.name);
      const settings = changeOf({ [name]: String(typed) });
      assert.deepEqual(wrong, isAccepted(settings) ? [] : [name], `${name} ${typed}`);
    }
  }
  for (const typed of ['a', '1e400', '0x10x', '-']) {
    assert.equal(faultsOf({ ...formOf({}), maxAttempts: typed }).length, 1, typed);
  }
});

test('a change keeps what the form does not show, and an empty field is the default again', () => {
  const fleet = [{ externalId: 'v1' }];
  const before = { leadMinutes: 10, assignment: { maxAttempts: 3, autoAccept: true, externalFleet: fleet } };
  const changed = { maxAttempts: '', mode: 'broadcast', requestTtlSeconds: ' 45 ' };
  const organization = { name: 'Harbour', status: 'active', currency: 'EUR', limits: {}, settings: before } as const;
  const after = changedOrganization(organization, { settings: changeOf(changed) });
  assert.ok('settings' in after);
  assert.deepEqual(after.settings, {
    leadMinutes: 10,
    assignment: {
      mode: 'broadcast',
      requestTtlSeconds: 45,
      autoAccept: true,
      externalFleet: fleet,
    },
  });
});
