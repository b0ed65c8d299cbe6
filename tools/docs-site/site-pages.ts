import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import { referencePages } from './reference.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Where a document of the repository stands in the site, when that is not its path below docs/. */
const PLACES: Readonly<Record<string, string>> = {
  'README.md': 'index.md',
  'ARCHITECTURE.md': 'architecture.md',
  'SECURITY.md': 'reporting.md',
  'docs/decisions': 'decisions/0001-runtime-and-type-stripping.md',
};

/** Which page stands where; pages that are named nowhere are guides. */
const SECTIONS: Readonly<Record<string, readonly string[]>> = {
  Start: ['index', 'tutorial', 'install', 'configuration', 'front-end'],
  Concepts: ['architecture', 'access', 'search', 'embeddings'],
  Guides: [],
  Operating: ['operating', 'observability', 'replication', 'license'],
  Reference: [
    'openapi',
    'sdk',
    'connectors',
    'reference/errors',
    'reference/scope',
    'reference/query',
    'reference/operations',
    'reference/websocket',
    'reference/limits',
    'reference/cli',
  ],
  Decisions: [],
};

export interface SitePage {
  /** In the site, such as "decisions/0005-uid.md". */
  readonly path: string;
  readonly title: string;
  readonly markdown: string;
}

export interface Section {
  readonly title: string;
  readonly pages: readonly SitePage[];
}

/** The documents of the repository and the pages made from the code, in the order of the menu. */
export async function siteSections(): Promise<Section[]> {
  const documents = [
    ...Object.keys(PLACES).filter((path) => path.endsWith('.md')),
    ...markdownIn('docs'),
    ...markdownIn('docs/decisions'),
  ].map((path) => pageOf(placeOf(path), linksOfSite(path)));
  const made = [...(await referencePages())].map(([path, text]) => pageOf(path, text));
  const pages = [...documents, ...made];
  const named = Object.values(SECTIONS).flat();
  return Object.entries(SECTIONS).map(([title, names]) => {
    const own = names.flatMap((name) => pages.filter(({ path }) => path === `${name}.md`));
    const others = pages.filter(({ path }) => !named.includes(path.replace(/\.md$/, '')));
    const isDecision = ({ path }: SitePage): boolean => path.startsWith('decisions/');
    if (title === 'Guides') own.push(...others.filter((page) => !isDecision(page)));
    if (title === 'Decisions') own.push(...others.filter(isDecision));
    return { title, pages: own };
  });
}

function pageOf(path: string, markdown: string): SitePage {
  const title = /^# (.+)$/m.exec(markdown)?.[1]?.replaceAll('`', '') ?? path;
  return { path, title, markdown };
}

function markdownIn(folder: string): string[] {
  const files = readdirSync(join(ROOT, folder)).toSorted();
  return files.filter((file) => file.endsWith('.md')).map((file) => `${folder}/${file}`);
}

function placeOf(path: string): string {
  return PLACES[path] ?? path.replace(/^docs\//, '');
}

/**
 * The text of a document with links as the site needs them: from page to page, and to pictures.
 * What only the repository has, such as a unit of systemd, keeps its name and loses its link.
 */
function linksOfSite(document: string): string {
  const markdown = readFileSync(join(ROOT, document), 'utf8');
  return markdown.replaceAll(/\[([^\]]*)\]\(([^)\s]+)\)/g, (whole, text: string, href: string) => {
    const [path = '', anchor] = href.split('#');
    const target = posix.join(posix.dirname(document), path).replace(/\/$/, '');
    if (/^https?:/.test(href) || path === '' || !existsSync(join(ROOT, target))) return whole;
    const place = placeOf(target);
    const isInSite = place !== target && /\.(?:md|png|svg)$/.test(place);
    if (!isInSite) return text;
    const way = relative(posix.dirname(placeOf(document)), place);
    return `[${text}](${way.startsWith('.') ? way : `./${way}`}${anchor === undefined ? '' : `#${anchor}`})`;
  });
}
