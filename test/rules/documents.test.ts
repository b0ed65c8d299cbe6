import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { documents, files, manifests, read, readJson, ROOT } from './repository-files.ts';

/** What the documents say and a program can check is true. */

interface PackageManifest {
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const rootOf = (path: string): string => path.split('/', 1).join();

describe.each(documents)('%s', (path) => {
  const text = read(path);

  it('links to what exists', () => {
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target ?? '');
    const broken = links.filter((target) => !/^https?:/.test(target) && !resolves(path, target));
    expect(broken).toEqual([]);
  });

  it('has each row of a table once', () => {
    const rows = [...text.matchAll(/^\| .+$/gm)].map(([row]) => row);
    const repeated = rows.filter((row, at) => rows.indexOf(row) !== at);
    expect(repeated.filter((row) => !isHead(text, row))).toEqual([]);
  });

  it('heads every column of a table', () => {
    const heads = [...text.matchAll(/^(\|.*\|)\n\|[-|: ]+\|$/gm)].map(([, head]) => head ?? '');
    expect(heads.filter((head) => /\|\s*\|/.test(head))).toEqual([]);
  });

  it('names paths that exist', () => {
    const roots = new Set(files.filter((file) => file.includes('/')).map(rootOf));
    const named = [...text.matchAll(/`([\w.@-]+\/[\w./@-]*)`/g)].map(([, name]) => name ?? '');
    const ours = named.filter((name) => roots.has(rootOf(name)));
    expect(ours.filter((name) => !existsSync(join(ROOT, name)))).toEqual([]);
  });

  it('names npm scripts that exist', () => {
    const { scripts = {} } = readJson<PackageManifest>('package.json');
    const ownOfNpm = ['ci', 'install', 'exec', 'pack'];
    const code = [...text.matchAll(/```[^]*?```|`[^`\n]+`/g)].join('\n');
    const named = [...code.matchAll(/\bnpm (?:run )?([a-z][\w:-]*)/g)].map(
      ([, name]) => name ?? '',
    );
    const needed = named.filter((name) => !ownOfNpm.includes(name));
    expect(needed.filter((name) => !(name in scripts))).toEqual([]);
  });
});

describe('a page of docs', () => {
  const pages = documents.filter((path) => /^docs\/[^/]+\.md$/.test(path));

  it.each(pages)('%s shows an example before a list or a table', (path) => {
    const text = read(path);
    const shown = text.search(/^(?:```|!\[)/m);
    const rules = text.search(/^(?:\||- |\d+\. )/m);
    expect(shown).toBeGreaterThan(0);
    if (rules > 0) expect(shown).toBeLessThan(rules);
  });

  it('of the concepts has the words of the glossary in their order', () => {
    const [, glossary = ''] = read('docs/concepts.md').split('## Glossary');
    const words = [...glossary.matchAll(/^\| (.+?) \| /gm)].slice(1).map(([, word = '']) => word);
    expect(words.length).toBeGreaterThan(30);
    expect(words).toEqual(words.toSorted((a, b) => a.localeCompare(b, 'en')));
  });
});

describe('README.md', () => {
  const text = read('README.md');

  it('is read in two minutes', () => expect(text.split('\n').length).toBeLessThan(90));

  it('leads to every document', () => {
    const pages = documents.filter((path) => /^docs\/[^/]+\.md$/.test(path));
    expect(pages.filter((path) => !text.includes(`](${path})`))).toEqual([]);
  });
});

describe('ARCHITECTURE.md', () => {
  it('names every part of the server that exists, and no other', () => {
    const section = read('ARCHITECTURE.md')
      .split('\n## ')
      .find((text) => text.startsWith('Parts of'));
    const named = [...(section ?? '').matchAll(/^\| `(\w+)` \|/gm)].map(([, part]) => part);
    expect(named.toSorted()).toEqual(readdirSync(join(ROOT, 'server/src')).toSorted());
  });
});

describe('STYLE.md', () => {
  it('says of every rule who holds us to it', () => {
    const rules = read('STYLE.md')
      .split('\n')
      .filter((line) => line.startsWith('- '));
    expect(rules.length).toBeGreaterThan(20);
    expect(rules.filter((rule) => !/^- \[(?:enforced|review)\] /.test(rule))).toEqual([]);
  });
});

describe('the decision records', () => {
  const folder = 'docs/decisions';
  const records = readdirSync(join(ROOT, folder)).toSorted();

  it('are numbered one after the other, and say what was rejected', () => {
    const numbers = records.map((name) => Number(name.slice(0, 4)));
    expect(numbers).toEqual(records.map((_, i) => i + 1));
    for (const name of records) {
      expect(read(`${folder}/${name}`)).toMatch(/^## Decision$[^]*^## Rejected$/m);
    }
  });

  it('give a reason for every dependency, and for no other', () => {
    const table = read(`${folder}/0003-dependencies.md`);
    const explained = [...table.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name);
    const used = manifests
      .map((path) => readJson<PackageManifest>(path))
      .flatMap((manifest) => [
        ...Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }),
        ...Object.keys(manifest.optionalDependencies ?? {}),
      ]);
    const foreign = new Set(used.filter((name) => !name.startsWith('@trellis/')));
    expect(explained.toSorted()).toEqual([...foreign].toSorted());
  });
});

function resolves(from: string, target: string): boolean {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? from : join(dirname(from), path);
  if (!existsSync(join(ROOT, file))) return false;
  return anchor === undefined || anchorsOf(read(file)).includes(anchor);
}

/** Whether a row heads a table: two tables may have the same columns. */
function isHead(text: string, row: string): boolean {
  return text.includes(`${row}\n|---`);
}

/** The anchors of headings, as the usual hosts make them. */
function anchorsOf(text: string): string[] {
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading ?? '');
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  );
}
