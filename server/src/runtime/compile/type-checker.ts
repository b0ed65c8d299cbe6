import { ChildProcess } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { API } from 'typescript/unstable/async';
import type { Diagnostic as CompilerDiagnostic, Snapshot } from 'typescript/unstable/async';
import type { SourceFile } from 'typescript/unstable/ast';
import { assert, must } from '#base/assert.ts';
import { ZOD_ENTRY, ZOD_ENTRY_TEXT, ZodTypes } from './zod-types.ts';

/** What the compiler says of one endpoint. */
export interface CheckedSource {
  readonly syntaxErrors: readonly CompilerDiagnostic[];
  /** Of the types. */
  readonly errors: readonly CompilerDiagnostic[];
  /** Whether its default export is a function that takes the scope, as far as it has one. */
  readonly isEndpoint: boolean;
  readonly syntax: SourceFile;
}

export type ScopeName = 'full' | 'read-only';

export interface ScopedSource {
  readonly source: string;
  readonly scope: ScopeName;
  /** The ambient declarations of that scope. */
  readonly scopeTypes: string;
}

/**
 * Thrown when a check took longer than it may: with very few exceptions the fault of the code's own
 * types.
 */
export class CheckTimeout extends Error {
  override readonly name = 'CheckTimeout';
}

const CHECK_TIMEOUT_MS = 10_000;
const SCOPES: readonly ScopeName[] = ['full', 'read-only'];

const COMPILER_OPTIONS = {
  target: 'es2024',
  module: 'esnext',
  lib: ['es2024'],
  types: [],
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  moduleDetection: 'force',
  erasableSyntaxOnly: true,
  allowImportingTsExtensions: true,
  // Code is a module, and `z` is a global.
  allowUmdGlobalAccess: true,
};

/** Where there is what it takes, the kernel ends the compiler with this thread, however that ends. */
function tiedCompiler(): { readonly tsserverPath?: string } {
  const tsserverPath = join(import.meta.dirname, 'tied-compiler.sh');
  const needed = [tsserverPath, '/usr/bin/setpriv', COMPILER_FOLDER];
  try {
    for (const path of needed) accessSync(path, constants.X_OK);
    return { tsserverPath };
  } catch {
    return {};
  }
}

/** Where the script finds it. */
const COMPILER_FOLDER = join(import.meta.dirname, '../../../../node_modules/@typescript');

/** Its types are loaded with the first code that may use them. */
const NAMES_ZOD = /\bz\b/;

/** That the default export is an endpoint cannot be said in its own file. */
const ENTRY = `import endpoint from './endpoint.ts';\nendpoint satisfies Endpoint;\n`;

/**
 * Checks endpoint code with the native compiler, in one child process that starts with the first
 * check. Its API is marked unstable: this class is the only place that knows it.
 *
 * - Checks run one after the other. A check that takes too long, or a child that dies, is followed
 *   by a new child.
 * - The files are virtual. Nothing but the compiler's own library and the types of zod is read from
 *   the disk, whatever the code refers to.
 * - One program holds one scope and one endpoint: a `declare global` in one must not change the
 *   scope of another, and two scopes must not share a file name, as files are cached by name.
 */
