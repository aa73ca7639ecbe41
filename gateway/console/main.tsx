import { render } from 'preact';
import { startKeys } from './actions/keys.ts';
import { App } from './app.tsx';
import { openLink } from './page/link.ts';
import { startState } from './page/state.ts';
import { startSavedViews } from './saved/saved-state.ts';
import './style/console.css';
import { startCallerNews } from './views/caller-news.ts';

openLink();
startState();
startSavedViews();
startCallerNews();
startKeys();
render(<App />, document.getElementById('console')!);
