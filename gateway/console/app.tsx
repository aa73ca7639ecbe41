import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { dialog } from './actions/dialog-state.ts';
import { Dialogs } from './actions/dialogs.tsx';
import { AttentionView } from './attention/attention-view.tsx';
import { Board } from './board/board-view.tsx';
import { Couriers } from './couriers/couriers-view.tsx';
import { isDrafting } from './page/draft.ts';
import { session } from './page/link.ts';
import { isPlacing } from './page/pin.ts';
import { phonePane, taskId, view } from './page/state.ts';
import { Palette } from './palette/palette.tsx';
import { SettingsView } from './settings/settings-view.tsx';
import { text } from './text/english.ts';
import { Icon } from './ui/icon.tsx';
import { Toasts } from './ui/toasts.tsx';
import { CutOff } from './views/connection-chip.tsx';
import { Header } from './views/header.tsx';
import { SidePanel } from './views/side-panel.tsx';
import { Arriving, NoOrganization, SignIn } from './views/sign-in.tsx';
import { TaskList } from './views/task-list.tsx';

/** The map is the largest part of the console, so it comes after the rest is there. */
const TaskMap = signal<ComponentType | null>(null);

async function loadMap(): Promise<void> {
  const { TaskMap: loaded } = await import('./map/task-map.tsx');
  TaskMap.value = loaded;
}

export function App() {
  const now = session.value;
  if (now.state === 'unknown') return <Arriving isCut={now.isCut} />;
  if (now.state === 'signed-out') return <SignIn />;
  if (!now.caller.organization) return <NoOrganization email={now.caller.user.email} />;
  return (
    <div class="console">
      <Header />
      <CutOff />
      <Shown />
      <Dialogs />
      {dialog.value?.kind === 'palette' && <Palette />}
      <Toasts closeLabel={text.panel.close} />
    </div>
  );
}

function Shown() {
  if (view.value === 'board') return <Board />;
  if (view.value === 'couriers') return <Couriers />;
  if (view.value === 'attention') return <AttentionView />;
  if (view.value === 'settings') return <SettingsView />;
  return <Dispatch />;
}

function Dispatch() {
  useEffect(() => {
    if (!TaskMap.peek()) void loadMap();
  }, []);
  const Ground = TaskMap.value;
  const hasPanel = taskId.value !== null || isDrafting.value;
  return (
    <main class={`dispatch ${phonePane.value} ${hasPanel ? 'with-panel' : ''} ${isPlacing.value ? 'placing' : ''}`}>
      <TaskList />
      {Ground ? <Ground /> : <section class="map" aria-label={text.map.label} />}
      <SidePanel />
      <div class="panes">
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
