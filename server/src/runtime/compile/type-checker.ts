import { ChildProcess } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import {
  API,
  type Diagnostic as CompilerDiagnostic,
  type Project,
  type Snapshot,
} from 'typescript/unstable/async';
import type { SourceFile } from 'typescript/unstable/ast';
import { assert, must } from '#base/assert.ts';
import { isPackage } from './imported-modules.ts';
import {
  entryFile,
  type FileChanges,
  moduleFile,
  ProjectFiles,
  type ScopedSource,
  type ScopeName,
} from './project-files.ts';

/** What the compiler says of one endpoint. */
export interface CheckedSource {
  readonly syntaxErrors: readonly CompilerDiagnostic[];
  /** Errors of the types. */
  readonly errors: readonly CompilerDiagnostic[];
  /** Whether its default export is a function that takes the scope, as far as it has one. */
  readonly isEndpoint: boolean;
  readonly syntax: SourceFile;
  /** Errors of what it imports, by the name of the module: in another scope there may be others. */
  readonly moduleErrors: ReadonlyMap<string, ModuleErrors>;
}

/** Of a module that is imported. */
export interface ModuleErrors {
  readonly code: string;
  readonly errors: readonly CompilerDiagnostic[];
}

/**
 * One source in its scope, as the compiler has it. Nothing of it may be used once the question is
 * answered.
 */
export interface Asked {
  readonly project: Project;
  /** The name of the source's file. */
  readonly file: string;
  readonly scope: ScopeName;
  /** What it imports: code by name. */
  readonly modules: ReadonlyMap<string, string>;
}

/** Everything that the compiler finds wrong with it. */
export async function checkedSource({
  project,
  file,
  scope,
  modules,
}: Asked): Promise<CheckedSource> {
  const { program } = project;
  const [syntaxErrors, errors, entryErrors, syntax, moduleErrors] = await Promise.all([
    program.getSyntacticDiagnostics(file),
    program.getSemanticDiagnostics(file),
    program.getSemanticDiagnostics(entryFile(scope)),
    program.getSourceFile(file),
    Promise.all(
      [...modules]
        .filter(([name]) => !isPackage(name))
        .map(([name, code]) => moduleErrorsOf(name, code)),
    ),
  ]);
  async function moduleErrorsOf(name: string, code: string): Promise<[string, ModuleErrors]> {
    const found = await program.getSemanticDiagnostics(moduleFile(scope, name));
    return [name, { code, errors: found }];
  }
  return {
    syntaxErrors,
    errors,
    isEndpoint: entryErrors.length === 0,
    syntax: must(syntax, 'the checked source file'),
    moduleErrors: new Map(moduleErrors.filter(([, found]) => found.errors.length > 0)),
  };
}

export interface AskOptions {
  /** Asked for in the place of an editor's: see `project-files.ts`. */
  readonly isDraft?: boolean;
  /** Ends the waiting for the compiler, not the answering. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Thrown when a check took longer than it may: with very few exceptions the fault of the code's own
 * types.
 */
export class CheckTimeout extends Error {
  override readonly name = 'CheckTimeout';
}

/** The tree of a longer text is dropped when the question is answered. */
const LARGE_CHARACTERS = 64 * 1024;
const CHECK_TIMEOUT_MS = 10_000;
/** How many times as long a check may last where its child has to wait for a processor. */
const PATIENCE = 6;
/** Linux counts the processor time of a process in these, whatever its processor. */
const TICK_MS = 10;

/**
 * Where there is what it takes, the kernel ends the compiler with this thread, however that ends.
 */
function tiedCompiler(): { readonly tsserverPath?: string } {
  const tsserverPath = join(import.meta.dirname, 'tied-compiler.sh');
  const folders = createRequire(import.meta.url).resolve.paths('typescript') ?? [];
  try {
    for (const path of [tsserverPath, '/usr/bin/setpriv']) accessSync(path, constants.X_OK);
    const isThere = folders.some((folder) => existsSync(join(folder, '@typescript')));
    return isThere ? { tsserverPath } : {};
  } catch {
    return {};
  }
}

/**
 * Checks endpoint code with the native compiler, and asks it about code, in one child process that
 * starts with the first question. Its API is marked unstable: nothing outside this folder knows it.
 *
 * - Questions are answered one after the other. One that takes too long, or a child that ends, is
 *   followed by a new child. On a slow or busy machine a question may take longer: what counts is
 *   the processor time of the child.
 * - The files are virtual. Nothing but the compiler's own library and the types of zod is read from
 *   the disk, whatever the code refers to.
 * - One program holds one scope and one endpoint: a `declare global` in one must not change the
 *   scope of another, and two scopes must not share a file name, as files are cached by name.
 */
export class TypeChecker {
  readonly #files = new ProjectFiles();
  readonly #timeoutMs: number;
  #session: Session | undefined;
  readonly #queue = new JobQueue();
  /** Ends the question that waits for an answer. */
  #interrupt: ((reason: Error) => void) | undefined;
  #isClosed = false;
  #isFailing = false;

