/**
 * Before anything of a document is drawn: the theme of the workspace, if one was chosen there, else
 * that of the system. See `app/theme.ts`.
 */
const system = matchMedia('(prefers-color-scheme: dark)');
let systemIsDark = system.matches;

function show(): void {
  const choice = localStorage.getItem('trellis.theme');
  const isDark = choice === 'dark' || (choice !== 'light' && systemIsDark);
  document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light';
}

show();
system.addEventListener('change', ({ matches }) => {
  systemIsDark = matches;
  show();
});
window.addEventListener('storage', show);
