import type { TrellisClient } from '@trellis/client/trellis-client.ts';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  checkFile,
  type EndpointFile,
  endpointFilesBelow,
  type Pushed,
  pushedText,
  pushFile,
  readEndpointFile,
} from '../commands/endpoint-push.ts';
import { type ModuleFile, pushedModuleText, pushModules, readModules } from '../commands/module.ts';
import { checkSchema } from '../commands/schema.ts';
import { failureText, reportOf } from '../failure.ts';
import { parseJson } from '../json-input.ts';
import { diffSchemas, differenceText } from '../schema-diff.ts';
import type { Tell } from '../terminal.ts';
import { writeIfChanged } from '../write-if-changed.ts';
import { createTogether } from './first-push.ts';
import { PackagePush } from './package-push.ts';

/** Written for a program with the SDK that lies in the folder, if it has such a module. */
const PROGRAM_TYPES = 'src/workspace.ts';

/** Sends what has changed in a folder since the last time, and tells what came of it. */
export class ProjectPush {
  readonly #client: TrellisClient;
  readonly #folder: string;
  readonly #tell: Tell;
  readonly #packages: PackagePush;
  #schema: string | undefined;
  /** The code that was sent, by name. */
  readonly #sent = new Map<string, string>();
  readonly #sentModules = new Map<string, string>();
  /** Names of endpoints and modules that do not compile. */
  readonly #wrong = new Set<string>();

  constructor(client: TrellisClient, folder: string, tell: Tell) {
    this.#client = client;
    this.#folder = folder;
    this.#tell = tell;
    this.#packages = new PackagePush(client, folder, tell);
  }