  /** Of processor time, at least where Linux tells it. */
  constructor(timeoutMs: number = CHECK_TIMEOUT_MS) {
    this.#timeoutMs = timeoutMs;
  }

  /** Whether the last question has found no child that would answer it. */
  get isFailing(): boolean {
    return this.#isFailing;
  }

  check(source: ScopedSource): Promise<CheckedSource> {
    return this.ask(source, checkedSource);
  }

  /**
   * Rejects with `CheckTimeout`, or the signal's reason. The question may be put twice, as the
   * child may die of something else.
   */
  ask<T>(
    source: ScopedSource,
    question: (asked: Asked) => Promise<T>,
    { isDraft = false, signal }: AskOptions = {},
  ): Promise<T> {
    const job = async () => {
      const answer = await question(await this.#prepare(source, isDraft));
      // Its tree is many times as large as its text, and stays until another question otherwise.
      if (source.source.length > LARGE_CHARACTERS) this.#session?.api.clearSourceFileCache();
      return answer;
    };
    return this.#queue.run(() => this.#tryTwice(job), signal);
  }

  /** Questions that are not answered yet are rejected: who stops waits for no compiler. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#interrupt?.(closed());
    await this.#queue.run(() => Promise.resolve());
    // The child holds nothing that is worth a farewell, and the API's own one sometimes never comes
    // back.
    this.#kill();
  }

  async #tryTwice<T>(job: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw closed();
    try {
      return await this.#noting(job);
    } catch (error) {
      if (error instanceof CheckTimeout || this.#isClosed) throw error;
      // The child has died, which need not be the fault of this code.
      return await this.#noting(job);
    }
  }

  /** A timeout is the code's fault, and no sign of how the child is. */
  async #noting<T>(job: () => Promise<T>): Promise<T> {
    try {
      const answer = await this.#inTime(job);
      this.#isFailing = false;
      return answer;
    } catch (error) {
      this.#isFailing = !(error instanceof CheckTimeout);
      throw error;
    }
  }

  async #inTime<T>(job: () => Promise<T>): Promise<T> {
    const { promise: interrupted, reject } = Promise.withResolvers<never>();
    this.#interrupt = reject;
    const usedBefore = this.#usedMs();
    let waitedMs = 0;
    let timer: NodeJS.Timeout | undefined;
    const wait = (delayMs: number): void => {
      timer = setTimeout(() => {
        waitedMs += delayMs;
        const leftMs = this.#timeoutMs - (this.#usedMs() - usedBefore);
        if (leftMs > 0 && waitedMs < PATIENCE * this.#timeoutMs) return wait(leftMs);
        const text = `the compiler took longer than ${this.#timeoutMs} ms`;
        return reject(new CheckTimeout(text));
      }, delayMs);
    };
    wait(this.#timeoutMs);
    try {
      return await Promise.race([job(), interrupted]);
    } catch (error) {
      this.#kill();
      throw error;
    } finally {
      this.#interrupt = undefined;
      clearTimeout(timer);
    }
  }

  async #prepare(source: ScopedSource, isDraft: boolean): Promise<Asked> {
    const { config, file, changes } = this.#files.put(source, isDraft);
    const project = await this.#project(config, changes);
    return { project, file, scope: source.scope, modules: source.modules ?? new Map() };
  }

