import { type AuditTrail, deed } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import { zipFiles, type ZipReading } from '#archive/read-zip.ts';
import type { Clock } from '#base/clock.ts';
import { INTERFACES_MAX } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { FrontEndFile, HttpServices } from '#http/services.ts';
import { OneAtATime } from '#base/one-at-a-time.ts';
import { currentSettings } from '#identity/workspace-settings.ts';
import { FRONT_END_BYTES_MAX, FRONT_END_FILES_MAX } from '@trellis/contract/limits.ts';
import type { InterfaceRecord } from '@trellis/contract/shapes/interface.ts';
import type { DigestFolder } from './digest-folder.ts';
import { frontEndFile, type FrontEndFiles, urlPathOf } from './front-end-files.ts';
import { manifestOf } from './front-end-manifest.ts';
import { InterfaceStore, type StoredInterface } from './interface-store.ts';

export interface InterfacesParts {
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly audit: AuditTrail;
  readonly clock: Clock;
  readonly folder: DigestFolder;
  /** Resolves once what has changed is served. */
  readonly onChanged: () => Promise<void>;
}

type Service = HttpServices['interfaces'];

/** The custom interfaces of a workspace (docs/interfaces.md). */
export class Interfaces implements Service {
  readonly #parts: InterfacesParts;
  readonly #store: InterfaceStore;
  readonly #changes = new OneAtATime();

  constructor(parts: InterfacesParts) {
    this.#parts = parts;
    this.#store = new InterfaceStore(parts.reader);
  }

  has(name: string): boolean {
    return this.#store.all().has(name);
  }

  list(_caller: Caller, { skip, take }: { readonly skip: number; readonly take: number }) {
    const all = [...this.#store.all()];
    const items = all.slice(skip, skip + take).map(([name, stored]) => this.#record(name, stored));
    return { items, total: all.length, skip, take };
  }

  async put(
    caller: Caller,
    name: string,
    zip: Uint8Array,
    address: string,
  ): Promise<InterfaceRecord> {
    const files = await readInterfaceZip(zip);
    return this.#changes.run(() => this.#put({ caller, address }, name, files));
  }

  async delete(caller: Caller, name: string, address: string): Promise<void> {
    await this.#changes.run(async () => {
      const { reader, commits, audit } = this.#parts;
      if (!this.has(name)) throw missing(name);
      if (chosenInterface(reader) === name) {
        throw new Problem('interface_in_use', `The workspace serves the interface "${name}".`);
      }
      const target = { kind: 'interface', id: name };
      const event = deed('interface.deleted', { caller, address }, target);
      const operations = [...this.#store.deleteOperations(name), audit.operation(event)];
      await commits.commit({ system: true, operations });
    });
  }

  async #put(
    doer: { readonly caller: Caller; readonly address: string },
    name: string,
    files: FrontEndFiles,
  ): Promise<InterfaceRecord> {
    const { clock, commits, audit, onChanged } = this.#parts;
    const all = this.#store.all();
    if (!all.has(name) && all.size >= INTERFACES_MAX) {
      throw new Problem('invalid_interface', `There are ${INTERFACES_MAX} interfaces already.`, {
        hint: 'Delete one that is not needed any more.',
      });
    }
    await this.#writeFiles(files);
    const manifest = manifestOf(files);
    const stored = {
      digest: manifest.digest,
      files: files.size,
      bytes: manifest.files.reduce((sum, { bytes }) => sum + bytes, 0),
      uploadedAt: new Date(clock.now()).toISOString(),
      uploadedBy: authorOf(doer.caller),
    };
    const { digest } = stored;
    const event = deed('interface.uploaded', doer, { kind: 'interface', id: name }, { digest });
    const operations = this.#store.putOperations(name, stored, manifest);
    await commits.commit({ system: true, operations: [...operations, audit.operation(event)] });
    await onChanged();
    return this.#record(name, stored);
  }

