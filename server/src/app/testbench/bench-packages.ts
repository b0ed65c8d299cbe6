import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire, type ModuleHooks, registerHooks, stripTypeScriptTypes } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  importedNames,
  isPackage,
  type ModuleSources,
  reachedModules,
  specifierOf,
} from '#runtime/compile/imported-modules.ts';
import { modulePartsOf } from '#runtime/compile/module-parts.ts';
import { packageText } from '#runtime/compile/package-text.ts';
import type { PackageBundle } from '@trellis/contract/shapes/package.ts';

/**
 * Below the folder of a project, though nothing lies there: debuggers and what counts coverage
 * follow the source maps of files alone.
 */
const SERVED = '.trellis-packages/';

/**
 * Lets files of endpoints and modules import the bundles that `trellis push` would send, in the
 * place of what Node finds. Where there is no lock file, Node finds packages as ever.
 */
export class BenchPackages implements Disposable {
  /** By the URL of a file: the URLs of what it imports, by specifier. */
  readonly #urls = new Map<string, ReadonlyMap<string, string>>();
  readonly #texts = new Map<string, string>();
  #hooks: ModuleHooks | undefined;
  #prepared = 0;

  /**
   * Bundles what an endpoint and its modules import, before the endpoint is imported. Gives what
   * the compiler is to find.
   */
  async prepare(endpoint: URL, code: string): Promise<ModuleSources> {
    const modules = modulesBeside(endpoint);
    const path = realpathSync(fileURLToPath(endpoint));
    const files = filesOf(path, code, modules);
    const folder = folderOf(path);
    const isAny = [...files.values()].some((text) => importedNames(text).some(isPackage));
    if (!isAny || folder === undefined) return modules;
    const { PackageLock } = await import('../packages/package-lock.ts');
    if (PackageLock.of(folder) === undefined) return modules;
    const { bundlePackages } = await import('../packages/bundle-packages.ts');
    const importing = [...files].map(([file, text]) => ({
      path: relative(folder, file),
      code: text,
    }));
    const bundled = await bundlePackages(folder, importing);
    const bundles = new Map(bundled.map(({ specifier, bundle }) => [specifier, bundle]));
    this.#serve(folder, bundles, files);
    return sourcesOf(bundles, modules);
  }

  [Symbol.dispose](): void {
    this.#hooks?.deregister();
    this.#hooks = undefined;
  }

  #serve(
    folder: string,
    bundles: ReadonlyMap<string, PackageBundle>,
    files: ReadonlyMap<string, string>,
  ): void {
    const root = pathToFileURL(join(folder, '/'));
    // What was imported once under an address stays there for Node.
    const served = new URL(`${SERVED}${process.hrtime.bigint()}.${++this.#prepared}/`, root);
    const urls = new Map<string, string>();
    for (const [specifier, bundle] of bundles) {
      const { href } = new URL(`${specifier}.js`, served);
      urls.set(specifier, href);
      const text = moduleText(bundle, namesImported(specifier, files));
      this.#texts.set(href, `${text}\n${mapComment(bundle, root)}`);
    }
    for (const file of files.keys()) this.#urls.set(pathToFileURL(file).href, urls);
    this.#hooks ??= registerHooks({
      resolve: (specifier, context, next) => {
        const [parent = ''] = (context.parentURL ?? '').split('?');
        const url = this.#urls.get(parent)?.get(specifier);
        if (url === undefined) return next(specifier, context);
        return { url, format: 'module', shortCircuit: true };
      },
      load: (url, context, next) => {
        const source = this.#texts.get(url);
        if (source === undefined) return next(url, context);
        return { format: 'module', source, shortCircuit: true };
      },
    });
  }
}

/** As Node finds them: by the `imports` of the package that the file is in. */
function modulesBeside(endpoint: URL): ModuleSources {
  const { resolve } = createRequire(endpoint);
  return {
    names: () => [],
    find(name) {
      if (isPackage(name)) return undefined;
      try {
        return readFileSync(resolve(specifierOf(name)), 'utf8');
      } catch {
        return undefined;
      }
    },
  };
}

function sourcesOf(
  bundles: ReadonlyMap<string, PackageBundle>,
  modules: ModuleSources,
): ModuleSources {
  return {
    names: () => [],
    find(name) {
      const bundle = isPackage(name) ? bundles.get(specifierOf(name)) : undefined;
      return bundle === undefined ? modules.find(name) : packageText(bundle);
    },
  };
}

/** The texts of an endpoint and its modules by the paths of their files. */
function filesOf(endpoint: string, code: string, modules: ModuleSources): Map<string, string> {
  const { resolve } = createRequire(endpoint);
  const reached = [...reachedModules(code, modules)];
  const files = reached.map(([name, text]) => [resolve(specifierOf(name)), text] as const);
  return new Map([[endpoint, code], ...files]);
}

/** The nearest with a package.json. */
function folderOf(path: string): string | undefined {
  const folder = dirname(path);
  if (existsSync(join(folder, 'package.json'))) return folder;
  return folder === path ? undefined : folderOf(folder);
}

/** A package that was written for CommonJS exports what is imported of it by name. */
function moduleText({ code, isCommonJs }: PackageBundle, names: ReadonlySet<string>): string {
  if (!isCommonJs) return code;
  const others = [...names].filter((name) => name !== 'default').join(', ');
  return code.replace(
    /^export default (.*);$/m,
    `const $main = $1;\nexport default $main;\nexport const { ${others} } = $main;`,
  );
}

/** The source map, with the author's files where they lie on this machine. */
function mapComment({ map }: PackageBundle, root: URL): string {
  const { sources, ...rest } = JSON.parse(map) as { readonly sources: readonly string[] };
  const placed = sources.map((source) => new URL(source, root).href);
  const text = JSON.stringify({ ...rest, sources: placed });
  const base64 = Buffer.from(text).toString('base64');
  return `//# sourceMappingURL=data:application/json;base64,${base64}`;
}

function namesImported(specifier: string, files: ReadonlyMap<string, string>): Set<string> {
  const patterns = [...files.values()]
    .flatMap((text) => modulePartsOf(stripTypeScriptTypes(text)).parameters)
    .filter((one) => one.specifier === specifier)
    .map(({ pattern }) => /^\{([^]*)\}$/.exec(pattern)?.[1] ?? '');
  const names = patterns.flatMap((list) => list.split(','));
  return new Set(names.map((one) => one.replace(/:[^]*/, '').trim()).filter(Boolean));
}
