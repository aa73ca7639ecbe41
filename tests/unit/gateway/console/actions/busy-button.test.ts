import assert from 'node:assert/strict';
import { test } from 'node:test';
import { consoleModule } from '../../../../support/system/console-module.ts';

const { Button } = await consoleModule(`export { Button } from './ui/controls.tsx'`);

test('a busy button does nothing, and sends no form a second time', () => {
  const press = (busy: boolean) => {
    let presses = 0;
    const event = new Event('click', { cancelable: true });
    Button({ type: 'submit', busy, onClick: () => presses++ }).props.onClick(event);
    return [presses, event.defaultPrevented];
  };
  assert.deepEqual(press(false), [1, false]);
  assert.deepEqual(press(true), [0, true]);
});