export class TypeChecker {
  readonly #files = new Map<string, string>();
  readonly #zod = new ZodTypes();
  readonly #timeoutMs: number;
  #session: Session | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(timeoutMs: number = CHECK_TIMEOUT_MS) {
    this.#timeoutMs = timeoutMs;
    this.#files.set(ZOD_ENTRY, 'export {};\n');
    for (const scope of SCOPES) {
      const files = [scopeFile(scope), 'endpoint.ts', 'entry.ts', ZOD_ENTRY];
      const config = JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files });
      this.#files.set(`/${scope}/tsconfig.json`, config);
      this.#files.set(`/${scope}/${scopeFile(scope)}`, '');
      this.#files.set(`/${scope}/endpoint.ts`, '');
      this.#files.set(`/${scope}/entry.ts`, ENTRY);
    }
  }

  check(source: ScopedSource): Promise<CheckedSource> {
    const check = this.#queue.then(() => this.#checkTwice(source));
    this.#queue = check.catch(() => {});
    return check;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#queue;
    // The child holds nothing that is worth a farewell, and the API's own one sometimes never comes back.
    this.#kill();
  }

  async #checkTwice(source: ScopedSource): Promise<CheckedSource> {
    assert(!this.#isClosed, 'a check after the type checker was closed');
    try {
      return await this.#checkOnce(source);
    } catch (error) {
      if (error instanceof CheckTimeout) throw error;
      // The child has died, which need not be the fault of this code.
      return await this.#checkOnce(source);
    }
  }

  async #checkOnce(source: ScopedSource): Promise<CheckedSource> {
    const timeout = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      timeout.reject(new CheckTimeout(`the check took longer than ${this.#timeoutMs} ms`));
    }, this.#timeoutMs);
    try {
      return await Promise.race([this.#ask(source), timeout.promise]);
    } catch (error) {
      this.#kill();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  async #ask({ source, scope, scopeTypes }: ScopedSource): Promise<CheckedSource> {
    const changed = [
      ...this.#put(`/${scope}/endpoint.ts`, source),
      ...this.#put(`/${scope}/${scopeFile(scope)}`, scopeTypes),
    ];
    if (NAMES_ZOD.test(source)) changed.push(...this.#put(ZOD_ENTRY, ZOD_ENTRY_TEXT));
    const program = await this.#program(scope, changed);
    const file = `/${scope}/endpoint.ts`;
    const [syntaxErrors, errors, entryErrors, syntax] = await Promise.all([
      program.getSyntacticDiagnostics(file),
      program.getSemanticDiagnostics(file),
      program.getSemanticDiagnostics(`/${scope}/entry.ts`),
      program.getSourceFile(file),
    ]);
    return {
      syntaxErrors,
      errors,
      isEndpoint: entryErrors.length === 0,
      syntax: must(syntax, 'the checked source file'),
    };
  }

  async #program(scope: ScopeName, changed: readonly string[]) {
    this.#session ??= {
      api: new API({ cwd: '/', fs: this.#fileSystem(), ...tiedCompiler() }),
      snapshot: undefined,
    };
    const session = this.#session;
    const before = session.snapshot;
    session.snapshot = await session.api.updateSnapshot(
      before === undefined
        ? { openProjects: SCOPES.map((name) => `/${name}/tsconfig.json`) }
        : { fileChanges: { changed: [...changed] } },
    );
    await before?.dispose();
    return must(session.snapshot.getProject(`/${scope}/tsconfig.json`), 'the project').program;
  }

  #put(file: string, text: string): string[] {
    if (this.#files.get(file) === text) return [];
    this.#files.set(file, text);
    return [file];
  }

  #fileSystem() {
    const files = this.#files;
    const zod = this.#zod;
    const folders = SCOPES.map((scope) => `/${scope}`);
    return {
      readFile: (path: string) =>
        files.get(path) ?? zod.read(path) ?? (isCompilerLibrary(path) ? undefined : null),
      fileExists: (path: string) => files.has(path) || zod.has(path),
      directoryExists: (path: string) =>
        path === '/' || folders.includes(path) || zod.hasFolder(path),
      getAccessibleEntries: () => ({ files: [], directories: [] }),
      realpath: (path: string) => path,
    };
  }

  #kill(): void {
    const session = this.#session;
    this.#session = undefined;
    if (session === undefined) return;
    // The API has no way to end a child that is busy: it closes its input and waits.
    const client: unknown = Reflect.get(session.api, 'client');
    const child: unknown = Object(client).process;
    assert(child === undefined || child instanceof ChildProcess, 'the compiler is a child process');
    child?.kill('SIGKILL');
  }
}

interface Session {
  readonly api: API;
  snapshot: Snapshot | undefined;
}

function scopeFile(scope: ScopeName): string {
  return `scope-${scope}.d.ts`;
}

function isCompilerLibrary(path: string): boolean {
  return /\/@typescript\/typescript-[\w-]+\/lib\/lib\.[\w.]+\.d\.ts$/.test(path);
}
