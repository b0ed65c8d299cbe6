import { posix } from 'node:path';
import { escapeHtml, type RenderedMarkdown } from './markdown.ts';
import type { Section, SitePage } from './site-pages.ts';

/** A whole page of the site. Every link is relative: the site works below any path. */
export function pageHtml(
  page: SitePage,
  { html, parts }: RenderedMarkdown,
  sections: readonly Section[],
): string {
  const way = (path: string): string => posix.relative(posix.dirname(page.path), path);
  const outline = parts.filter(({ level }) => level === 2);
  const name = page.path === 'index.md' ? 'Trellis' : `${escapeHtml(page.title)} · Trellis`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${name}</title>
<link rel="icon" href="${way('icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${way('site.css')}">
<script src="${way('theme.js')}"></script>
<script type="module" src="${way('site.js')}"></script>
</head>
<body data-root="${way('.') || '.'}">
<a class="skip" href="#content">Skip to content</a>
<header>
<a class="home" href="${way('index.html')}"><img src="${way('icon.svg')}" alt="">Trellis</a>
<search><label for="search">Search the documents</label>
<input id="search" type="search" placeholder="Search (press /)" autocomplete="off" aria-controls="hits">
<div id="hits" hidden><p role="status"></p><ol></ol></div></search>
<a class="to-menu" href="#menu">Pages</a>
</header>
<div class="columns">
<main id="content">
${html}</main>
${outline.length < 2 ? '' : outlineHtml(outline)}
<nav id="menu" aria-label="Pages">
${sections.map((section) => menuSection(section, page, way)).join('\n')}
</nav>
</div>
</body>
</html>
`;
}

function outlineHtml(parts: RenderedMarkdown['parts']): string {
  const items = parts.map(
    ({ anchor, heading }) => `<li><a href="#${anchor}">${escapeHtml(heading)}</a></li>`,
  );
  return `<nav class="outline" aria-label="On this page"><h2>On this page</h2><ul>
${items.join('\n')}
</ul></nav>`;
}

function menuSection(
  { title, pages }: Section,
  current: SitePage,
  way: (path: string) => string,
): string {
  const items = pages.map((page) => {
    const mark = page === current ? ' aria-current="page"' : '';
    return `<li><a href="${way(addressOf(page))}"${mark}>${escapeHtml(page.title)}</a></li>`;
  });
  return `<h2>${escapeHtml(title)}</h2><ul>
${items.join('\n')}
</ul>`;
}

export function addressOf({ path }: SitePage): string {
  return path.replace(/\.md$/, '.html');
}
