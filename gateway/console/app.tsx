import type { ComponentType } from 'preact';
import { closeDialog, dialog } from './actions/dialog-state.ts';
import { Dialogs } from './actions/dialogs.tsx';
import { AttentionView } from './attention/attention-view.tsx';
import { Board } from './board/board-view.tsx';
import { Couriers } from './couriers/couriers-view.tsx';
import { hasPanel, isCovered } from './page/covered.ts';
import { caller, session } from './page/link.ts';
import { isPlacing } from './page/pin.ts';
import { phonePane, view } from './page/state.ts';
import { Palette } from './palette/palette.tsx';
import { SettingsView } from './settings/settings-view.tsx';
import { text } from './text/english.ts';
import { paletteText } from './text/english-palette.ts';
import { savedText } from './text/english-saved.ts';
import { Dialog } from './ui/dialog.tsx';
import { Icon } from './ui/icon.tsx';
import { later } from './ui/later.tsx';
import { Toasts } from './ui/toasts.tsx';
import { CutOff } from './views/connection-chip.tsx';
import { Header } from './views/header.tsx';
import { SidePanel } from './views/side-panel.tsx';
import { Arriving, NoOrganization, SignIn } from './views/sign-in.tsx';
import { TaskList } from './views/task-list.tsx';

/** The map is the largest part of the console, so it comes after the rest is there. */
const TaskMap = later(
  async () => (await import('./map/task-map.tsx')).TaskMap,
  () => <section class="map" aria-label={text.map.label} />,
  () => (
    <section class="map" aria-label={text.map.label}>
      <p class="empty">{text.noAnswer}</p>
    </section>
  ),
);
const Charts = later(
  async () => (await import('./charts/charts-view.tsx')).Charts,
  () => <main class="charts" />,
  () => (
    <main class="charts">
      <p class="empty">{text.noAnswer}</p>
    </main>
  ),
);
const ImportSheet = laterDialog(
  async () => (await import('./import/import-sheet.tsx')).ImportSheet,
  paletteText.manyTasks,
);
const SavedDialog = laterDialog(async () => (await import('./saved/saved-dialog.tsx')).SavedDialog, savedText.title);

function laterDialog(load: () => Promise<ComponentType>, title: string): ComponentType {
  return later(
    load,
    () => null,
    () => (
      <Dialog title={title} onClose={closeDialog}>
        <p class="fault">{text.noAnswer}</p>
      </Dialog>
    ),
  );
}

export function App() {
  const now = session.value;
  if (now.state === 'unknown') return <Arriving isCut={now.isCut} refusal={now.refusal} />;
  if (now.state === 'signed-in' && !now.caller.organization) return <NoOrganization email={now.caller.user.email} />;
  const { organization, user } = caller.value ?? {};
  const isAway = now.state === 'signed-out';
  return (
    <>
      {/* Another user gets another one, which has nothing that was typed here. */}
      {organization && <Console key={`${organization.id} ${user?.id}`} isAway={isAway} />}
      {isAway && <SignIn />}
    </>
  );
}

/** It stays as it is behind the sign-in when a session has ended: the same user goes on where he was. */
function Console({ isAway }: { readonly isAway: boolean }) {
  return (
    <div class="console" inert={isAway}>
      <Header />
      <CutOff />
      <Shown />
      <Dialogs />
      {dialog.value?.kind === 'palette' && <Palette />}
      {dialog.value?.kind === 'import' && <ImportSheet />}
      {dialog.value?.kind === 'views' && <SavedDialog />}
      <Toasts closeLabel={text.panel.close} />
    </div>
  );
}

function Shown() {
  if (view.value === 'board') return <Board />;
  if (view.value === 'couriers') return <Couriers />;
  if (view.value === 'attention') return <AttentionView />;
  if (view.value === 'charts') return <Charts />;
  if (view.value === 'settings') return <SettingsView />;
  return <Dispatch />;
}

function Dispatch() {
  return (
    <main
      class={`dispatch ${phonePane.value} ${hasPanel.value ? 'with-panel' : ''} ${isPlacing.value ? 'placing' : ''}`}
    >
      <TaskList />
      <TaskMap />
      <SidePanel />
      <div class="panes" inert={isCovered.value}>
        {(['list', 'map'] as const).map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={phonePane.value === name}
            onClick={() => {
              phonePane.value = name;
            }}
          >
            <Icon name={name} />
            {name === 'list' ? text.list.label : text.map.label}
          </button>
        ))}
      </div>
    </main>
  );
}
