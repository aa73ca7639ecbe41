import { useState } from 'preact/hooks';
import type { OrganizationView } from '../../../schema/accounts/organization.ts';
import { callApi } from '../page/link.ts';
import { refusalText } from '../page/refusals.ts';
import { settingsText } from '../text/english-settings.ts';
import { say } from '../ui/toasts.tsx';

export interface OrganizationProps {
  readonly organization: OrganizationView;
  readonly onSaved: (organization: OrganizationView) => void;
}

interface Saving {
  readonly isBusy: boolean;
  readonly problem: string | null;
  readonly setProblem: (problem: string | null) => void;
  /** The organization afterwards; undefined when it was refused. */
  readonly save: (body: object) => Promise<OrganizationView | undefined>;
}

/** Sends a change of the organization. It counts as saved when the engine has answered. */
export function useSaving({ organization, onSaved }: OrganizationProps): Saving {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  async function save(body: object): Promise<OrganizationView | undefined> {
    setBusy(true);
    setProblem(null);
    const path = `/organizations/${organization.id}`;
    const answer = await callApi<OrganizationView>({ method: 'PATCH', path, body });
    setBusy(false);
    if (!answer.ok) {
      setProblem(refusalText(answer.failure));
      return undefined;
    }
    onSaved(answer.data);
    say(settingsText.saved);
    return answer.data;
  }
  return { isBusy, problem, setProblem, save };
}
