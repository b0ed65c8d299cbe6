import { copyButtons } from './copy-buttons.ts';
import { DocumentSearch, type Hit } from './document-search.ts';

/**
 * What the pages of the documentation can do beside being read: the field that searches them, and
 * buttons that copy code. `tools/docs.ts` makes the pages.
 */
const root = document.body.dataset['root'] ?? '.';
const field = must(document.querySelector<HTMLInputElement>('#search'));
const panel = must(document.querySelector<HTMLElement>('#hits'));
const list = must(panel.querySelector('ol'));
const status = must(panel.querySelector('[role=status]'));
const search = new DocumentSearch(root);

field.addEventListener('focus', () => void search.load());
field.addEventListener('input', () => void showHits());
field.addEventListener('keydown', ({ key }) => {
  if (key === 'Enter') list.querySelector('a')?.click();
});
must(document.querySelector<HTMLElement>('search')).addEventListener('keydown', (event) => {
  if (event.key === 'Escape') {
    panel.hidden = true;
    field.focus();
  } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault();
    moveFocus(event.key === 'ArrowDown' ? 1 : -1);
  }
});
document.addEventListener('keydown', (event) => {
  const isShortcut = event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey;
  if (!isShortcut || document.activeElement === field) return;
  event.preventDefault();
  field.focus();
});
document.addEventListener('click', ({ target }) => {
  const isInside = target instanceof Element && target.closest('search') !== null;
  // A hit on the page that is shown leads elsewhere on it.
  if (!isInside || (target instanceof Element && target.closest('a') !== null)) panel.hidden = true;
});
copyButtons();
linkToWorkspace();

async function showHits(): Promise<void> {
  const query = field.value.trim();
  panel.hidden = query === '';
  if (query === '') return;
  const hits = await search.hits(query);
  // Somebody may have typed on meanwhile.
  if (field.value.trim() !== query) return;
  list.replaceChildren(...hits.map(hitItem));
  status.textContent = hits.length === 0 ? `Nothing found for "${query}"` : `${hits.length} found`;
}

function hitItem({ href, title, excerpt }: Hit): HTMLLIElement {
  const name = document.createElement('strong');
  name.textContent = title;
  const text = document.createElement('span');
  text.append(
    ...excerpt.map((piece) => {
      if (!piece.isMarked) return piece.text;
      const mark = document.createElement('mark');
      mark.textContent = piece.text;
      return mark;
    }),
  );
  const link = document.createElement('a');
  link.href = href;
  link.append(name, text);
  const item = document.createElement('li');
  item.append(link);
  return item;
}

/** From the field through the hits, and back. */
function moveFocus(step: number): void {
  const stops: (Element | null)[] = [field, ...list.querySelectorAll('a')];
  const next = stops[Math.max(0, stops.indexOf(document.activeElement) + step)];
  if (next instanceof HTMLElement) next.focus();
}

/** Only a Trellis server says where it is; the documents may also lie elsewhere. */
function linkToWorkspace(): void {
  if (!('MSKSERVERPATH' in globalThis)) return;
  const link = document.createElement('a');
  link.className = 'to-workspace';
  link.href = `${root}/../`;
  link.textContent = 'Workspace';
  document.querySelector('header')?.append(link);
}

function must<T>(value: T | null): T {
  if (value === null) throw new Error('the page is not one of tools/docs.ts');
  return value;
}
