// Starts the page: the files' tabs, the views and their shared state.

import { App } from './components/app.js';
import { Api } from './core/api.js';
import { State } from './core/state.js';
import { setTheme, theme } from './core/theme.js';

setTheme(theme());
const app = new App(new Api(), new State());
document.getElementById('app').replaceChildren(app.root);
app.start();
