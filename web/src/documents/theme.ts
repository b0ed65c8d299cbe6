/**
 * Before anything of a document is drawn: the theme of the workspace, if one was chosen there, else
 * that of the system. See `app/theme.ts`.
 */
const systemIsDark = matchMedia('(prefers-color-scheme: dark)');

function show(): void {
  const choice = localStorage.getItem('trellis.theme');
  const isDark = choice === 'dark' || (choice !== 'light' && systemIsDark.matches);
  document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light';
}

show();
systemIsDark.addEventListener('change', show);
window.addEventListener('storage', show);