  async run(signal: AbortSignal): Promise<void> {
    const isNewSchema = await this.#putSchema(signal);
    const endpoints = this.#readEndpoints();
    await this.#packages.run(this.#codes(endpoints), signal);
    // They import modules.
    const isAnyModuleSent = await this.#pushModules(signal);
    const isAnySent =
      (await this.#pushEndpoints(endpoints, isNewSchema, signal)) || isAnyModuleSent;
    if (!isNewSchema && !isAnySent) return;
    await this.#writeTypes(signal);
    const wrong = [...this.#wrong].toSorted();
    const text = wrong.length === 0 ? 'All compile.' : `Does not compile: ${wrong.join(', ')}.`;
    this.#tell({ event: 'pushed', wrong }, `${text} Waiting for changes.`);
  }

  /** Whether it was sent: another text may say the same. */
  async #putSchema(signal: AbortSignal): Promise<boolean> {
    const file = join(this.#folder, 'schema.json');
    if (!existsSync(file)) return false;
    const text = readFileSync(file, 'utf8');
    if (text === this.#schema) return false;
    // What is refused is not sent again before it is saved again.
    this.#schema = text;
    const wanted = checkSchema(parseJson(text, file), file);
    const before = await this.#client.schema.get({ signal });
    const after = await this.#client.schema.put(wanted, { signal });
    const changes = diffSchemas(before, after);
    const told = changes.length === 0 ? ['schema: unchanged'] : changes.map(differenceText);
    this.#tell({ event: 'schema', changes }, told.join('\n'));
    return true;
  }

  #modules(): readonly ModuleFile[] {
    const folder = join(this.#folder, 'lib');
    return existsSync(folder) ? readModules(folder) : [];
  }

  /** What cannot be read is told, and keeps back nothing else. */
  #readEndpoints(): readonly EndpointFile[] {
    const files = endpointFilesBelow(join(this.#folder, 'endpoints'));
    const names = new Set(files.map(({ name }) => name));
    for (const name of this.#sent.keys()) if (!names.has(name)) this.#forget(name);
    return files.flatMap((file) => {
      try {
        return [readEndpointFile(file)];
      } catch (error) {
        // Once it can be read it is sent again.
        this.#sent.delete(file.name);
        this.#wrong.add(file.name);
        const failure = reportOf(error, this.#client.baseUrl.href);
        this.#tell({ event: 'failed', error: failure }, failureText(failure));
        return [];
      }
    });
  }

  #forget(name: string): void {
    this.#sent.delete(name);
    this.#wrong.delete(name);
    this.#tell(
      { event: 'kept', name },
      `${name}: its file is gone; "trellis endpoint delete ${name}" deletes it from the server`,
    );
  }

  /** All code that may import packages, by path in the folder. */
  #codes(endpoints: readonly EndpointFile[]): ReadonlyMap<string, string> {
    return new Map([
      ...this.#modules().map(({ name, code }) => [`lib/${name}.ts`, code] as const),
      ...endpoints.map(({ name, code }) => [`endpoints/${name}.ts`, code] as const),
    ]);
  }

  /** Whether any was sent; the server checks again what imports them. */
  async #pushModules(signal: AbortSignal): Promise<boolean> {
    const files = this.#modules();
    const changed = files.filter(({ name, code }) => this.#sentModules.get(name) !== code);
    for await (const { file, module } of pushModules(this.#client, changed, signal)) {
      const { name, compiles, diagnostics, usedBy } = module;
      this.#sentModules.set(name, file.code);
      const wrong = { [specifier(name)]: compiles };
      for (const user of usedBy) if (user.kind === 'endpoint') wrong[user.name] = user.compiles;
      for (const [one, isGood] of Object.entries(wrong)) {
        if (isGood) this.#wrong.delete(one);
        else this.#wrong.add(one);
      }
      const event = { event: 'module', name, compiles, diagnostics, usedBy } as const;
      this.#tell(event, pushedModuleText(file, module));
    }
    return changed.length > 0;
  }

  /** Whether any was sent. What was sent before is checked again when the schema is new. */
  async #pushEndpoints(
    files: readonly EndpointFile[],
    isNewSchema: boolean,
    signal: AbortSignal,
  ): Promise<boolean> {
    const toSend = files.filter(({ name, code }) => this.#sent.get(name) !== code);
    const codes = new Map(toSend.map(({ name, code }) => [name, code]));
    let isAnySent = false;
    for (const pushed of await createTogether(this.#client, toSend, signal)) {
      this.#sent.set(pushed.name, codes.get(pushed.name) ?? '');
      isAnySent = true;
      this.#note(pushed, true);
    }
    for (const file of files) {
      const isNew = this.#sent.get(file.name) !== file.code;
      if (!isNew && !isNewSchema) continue;
      const pushed = await (isNew ? pushFile : checkFile)(this.#client, file, signal);
      this.#sent.set(file.name, file.code);
      isAnySent ||= isNew;
      this.#note(pushed, isNew);
    }
    return isAnySent;
  }

  #note(pushed: Pushed, isNew: boolean): void {
    const { name, compiles } = pushed;
    const wasWrong = this.#wrong.has(name);
    if (compiles) this.#wrong.delete(name);
    else this.#wrong.add(name);
    // Of what is only checked again, no news is good news.
    if (!isNew && compiles && !wasWrong) return;
    this.#tell({ event: 'endpoint', ...pushed }, pushedText(pushed));
  }

  async #writeTypes(signal: AbortSignal): Promise<void> {
    const { build } = this.#client;
    this.#write('endpoints/trellis.d.ts', await build.getTypes({ scope: 'full' }, { signal }));
    if (!existsSync(join(this.#folder, PROGRAM_TYPES))) return;
    this.#write(PROGRAM_TYPES, await build.getProgramTypes({ signal }));
  }

  #write(path: string, text: string): void {
    const file = join(this.#folder, path);
    if (writeIfChanged(file, text)) this.#tell({ event: 'types', file }, `Wrote ${file}`);
  }
}

function specifier(module: string): string {
  return `#lib/${module}.ts`;
}
