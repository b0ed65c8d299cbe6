import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { rendered, type RenderedPage } from './markdown.ts';
import { framed, SEARCH, STYLE, type Section } from './page-frame.ts';
import { referencePages } from './reference.ts';

const ROOT = join(import.meta.dirname, '../..');
const SUMMARY =
  'An open knowledge-graph workspace server: typed nodes and edges, access rules, and custom endpoints, TypeScript that runs beside the data.';

/** Which page stands where; what is named nowhere is a guide. */
const SECTIONS = {
  Start: ['index', 'install', 'front-end'],
  Concepts: ['architecture', 'access', 'search', 'embeddings'],
  Guides: [],
  Operating: ['operating', 'observability', 'replication', 'license'],
  Reference: [
    'openapi',
    'sdk',
    'connectors',
    'reference/operations',
    'reference/errors',
    'configuration',
    'reference/cli',
  ],
  Decisions: [],
} as const;

interface SitePage extends RenderedPage {
  /** Of its file in the site, ".html" at its end. */
  readonly path: string;
  readonly markdown: string;
}

/** Builds the whole site from the documents and the code into a folder, which is emptied before. Answers the paths of its pages. */
export async function buildSite(folder: string): Promise<string[]> {
  const sources = await allSources();
  const pages = [...sources].map(([path, markdown]) => pageOf(path, markdown));
  const sections = sectionsOf(pages);
  rmSync(folder, { recursive: true, force: true });
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const page of pages) {
    const root = '../'.repeat(page.path.split('/').length - 1);
    write(page.path, framed(page, sections, root));
  }
  cpSync(join(ROOT, 'docs/images'), join(folder, 'images'), { recursive: true });
  cpSync(join(ROOT, 'web/public/icon.svg'), join(folder, 'icon.svg'));
  write('site.css', STYLE);
  write('search.js', SEARCH);
  write('search-index.js', `globalThis.docsIndex = ${JSON.stringify(pages.flatMap(partsOf))};\n`);
  write('llms.txt', programText(sections));
  write(
    'llms-full.txt',
    pages.map(({ path, markdown }) => `<!-- ${path} -->\n\n${markdown.trim()}\n`).join('\n'),
  );
  return pages.map(({ path }) => path);
}

/** Markdown by its path in the site. */
async function allSources(): Promise<Map<string, string>> {
  const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
  const named = (folder: string): string[] =>
    readdirSync(join(ROOT, folder))
      .filter((file) => file.endsWith('.md'))
      .toSorted();
  return new Map([
    ['index.md', read('README.md').replaceAll('](docs/', '](')],
    ['architecture.md', read('ARCHITECTURE.md').replaceAll('](docs/', '](')],
    ['reporting.md', read('SECURITY.md').replaceAll('](docs/', '](')],
    ...named('docs').map((file) => [file, read(`docs/${file}`)] as const),
    ...named('docs/decisions').map(
      (file) => [`decisions/${file}`, read(`docs/decisions/${file}`)] as const,
    ),
    ...(await referencePages()),
  ]);
}

function pageOf(path: string, markdown: string): SitePage {
  const page = rendered(markdown, (href) => linkOf(path, href));
  return { ...page, path: path.replace(/\.md$/, '.html'), markdown };
}

/** Documents lead to documents; what is in the repository only is named, and leads to where a reader is told of it. */
function linkOf(from: string, href: string): string {
  if (/^(?:https?:|#)/.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const suffix = anchor === undefined ? '' : `#${anchor}`;
  const known: Readonly<Record<string, string>> = {
    'ARCHITECTURE.md': 'architecture.html',
    'README.md': 'index.html',
    'SECURITY.md': 'reporting.html',
    decisions: 'decisions/0001-runtime-and-type-stripping.html',
  };
  const top = '../'.repeat(from.split('/').length - 1);
  const name = path.replace(/^(?:\.\.\/)+/, '').replace(/\/$/, '');
  if (known[name] !== undefined) return top + known[name] + suffix;
  if (path.endsWith('.md') && !['STYLE.md', 'CONTRIBUTING.md'].includes(name)) {
    return path.replace(/\.md$/, '.html') + suffix;
  }
  return `${top}architecture.html`;
}

function sectionsOf(pages: readonly SitePage[]): Section[] {
  const named = Object.values(SECTIONS).flat() as readonly string[];
  const nameOf = ({ path }: SitePage): string => path.replace(/\.html$/, '');
  return Object.entries(SECTIONS).map(([title, names]) => {
    const others = pages.filter((page) => !named.includes(nameOf(page)));
    const isDecision = ({ path }: SitePage): boolean => path.startsWith('decisions/');
    const own = names.flatMap((name: string) => pages.filter((page) => nameOf(page) === name));
    if (title === 'Guides') return { title, pages: others.filter((page) => !isDecision(page)) };
    if (title === 'Decisions') return { title, pages: others.filter(isDecision) };
    return { title, pages: own };
  });
}

/** What a search finds: each part of a page, under its heading. */
function partsOf({ path, title, headings, markdown }: SitePage): object[] {
  const texts = markdown.split(/^#{1,6} .*$/m).slice(1);
  return headings.map(({ id, text: heading }, at) => ({
    path: `${path}#${id}`,
    title,
    heading,
    text: (texts[at] ?? '').replaceAll(/\s+/g, ' ').trim().slice(0, 2_000),
  }));
}

/** For programs that read documents: https://llmstxt.org. */
function programText(sections: readonly Section[]): string {
  const lists = sections.map(
    ({ title, pages }) =>
      `## ${title}\n\n${pages.map(({ path, title: name }) => `- [${name}](${posix.normalize(path)})`).join('\n')}\n`,
  );
  return `# Trellis\n\n> ${SUMMARY}\n\nAll of it in one text: [llms-full.txt](llms-full.txt)\n\n${lists.join('\n')}`;
}
