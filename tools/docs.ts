import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { siteConfig } from './docs-site/site-config.ts';
import { siteSections, type Section, type SitePage } from './docs-site/site-pages.ts';

/**
 * `npm run docs`: the documentation as a folder of static files, dist/docs unless `--out` names
 * another. A web server shows it at its root; `--base /trellis/` is for a place below the root.
 */
const ROOT = resolve(import.meta.dirname, '..');
const SOURCES = join(ROOT, 'node_modules/.cache/docs-site');
const SUMMARY =
  'An open knowledge-graph workspace server: typed nodes and edges, access rules, and custom ' +
  'endpoints, TypeScript that runs beside the data.';

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: join(ROOT, 'dist/docs') },
    base: { type: 'string', default: '/' },
  },
});
const outDir = resolve(values.out);
const sections = await siteSections();
const pages = sections.flatMap((section) => section.pages);
writeSources(sections, pages);
// In a process of its own: the types of VitePress would bring those of the DOM to all of our code.
const vitepress = fileURLToPath(
  new URL('../../bin/vitepress.js', import.meta.resolve('vitepress')),
);
execFileSync(process.execPath, [vitepress, 'build', SOURCES, '--outDir', outDir], {
  stdio: ['ignore', 'ignore', 'inherit'],
});
process.stdout.write(`${pages.length} pages in ${relative(process.cwd(), outDir)}\n`);

/** What VitePress reads: every page, the pictures, and its settings. */
function writeSources(all: readonly Section[], every: readonly SitePage[]): void {
  rmSync(SOURCES, { recursive: true, force: true });
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(SOURCES, path)), { recursive: true });
    writeFileSync(join(SOURCES, path), text);
  };
  for (const { path, markdown } of every) write(path, markdown);
  const sidebar: Parameters<typeof siteConfig>[1] = all.map(({ title, pages: own }) => ({
    text: title,
    items: own.map((page) => ({ text: page.title, link: `/${page.path.replace(/\.md$/, '')}` })),
  }));
  const settings = join(import.meta.dirname, 'docs-site/site-config.ts');
  write(
    '.vitepress/config.ts',
    `import { siteConfig } from ${JSON.stringify(settings)};
export default siteConfig(${JSON.stringify(values.base)}, ${JSON.stringify(sidebar)});
`,
  );
  cpSync(join(ROOT, 'docs/images'), join(SOURCES, 'images'), { recursive: true });
  mkdirSync(join(SOURCES, 'public'));
  cpSync(join(ROOT, 'web/public/icon.svg'), join(SOURCES, 'public/icon.svg'));
  write('public/llms.txt', textForPrograms(all));
  const texts = every.map((page) => `<!-- ${addressOf(page)} -->\n\n${page.markdown.trim()}\n`);
  write('public/llms-full.txt', texts.join('\n'));
}

/** For programs that read documents: https://llmstxt.org. */
function textForPrograms(all: readonly Section[]): string {
  const lists = all.map(({ title, pages: own }) => {
    const links = own.map((page) => `- [${page.title}](${addressOf(page)})`);
    return `## ${title}\n\n${links.join('\n')}\n`;
  });
  return `# Trellis\n\n> ${SUMMARY}\n\nAll of it in one text: [llms-full.txt](llms-full.txt)\n\n${lists.join('\n')}`;
}

function addressOf({ path }: SitePage): string {
  return path.replace(/\.md$/, '.html');
}
