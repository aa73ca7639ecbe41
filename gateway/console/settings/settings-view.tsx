import { signal } from '@preact/signals';
import type { OrganizationView } from '../../../schema/accounts/organization.ts';
import { may, session } from '../page/link.ts';
import { settingsText } from '../text/english-settings.ts';
import { AssignmentSection } from './assignment-section.tsx';
import { ChannelSection } from './channel-section.tsx';
import { OrganizationSection } from './organization-section.tsx';
import { PeopleSection } from './people-section.tsx';
import { Waiting } from './setting-parts.tsx';
import { type Loaded, useRecord } from './use-record.ts';

type Section = keyof typeof settingsText.sections;
/** With the permission to see each. */
const SECTIONS: Readonly<Record<Section, string>> = {
  organization: 'organization:read',
  assignment: 'organization:read',
  people: 'users',
  channels: 'channels',
};
const chosen = signal<Section>('organization');

export function SettingsView() {
  const shown = (Object.keys(SECTIONS) as Section[]).filter((name) => may(SECTIONS[name]));
  const section = shown.includes(chosen.value) ? chosen.value : shown[0];
  return (
    <main class="settings">
      <nav aria-label={settingsText.label}>
        <h1>{settingsText.title}</h1>
        {shown.map((name) => (
          <button
            key={name}
            type="button"
            aria-current={name === section ? 'true' : undefined}
            onClick={() => {
              chosen.value = name;
            }}
          >
            {settingsText.sections[name]}
          </button>
        ))}
      </nav>
      <div class="section">
        {section === 'people' && <PeopleSection />}
        {section === 'channels' && <ChannelSection />}
        {(section === 'organization' || section === 'assignment') && <OfOrganization section={section} />}
      </div>
    </main>
  );
}

function OfOrganization({ section }: { readonly section: 'organization' | 'assignment' }) {
  const now = session.value;
  const id = now.state === 'signed-in' ? now.caller.organization?.id : undefined;
  const record: Loaded<OrganizationView> = useRecord(`/organizations/${id}`);
  if (!record.data) return <Waiting {...record} />;
  const props = { organization: record.data, onSaved: record.replace };
  return section === 'organization' ? <OrganizationSection {...props} /> : <AssignmentSection {...props} />;
}
