import { render } from 'preact';
import { startKeys } from './actions/keys.ts';
import { openLink } from './page/link.ts';
import { startState } from './page/state.ts';
import './style/console.css';
import { App } from './views/app.tsx';

openLink();
startState();
startKeys();
render(<App />, document.getElementById('console')!);
