import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { nameJavaScript } from './javascript.ts';

/** Where a module is named in a declaration: after `from`, `import`, or in `import()`. */
const NAMED_MODULE = /(\bfrom\s+|\bimport\s+|\bimport\()(["'])([^"'\n]+)\2/g;

/** The folder of a package that its declarations of other packages lie in. */
const TYPES = 'types';

/**
 * Puts the declarations of other packages that the declarations of a package name into its own
 * folder, and names them there: the package then needs no other one, also not for its types.
 * `@trellis/contract` comes from where the compiler has put it, `zod` from its package.
 */
export function embedTypes(root: string, folder: string): void {
  const embedded = new EmbeddedTypes(root, folder);
  for (const path of globSync('src/**/*.d.ts', { cwd: folder })) {
    const file = join(folder, path);
    writeFileSync(file, embedded.inPlace(path, readFileSync(file, 'utf8')));
  }
}

class EmbeddedTypes {
  readonly #folder: string;
  readonly #contract: string;
  readonly #zod: string;
  readonly #written = new Set<string>();

  constructor(root: string, folder: string) {
    this.#folder = folder;
    this.#contract = join(root, 'node_modules/.cache/declarations/contract');
    const { resolve } = createRequire(join(root, 'contract/package.json'));
    this.#zod = dirname(resolve('zod/package.json'));
    cpSync(join(this.#zod, 'LICENSE'), join(folder, TYPES, 'zod/LICENSE'));
  }

  /** A declaration, at its path in the package, with the modules that it names. */
  inPlace(path: string, text: string): string {
    return text.replaceAll(NAMED_MODULE, (whole, before: string, quote: string, name: string) => {
      const target = this.#embed(path, name);
      if (target === undefined) return whole;
      const way = relative(dirname(path), target).replace(/\.d\.ts$/, '.js');
      return `${before}${quote}${way.startsWith('.') ? way : `./${way}`}${quote}`;
    });
  }

  /** The path that the declaration of a module has in the package; undefined when it stays. */
  #embed(from: string, name: string): string | undefined {
    const [, contract] = /^@trellis\/contract\/(.+)\.(?:ts|js)$/.exec(name) ?? [];
    if (contract !== undefined) {
      const file = `src/${contract}.d.ts`;
      return this.#write(join(this.#contract, file), join(TYPES, 'contract', file));
    }
    if (name === 'zod' || name.startsWith('zod/')) {
      const file = join(name, 'index.d.ts');
      return this.#write(join(dirname(this.#zod), file), join(TYPES, file));
    }
    // What is embedded already names its neighbours.
    if (from.startsWith(`${TYPES}/`) && name.startsWith('.')) {
      const target = join(dirname(from), name.replace(/\.(?:ts|js)$/, '.d.ts'));
      const source = target.startsWith(`${TYPES}/zod/`)
        ? join(this.#zod, relative(`${TYPES}/zod`, target))
        : join(this.#contract, relative(`${TYPES}/contract`, target));
      return this.#write(source, target);
    }
    return undefined;
  }

  #write(source: string, target: string): string | undefined {
    if (this.#written.has(target)) return target;
    // Named in a comment only.
    if (!existsSync(source)) return undefined;
    this.#written.add(target);
    const text = nameJavaScript(readFileSync(source, 'utf8'));
    const file = join(this.#folder, target);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, this.inPlace(target, text));
    return target;
  }
}
