import { useEffect, useState } from 'preact/hooks';
import type * as v from 'valibot';
import type { invitationView } from '../../../schema/accounts/user.ts';
import { timeOf } from '../page/format.ts';
import { callApi } from '../page/link.ts';
import { refusalText } from '../page/refusals.ts';
import { Copied } from '../records/record-parts.tsx';
import { settingsText } from '../text/english-settings.ts';
import { Dialog } from '../ui/dialog.tsx';

type Invitation = v.InferOutput<typeof invitationView>;

interface Props {
  readonly userId: number;
  readonly name: string;
  readonly onClose: () => void;
}

const { people: words } = settingsText;

/** Makes a link to choose a password, for a chat message or a phone's camera. */
export function InvitationDialog({ userId, name, onClose }: Props) {
  const [invitation, setInvitation] = useState<Invitation>();
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    void callApi<Invitation>({ method: 'POST', path: `/users/${userId}/invitation` }).then((answer) => {
      if (answer.ok) setInvitation(answer.data);
      else setProblem(refusalText(answer.failure));
    });
  }, [userId]);
  return (
    <Dialog title={words.inviteTitle(name)} onClose={onClose}>
      {problem !== null && (
        <p class="late-text" role="alert">
          {problem}
        </p>
      )}
      {!invitation && problem === null && <p class="say">{settingsText.loading}</p>}
      {invitation && (
        <>
          <p class="soft">{words.inviteHint(timeOf(Date.parse(invitation.expiresAt)))}</p>
          <Copied label={words.link} value={invitation.url} />
          <img class="qr" src={`data:image/svg+xml,${encodeURIComponent(invitation.qr)}`} alt={words.qr(name)} />
        </>
      )}
    </Dialog>
  );
}
