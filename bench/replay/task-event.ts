import { ApiClient, type ApiTarget } from './api-client.ts';

/** A delivery as an integrator orders it, by name: its event is of ordinary size. */
export function taskNamed(name: string): object {
  return {
    name,
    taskType: 'delivery',
    customer: { name: 'Ada Lovelace', phone: '+442079460001' },
    location: { address: '12 St James Square, London', latitude: 51.5072178, longitude: -0.1357, apartment: '4' },
    packages: [{ name: 'Books', quantity: 2, weight: 1.5 }],
    notes: 'Ring twice. Leave it with the neighbour when nobody opens.',
  };
}

/** Creates the task, the first of its organization, and resolves to its event as the log has it. */
export async function makeTaskEvent(target: ApiTarget, name: string, signal: AbortSignal): Promise<string> {
  const api = new ApiClient(target, signal);
  await api.createTask(taskNamed(name), 'task-event');
  const [event] = (await api.eventsAfter(0)).items;
  return JSON.stringify(event);
}
