import { escaped } from './markdown.ts';

export interface Section {
  readonly title: string;
  readonly pages: readonly { readonly path: string; readonly title: string }[];
}

/** One page of the site, with the way to all others. `root` leads from it to the top: "" or "../". */
export function framed(
  page: { readonly path: string; readonly title: string; readonly html: string },
  sections: readonly Section[],
  root: string,
): string {
  const menu = sections.map(({ title, pages }) => {
    const items = pages.map(({ path, title: name }) => {
      const current = path === page.path ? ' aria-current="page"' : '';
      return `<li><a href="${root}${path}"${current}>${escaped(name)}</a></li>`;
    });
    return `<p class="group">${escaped(title)}</p><ul>${items.join('')}</ul>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'self'">
<title>${escaped(page.title)} · Trellis</title>
<link rel="icon" href="${root}icon.svg">
<link rel="stylesheet" href="${root}site.css">
<script defer src="${root}search-index.js"></script>
<script defer src="${root}search.js" data-root="${root}"></script>
</head>
<body>
<a class="skip" href="#content">To the content</a>
<header>
<a class="name" href="${root}index.html">Trellis</a>
<search><label for="query">Search</label> <input id="query" type="search" autocomplete="off" aria-controls="found"></search>
</header>
<div class="columns">
<nav aria-label="Pages">${menu.join('\n')}</nav>
<main id="content" tabindex="-1">
<div id="found" role="region" aria-label="Found" aria-live="polite" hidden></div>
<article>
${page.html}
</article>
</main>
</div>
</body>
</html>
`;
}

export const STYLE = `:root { --ink: #1c2128; --soft: #4d5561; --line: #d4d9e0; --paper: #fff; --sunken: #f4f6f8; --link: #0b5cad; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ed; --soft: #a9b1bc; --line: #39414b; --paper: #14181d; --sunken: #1e242b; --link: #7cb8ff; }
}
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
a { color: var(--link); }
a:focus-visible, input:focus-visible, [tabindex]:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -999px; }
.skip:focus { left: 8px; top: 8px; background: var(--paper); padding: 8px; }
header { display: flex; flex-wrap: wrap; gap: 12px; align-items: center; justify-content: space-between; padding: 12px 24px; border-bottom: 1px solid var(--line); }
.name { font-weight: 700; font-size: 1.1rem; color: var(--ink); text-decoration: none; }
input { font: inherit; color: inherit; background: var(--sunken); border: 1px solid var(--soft); border-radius: 6px; padding: 4px 10px; width: min(22rem, 60vw); }
.columns { display: flex; gap: 32px; padding: 0 24px 48px; }
nav { flex: 0 0 15rem; font-size: 0.93rem; }
nav .group { font-weight: 600; font-size: 0.85rem; color: var(--soft); margin: 24px 0 4px; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav a { display: block; padding: 3px 8px; border-radius: 6px; color: var(--ink); text-decoration: none; }
nav a:hover, nav a[aria-current] { background: var(--sunken); }
nav a[aria-current] { font-weight: 600; }
main { flex: 1 1 0; min-width: 0; max-width: 52rem; }
code { font: 0.9em ui-monospace, monospace; background: var(--sunken); border-radius: 4px; padding: 1px 4px; overflow-wrap: anywhere; }
pre { background: var(--sunken); border-radius: 8px; padding: 12px 16px; overflow-x: auto; }
pre code { padding: 0; background: none; overflow-wrap: normal; }
.table { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { border: 1px solid var(--line); padding: 6px 10px; text-align: left; vertical-align: top; }
img { max-width: 100%; height: auto; }
@media (max-width: 50rem) { .columns { flex-direction: column; } nav { flex: none; } }
`;

/** Words that all stand in a page, or in what is below one of its headings. */
export const SEARCH = `'use strict';
const script = document.currentScript;
const root = script.dataset.root;
const input = document.getElementById('query');
const found = document.getElementById('found');
const HITS_MAX = 30;

function hitsOf(query) {
  const words = query.toLowerCase().split(/\\s+/).filter(Boolean);
  if (words.length === 0) return [];
  return globalThis.docsIndex
    .filter(({ text, title, heading }) => {
      const all = (title + ' ' + heading + ' ' + text).toLowerCase();
      return words.every((word) => all.includes(word));
    })
    .map((part) => ({ part, rank: words.filter((word) => (part.title + part.heading).toLowerCase().includes(word)).length }))
    .sort((a, b) => b.rank - a.rank)
    .slice(0, HITS_MAX)
    .map(({ part }) => part);
}

function show() {
  const hits = hitsOf(input.value);
  found.hidden = input.value.trim() === '';
  const list = document.createElement('ul');
  for (const { path, title, heading } of hits) {
    const link = document.createElement('a');
    link.href = root + path;
    link.textContent = heading === '' || heading === title ? title : title + ': ' + heading;
    const item = document.createElement('li');
    item.append(link);
    list.append(item);
  }
  const told = document.createElement('p');
  told.textContent = hits.length === 0 ? 'Nothing is like this.' : '';
  found.replaceChildren(told, list);
}

input.addEventListener('input', show);
document.addEventListener('keydown', (event) => {
  if (event.key === '/' && document.activeElement !== input) {
    event.preventDefault();
    input.focus();
  }
});
`;
