import { render } from 'preact';
import { startKeys } from './actions/keys.ts';
import { App } from './app.tsx';
import { openLink } from './page/link.ts';
import { startState } from './page/state.ts';
import { startSavedViews } from './saved/saved-state.ts';
import './style/console.css';

openLink();
startState();
startSavedViews();
startKeys();
render(<App />, document.getElementById('console')!);