  async #project(config: string, changes: FileChanges): Promise<Project> {
    const session = (this.#session ??= this.#begin());
    await session.begun;
    const { opened, snapshot: before } = session;
    session.snapshot = await session.api.updateSnapshot({
      ...(opened.has(config) ? {} : { openProjects: [config] }),
      ...(before === undefined ? {} : { fileChanges: changes }),
    });
    opened.add(config);
    await before?.dispose();
    return must(session.snapshot.getProject(config), 'the project');
  }

  #begin(): Session {
    const api = new API({ cwd: '/', fs: this.#files.fileSystem(), ...tiedCompiler() });
    return { api, begun: this.#start(api), opened: new Set(), snapshot: undefined };
  }

  async #start(api: API): Promise<void> {
    await Object(Reflect.get(api, 'client')).connect();
    const child = must(childOf(api), 'the compiler');
    // It was killed while it was starting.
    if (this.#session?.api !== api) child.kill('SIGKILL');
    surviveEnd(must(child.stdin, 'its input'));
    child.once('exit', () => {
      // The API does not tell those who wait for an answer.
      if (this.#session?.api === api) this.#interrupt?.(new Error('the compiler has ended'));
      if (this.#session?.api === api) this.#session = undefined;
    });
  }

  /** Processor time of the child so far. */
  #usedMs(): number {
    const child = this.#session && childOf(this.#session.api);
    return child?.pid === undefined ? 0 : processorMs(child.pid);
  }

  #kill(): void {
    const session = this.#session;
    this.#session = undefined;
    // The API has no way to end a child that is busy: it closes its input and waits.
    if (session !== undefined) childOf(session.api)?.kill('SIGKILL');
  }
}

function closed(): Error {
  return new Error('the type checker was closed');
}

/** Undefined before it is started. */
function childOf(api: API): ChildProcess | undefined {
  const client: unknown = Reflect.get(api, 'client');
  const child: unknown = Object(client).process;
  assert(child === undefined || child instanceof ChildProcess, 'the compiler is a child process');
  return child;
}

/** That a process has used; infinite where it cannot be known. */
function processorMs(pid: number): number {
  try {
    // The name of the program, in brackets, may hold anything.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return Infinity;
  }
}

/**
 * What is written to a process that has ended counts as written: its end is noticed anyway. When a
 * write fails, the API rejects a promise that nobody has, which would end the server.
 */
export function surviveEnd(input: Writable): void {
  const write = input.write.bind(input);
  type Told = (error?: Error | null) => void;
  input.write = (chunk: unknown, encoding?: BufferEncoding | Told, told?: Told): boolean => {
    const tell = typeof encoding === 'function' ? encoding : told;
    return write(chunk, typeof encoding === 'string' ? encoding : 'utf8', () => tell?.());
  };
}

interface Session {
  readonly api: API;
  /** Settles when the child is started, or cannot be. */
  readonly begun: Promise<void>;
  /** The configurations of the projects that are. */
  readonly opened: Set<string>;
  snapshot: Snapshot | undefined;
}

/** Jobs that run one after the other, in the order they were asked for. */
export class JobQueue {
  readonly #waiting = new Set<() => void>();
  #isBusy = false;

  /**
   * Rejects as the job does; with the signal's reason, and at once, when it aborts before the job
   * begins.
   */
  async run<T>(job: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.#turn(signal);
    try {
      return await job();
    } finally {
      this.#next();
    }
  }

  #turn(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    if (this.#isBusy) {
      this.#waiting.add(resolve);
      const leave = () => {
        if (this.#waiting.delete(resolve)) reject(signal?.reason);
      };
      signal?.addEventListener('abort', leave, { once: true });
      void promise.catch(() => {}).finally(() => signal?.removeEventListener('abort', leave));
    } else {
      this.#isBusy = true;
      resolve();
    }
    return promise;
  }

  #next(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#isBusy = false;
    } else {
      this.#waiting.delete(next);
      next();
    }
  }
}
