import { create } from './create.ts';
import type { Scenario } from './scenario.ts';

const scenarios: readonly Scenario[] = [create];

export const scenarioNames = scenarios.map(({ name }) => name);

export function findScenario(name: string): Scenario | undefined {
  return scenarios.find((scenario) => scenario.name === name);
}
