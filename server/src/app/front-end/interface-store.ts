import {
  readSetting,
  settingDeletion,
  settingOperation,
  settingVersion,
} from '#access/settings.ts';
import type { WriterOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import { readFrontEndManifest, type FrontEndManifest } from './front-end-manifest.ts';

/** What is known of an interface beside its files. */
export interface StoredInterface {
  /** The digest of its manifest. */
  readonly digest: string;
  readonly files: number;
  readonly bytes: number;
  /** ISO 8601, UTC. */
  readonly uploadedAt: string;
  /** Null when it was uploaded with a token that is no user's. */
  readonly uploadedBy: { readonly uid: string; readonly name: string } | null;
}

export const INTERFACES_SETTING = 'interfaces';

/**
 * The interfaces of a workspace, as settings of the graph: one that lists them, and one with the
 * files of each. So replicas see them, and they are in a backup of the graph; the bytes of the
 * files are not (digest-folder.ts).
 */
export class InterfaceStore {
  readonly #reader: GraphReader;

  constructor(reader: GraphReader) {
    this.#reader = reader;
  }

  /** The interfaces of the newest commit, sorted by name. */
  all(): ReadonlyMap<string, StoredInterface> {
    this.#reader.refresh();
    const stored = readSetting(this.#reader, INTERFACES_SETTING) ?? {};
    const entries: [string, StoredInterface][] = Object.entries(stored);
    return new Map(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Throws `replication_corrupt` when it is not what was stored. */
  manifest(name: string): FrontEndManifest | undefined {
    return readFrontEndManifest(this.#reader, settingOf(name));
  }

  manifests(): FrontEndManifest[] {
    return [...this.all().keys()].flatMap((name) => this.manifest(name) ?? []);
  }

  /**
   * Operations for a commit with `system`, which is refused when any interface has changed since
   * they were read.
   */
  putOperations(
    name: string,
    stored: StoredInterface,
    manifest: FrontEndManifest,
  ): WriterOperation[] {
    const all = Object.fromEntries([...this.all(), [name, stored]]);
    return [this.#listOperation(all), settingOperation(settingOf(name), manifest)];
  }

  /** The same for a deletion. */
  deleteOperations(name: string): WriterOperation[] {
    const { [name]: _deleted, ...rest } = Object.fromEntries(this.all());
    return [this.#listOperation(rest), settingDeletion(settingOf(name))];
  }

  #listOperation(all: Readonly<Record<string, StoredInterface>>): WriterOperation {
    const version = settingVersion(this.#reader, INTERFACES_SETTING);
    return settingOperation(INTERFACES_SETTING, all, version);
  }
}

function settingOf(name: string): string {
  return `interface/${name}`;
}
