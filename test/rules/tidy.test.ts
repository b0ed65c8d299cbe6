import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isTestCode } from '../../tools/import-table.ts';
import { codeFiles, files, manifests, placesOf, read, readJson, ROOT } from './repository-files.ts';

/**
 * The rules of this repository that no other tool checks; sizes, cycles and imports are the
 * linter's (oxlint.config.ts).
 */

const productFiles = codeFiles.filter((path) =>
  /^(?:contract|endpoint|client|cli|server)\//.test(path),
);
const testFiles = codeFiles.filter((path) => path.endsWith('.test.ts'));

/**
 * A text that must not stand in these files. A letter in brackets keeps a pattern from finding
 * itself.
 */
const BANNED_TEXTS: readonly {
  what: string;
  pattern: RegExp;
  in: readonly string[];
  why: string;
}[] = [
  {
    what: 'a path of one machine',
    pattern: /(?<![\w.~-])\/(?:work|root|tmp)\//,
    in: files,
    why: 'it exists on that machine only: take a path relative to the file, or os.tmpdir()',
  },
  {
    what: 'the host of a package registry',
    pattern: /"resolved": "https?:|registry\.[a-z]+\.[a-z]{2}|^registry\s*=/,
    in: files,
    why: 'everybody installs from the registry they have configured',
  },
  {
    what: 'the tool with which a text was written',
    pattern:
      /\b(?:co-authored-b[y]|session transcrip[t]|(?:ai|llm)-generate[d]|(?:generated|written|made|created) (?:by|with) (?:\[?clau[d]e|copilo[t]|chatgp[t]))\b/i,
    in: files,
    why: 'the repository says what is and why, not how it came about',
  },
  {
    what: 'the name of such a tool, where it is no client that one connects',
    pattern: /\b(?:clau[d]e|copilo[t]|chatgp[t])\b/i,
    in: files.filter((path) => path !== 'docs/mcp.md'),
    why: 'only the page that tells how to connect clients has a reason to name them',
  },
  {
    what: 'a timer of a page',
    pattern: /refetchInterval:(?!.*_REFRESH_MS,$)|_REFRESH_MS =/,
    in: codeFiles.filter(
      (path) => path.startsWith('web/') && path !== 'web/src/app/refresh-intervals.ts',
    ),
    why: 'pages follow the server: what it cannot tell of is in refresh-intervals.ts, with why',
  },
  {
    what: 'a double cast',
    pattern: /\bas unknown as\b/,
    in: codeFiles.filter((path) => !path.startsWith('test/rules/')),
    why: 'it silences the compiler: check the value, or type its source',
  },
  {
    what: 'a variable of a module',
    pattern: /^(?:export )?let /,
    in: productFiles.filter((path) => !isTestCode(path) && !path.includes('/guest/')),
    why: 'state that two servers in one process would share: put it into an object that somebody owns',
  },
  {
    what: 're-export',
    pattern: /^export (?:type )?(?:\*|\{.*\}) from '(?:\.|#|@trellis\/)/,
    // The package for those who install it has one module to import from.
    in: productFiles.filter((path) => path !== 'client/src/trellis.ts'),
    why: 'a name lives in one file, and is imported from there',
  },
];

describe.each(BANNED_TEXTS)('$what', ({ pattern, in: paths, why }) => {
  it('stands nowhere', () => expect(placesOf(pattern, paths), why).toEqual([]));
});

describe('names of files', () => {
  it('are kebab-case', () => {
    const kebab = /^\.?[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9]+(?:-[a-z0-9]+)*)*$/;
    const isNamed = (path: string): boolean => kebab.test(basename(path));
    const why = 'one way to write a name, so that nobody has to look it up';
    expect(
      codeFiles.filter((path) => !isNamed(path)),
      why,
    ).toEqual([]);
  });

  it('say what is inside', () => {
    const vague = /^(?:utils?|helpers?|common|misc|shared|index|types)\.(?:ts|tsx|mjs)$/;
    const why = 'such a name fits everything, so everything ends up there';
    expect(
      codeFiles.filter((path) => vague.test(basename(path))),
      why,
    ).toEqual([]);
  });
});

describe('comments', () => {
  it('hold within 100 columns, but for an address or a setting', () => {
    const long = /^(?=.{101})\s*(?:\/\/(?! oxlint-| trellis:)|\/\*|\*)(?!.*https?:).*$/;
    expect(placesOf(long, codeFiles), 'two files stand side by side on one screen').toEqual([]);
  });
});

describe('tests', () => {
  it('assert something, in the file or in what it shares with others', () => {
    const silent = testFiles.filter((path) => !asserts(path) && !sharedBy(path).some(asserts));
    expect(silent, 'a test that cannot fail tells nothing').toEqual([]);
  });

  function asserts(path: string): boolean {
    return /\bexpect(?:\.\w+)?\(|\bfc\.assert\(/.test(read(path));
  }

  function sharedBy(path: string): string[] {
    const imports = read(path).matchAll(/ from '(\.[^']+)'/g);
    const paths = [...imports].map(([, specifier]) => join(dirname(path), specifier ?? ''));
    return paths.filter((file) => existsSync(join(ROOT, file)));
  }
});

interface PackageManifest {
  readonly version: string;
  readonly license: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

describe('packages', () => {
  const all = manifests.map((path) => ({ path, manifest: readJson<PackageManifest>(path) }));

  it('name exact versions', () => {
    const loose = all.flatMap(({ path, manifest }) =>
      Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })
        .filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))
        .map(([name, version]) => `${path}: ${name} ${version}`),
    );
    expect(loose, 'two clones of one commit must install the same').toEqual([]);
  });

  it('have one version and one license', () => {
    expect(new Set(all.map(({ manifest }) => manifest.version)).size).toBe(1);
    expect(new Set(all.map(({ manifest }) => manifest.license))).toEqual(new Set(['Apache-2.0']));
  });

  it('run on the pinned Node 24', () => {
    const { optionalDependencies = {} } = readJson<PackageManifest>('package.json');
    const pinned = new Set(Object.values(optionalDependencies));
    expect(pinned.size, 'one Node for every platform').toBe(1);
    expect([...pinned][0]).toMatch(/^24\./);
    expect(process.versions.node).toMatch(/^24\./);
  });
});
