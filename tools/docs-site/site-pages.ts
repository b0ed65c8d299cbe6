import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import { readFragments, sectionOf } from '../changelog.ts';
import { referencePages } from './reference.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Where a document of the repository stands in the site, when that is not its path below docs/. */
const PLACES: Readonly<Record<string, string>> = {
  'README.md': 'index.md',
  'ARCHITECTURE.md': 'architecture.md',
  'SECURITY.md': 'reporting.md',
  'CHANGELOG.md': 'changelog.md',
  'CONTRIBUTING.md': 'contributing.md',
  'CODE_OF_CONDUCT.md': 'conduct.md',
  'docs/decisions': 'decisions/0001-runtime-and-type-stripping.md',
};

/**
 * Which page stands where: tutorials, concepts, how-to by subject, and reference. Guides that are
 * named nowhere have a section of their own.
 */
const SECTIONS: Readonly<Record<string, readonly string[]>> = {
  Start: ['index', 'tour', 'tutorial', 'front-end'],
  Concepts: ['concepts', 'architecture', 'security'],
  'How to: data and search': [
    'import',
    'export',
    'connectors',
    'data',
    'files',
    'search',
    'embeddings',
    'indexes',
    'schema-changes',
    'duplicates',
    'documents',
  ],
  'How to: code': [
    'endpoints',
    'modules',
    'triggers',
    'webhooks',
    'tasks',
    'secrets',
    'build',
    'sdk',
    'interfaces',
  ],
  'How to: changes': ['deploy', 'definitions', 'migrations'],
  'How to: people and access': ['access', 'scim'],
  'How to: models': [
    'chat',
    'deep-research',
    'agents',
    'admin-agent',
    'llm',
    'tools',
    'golden-answers',
    'mcp',
  ],
  'How to: run a server': [
    'install',
    'operating',
    'observability',
    'backups',
    'storage',
    'replication',
    'cluster',
    'license',
  ],
  'More guides': [],
  Reference: [
    'configuration',
    'reference/errors',
    'reference/scope',
    'reference/query',
    'openapi',
    'reference/operations',
    'reference/sdk',
    'reference/websocket',
    'reference/limits',
    'reference/cli',
  ],
  Project: ['changelog', 'contributing', 'reporting', 'conduct'],
  Decisions: [],
};
const UNNAMED = 'More guides';

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
  const sections = Object.entries(SECTIONS).map(([title, names]) => {
    const own = names.flatMap((name) => pages.filter(({ path }) => path === `${name}.md`));
    const others = pages.filter(({ path }) => !named.includes(path.replace(/\.md$/, '')));
    const isDecision = ({ path }: SitePage): boolean => path.startsWith('decisions/');
    if (title === UNNAMED) own.push(...others.filter((page) => !isDecision(page)));
    if (title === 'Decisions') own.push(...others.filter(isDecision));
    return { title, pages: own };
  });
  return sections.filter((section) => section.pages.length > 0);
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
  const markdown = documentText(document);
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

/** With what is not released yet, for who runs a clone. */
function documentText(document: string): string {
  const text = readFileSync(join(ROOT, document), 'utf8');
  if (document !== 'CHANGELOG.md') return text;
  const [head = '', ...releases] = text.split(/^(?=## )/m);
  return [head, sectionOf('Not released yet', readFragments(ROOT)), ...releases].join('\n');
}
