import { useEffect } from 'preact/hooks';
import type { OrganizationView } from '../../../schema/accounts/organization.ts';
import { caller } from '../page/link.ts';
import { section as chosen } from '../page/state.ts';
import { Waiting } from '../records/record-parts.tsx';
import { type Loaded, useRecord } from '../records/use-record.ts';
import { settingsText } from '../text/english-settings.ts';
import { lead } from '../ui/lead.ts';
import { WebhookSection } from '../webhooks/webhook-section.tsx';
import { AssignmentSection } from './assignment-section.tsx';
import { AuditSection } from './audit-section.tsx';
import { ChannelSection } from './channel-section.tsx';
import { NoticeSection } from './notice-section.tsx';
import { OrganizationSection } from './organization-section.tsx';
import { PeopleSection } from './people-section.tsx';
import { sectionsShown } from './sections.ts';

export function SettingsView() {
  const shown = sectionsShown();
  const section = shown.find((name) => name === chosen.value) ?? shown[0];
  useEffect(() => {
    // An address that leads nowhere, or to what one may not see.
    if (chosen.value !== null && chosen.value !== section) chosen.value = null;
  }, [section, chosen.value]);
  return (
    <main class="settings">
      <nav aria-label={settingsText.label}>
        <h1>{settingsText.title}</h1>
        {shown.map((name) => (
          <a
            key={name}
            href={`/console/settings/${name}`}
            aria-current={name === section ? 'page' : undefined}
            // On a phone they are wider than the screen.
            ref={(link) => {
              if (name === section) link?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
            }}
            onClick={(event) =>
              lead(event, () => {
                chosen.value = name;
              })
            }
          >
            {settingsText.sections[name]}
          </a>
        ))}
      </nav>
      <div class="section">
        {section === 'people' && <PeopleSection />}
        {section === 'channels' && <ChannelSection />}
        {section === 'webhooks' && <WebhookSection />}
        {section === 'mails' && <NoticeSection />}
        {section === 'audit' && <AuditSection />}
        {(section === 'organization' || section === 'assignment') && <OfOrganization section={section} />}
      </div>
    </main>
  );
}

function OfOrganization({ section }: { readonly section: 'organization' | 'assignment' }) {
  const record: Loaded<OrganizationView> = useRecord(`/organizations/${caller.value?.organization?.id}`);
  if (!record.data) return <Waiting {...record} />;
  const props = { organization: record.data, onSaved: record.replace };
  return section === 'organization' ? <OrganizationSection {...props} /> : <AssignmentSection {...props} />;
}
