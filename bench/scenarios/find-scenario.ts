const scenarioNames = ['create', 'batch', 'auth'] as const;

export type ScenarioName = (typeof scenarioNames)[number];

export function findScenario(name: string): ScenarioName | undefined {
  return scenarioNames.find((each) => each === name);
}