  /**
   * What no interface has any more goes now and not after the last change: replicas may still have
   * been fetching it.
   */
  async #writeFiles(files: FrontEndFiles): Promise<void> {
    const { folder } = this.#parts;
    const stored = this.#store.manifests().flatMap((manifest) => manifest.files);
    const known = new Set(stored.map(({ digest }) => digest));
    await folder.keepOnly(known);
    try {
      await folder.write(files.values());
    } catch (error) {
      await folder.keepOnly(known);
      throw error;
    }
  }

  #record(name: string, stored: StoredInterface): InterfaceRecord {
    return { name, ...stored, chosen: chosenInterface(this.#parts.reader) === name };
  }
}

/** The setting `interface`. */
function chosenInterface(reader: GraphReader): string | null {
  return currentSettings(reader).interface;
}

/**
 * The files of the chosen one; undefined when it is the built-in front end. Throws
 * `front_end_unreadable`.
 */
export async function chosenFiles(
  reader: GraphReader,
  folder: DigestFolder,
): Promise<FrontEndFiles | undefined> {
  const name = chosenInterface(reader);
  if (name === null) return undefined;
  const store = new InterfaceStore(reader);
  const manifest = store.all().has(name) ? store.manifest(name) : undefined;
  if (manifest === undefined) throw unreadable(name, 'it is not there');
  const files = new Map<string, FrontEndFile>();
  for (const { path, digest } of manifest.files) {
    const bytes = await folder.read(digest);
    if (bytes === undefined) throw unreadable(name, `${path} is missing or damaged`);
    files.set(path, { bytes, digest });
  }
  return files;
}

function authorOf({ userUid, userName }: Caller): StoredInterface['uploadedBy'] {
  return userUid === null ? null : { uid: userUid, name: userName ?? userUid };
}

function missing(name: string): Problem {
  return new Problem('interface_not_found', `There is no interface "${name}".`);
}

function unreadable(name: string, why: string): Problem {
  return new Problem('front_end_unreadable', `The interface "${name}" cannot be read: ${why}.`, {
    hint: 'Upload it again, or choose another one.',
  });
}

/** They belong to the server: the built-in front end, and the API. */
const RESERVED = ['trellis', 'api'];

const READING: ZipReading = {
  filesMax: FRONT_END_FILES_MAX,
  bytesMax: FRONT_END_BYTES_MAX,
  refusal: (message, more) => new Problem('invalid_interface', message, more),
  checkName: (name, shown) => {
    const [first = ''] = name.split('/');
    if (!RESERVED.includes(first)) return;
    const message = `${shown} could not be reached: what is below "/${first}/" belongs to the server.`;
    throw new Problem('invalid_interface', message, {
      hint: 'Put it into a folder of another name.',
    });
  },
};

/**
 * The files of an interface. As in a folder, those whose names begin with a dot are left out, and
 * what a Mac puts beside files. Throws `invalid_interface` for what is no zip, for names that lead
 * out of it, for too many files or bytes, whatever the zip itself says of them, and when there is
 * no `index.html`.
 */
export async function readInterfaceZip(zip: Uint8Array): Promise<FrontEndFiles> {
  const files = new Map<string, FrontEndFile>();
  for await (const { name, bytes } of zipFiles(zip, READING)) {
    files.set(urlPathOf(name), frontEndFile(bytes));
  }
  if (!files.has('/index.html')) throw withoutPage(files);
  return new Map([...files].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function withoutPage(files: FrontEndFiles): Problem {
  const [first = ''] = files.keys();
  const top = /^\/[^/]+\//.exec(first)?.[0];
  const isOneFolder = top !== undefined && [...files.keys()].every((path) => path.startsWith(top));
  const hint =
    isOneFolder && files.has(`${top}index.html`)
      ? `Zip what is in the folder "${top.slice(1, -1)}", and not the folder itself.`
      : undefined;
  const message = 'The zip has no index.html at its root.';
  return new Problem('invalid_interface', message, hint === undefined ? {} : { hint });
}
