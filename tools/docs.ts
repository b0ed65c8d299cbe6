import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { rolldown } from 'rolldown';
import { renderMarkdown, type RenderedMarkdown } from './docs-site/markdown.ts';
import { addressOf, pageHtml } from './docs-site/page-html.ts';
import { licenseTexts } from './program-bundle/license-texts.ts';
import { siteSections, type Section, type SitePage } from './docs-site/site-pages.ts';

/**
 * `npm run docs`: the documentation as a folder of static files, dist/docs unless `--out` names
 * another. They work below any path of a web server. `tools/setup.mjs` makes them, too, for the
 * server to show under `/docs`.
 */
const ROOT = resolve(import.meta.dirname, '..');
const WEB = join(ROOT, 'web/src');
const SUMMARY =
  'An open knowledge-graph workspace server: typed nodes and edges, access rules, and custom ' +
  'endpoints, TypeScript that runs beside the data.';

const { values } = parseArgs({
  options: { out: { type: 'string', default: join(ROOT, 'dist/docs') } },
});
const outDir = resolve(values.out);
rmSync(outDir, { recursive: true, force: true });
const sections = await siteSections();
const pages = sections.flatMap((section) => section.pages);
const rendered = pages.map((page) => ({ page, content: renderMarkdown(page.markdown) }));
for (const { page, content } of rendered) {
  write(addressOf(page), pageHtml(page, content, sections));
  copyPictures(page, content);
}
write('search.json', JSON.stringify(searchedParts()));
write('llms.txt', textForPrograms(sections));
write('llms-full.txt', pages.map(wholeText).join('\n'));
write('site.css', styles());
write('licenses.txt', licenseTexts(await bundleScripts()));
cpSync(join(ROOT, 'web/public/icon.svg'), join(outDir, 'icon.svg'));
process.stdout.write(`${pages.length} pages in ${relative(process.cwd(), outDir)}\n`);

function write(path: string, text: string): void {
  mkdirSync(dirname(join(outDir, path)), { recursive: true });
  writeFileSync(join(outDir, path), text);
}

/** Those that a page shows; the repository has more. */
function copyPictures({ path }: SitePage, { html }: RenderedMarkdown): void {
  for (const [, source = ''] of html.matchAll(/<img src="([^"]+)"/g)) {
    const picture = posix.join(posix.dirname(path), source);
    cpSync(join(ROOT, 'docs', picture), join(outDir, picture));
  }
}

/** What `site.js` searches: pages, and the parts of each. */
function searchedParts() {
  return {
    pages: pages.map((page) => [addressOf(page), page.title]),
    parts: rendered.flatMap(({ content }, i) =>
      content.parts
        .filter(({ heading, text }) => heading !== '' || text !== '')
        .map(({ anchor, heading, text }) => [i, anchor, heading, text]),
    ),
  };
}

/** With the colors of the workspace in both themes. */
function styles(): string {
  const tokens = readFileSync(join(WEB, 'styles/tokens.css'), 'utf8');
  const own = readFileSync(join(WEB, 'documents/site.css'), 'utf8');
  return `${tokens.replace('@theme static {', ':root {')}
${own}`;
}

/** What the pages load; gives the files that it is made of. */
async function bundleScripts(): Promise<string[]> {
  const modules = await Promise.all(
    ['site', 'theme'].map(async (name) => {
      const bundle = await rolldown({
        input: { [name]: join(WEB, `documents/${name}.ts`) },
        platform: 'browser',
        tsconfig: false,
      });
      const names = { entryFileNames: '[name].js', chunkFileNames: '[name].js' };
      const format = name === 'theme' ? 'iife' : 'esm';
      const { output } = await bundle.write({ dir: outDir, format, minify: true, ...names });
      return output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
    }),
  );
  return modules.flat();
}

/** For programs that read documents: https://llmstxt.org. */
function textForPrograms(all: readonly Section[]): string {
  const lists = all.map(({ title, pages: own }) => {
    const links = own.map((page) => `- [${page.title}](${addressOf(page)})`);
    return `## ${title}\n\n${links.join('\n')}\n`;
  });
  return `# Trellis\n\n> ${SUMMARY}\n\nAll of it in one text: [llms-full.txt](llms-full.txt)\n\n${lists.join('\n')}`;
}

function wholeText(page: SitePage): string {
  return `<!-- ${addressOf(page)} -->\n\n${page.markdown.trim()}\n`;
}
