import type { GraphReader } from '#graph/reader.ts';
import type { CompileVerdicts } from './compile/compile-verdicts.ts';
import { isBuiltIn } from './endpoint-definition.ts';
import type { EndpointStore, StoredEndpoint } from './endpoint-store.ts';
import type { Author, CodeKind } from './history/code-history.ts';

/** One leaf of the Build tree (open-shapes, section 8). */
export interface CatalogItem {
  readonly uid: string;
  readonly kind: CodeKind;
  readonly name: string;
  /** What stands before the last "/" of the name. */
  readonly folder: string;
  readonly isReadOnly: boolean;
  /** The server brings it along: it cannot be changed. */
  readonly isBuiltIn: boolean;
  readonly compiles: boolean;
  /** ISO 8601 UTC. */
  readonly updatedAt: string;
  readonly updatedBy: Author | null;
}

/** Everything that the Build tree draws, by name: without source and without compiling. */
export class BuildCatalog {
  readonly #store: EndpointStore;
  readonly #reader: GraphReader;
  readonly #verdicts: CompileVerdicts;

  constructor(store: EndpointStore, reader: GraphReader, verdicts: CompileVerdicts) {
    this.#store = store;
    this.#reader = reader;
    this.#verdicts = verdicts;
  }

  items(): CatalogItem[] {
    return this.#store.all().map((endpoint) => this.#item(endpoint));
  }

  #item(endpoint: StoredEndpoint): CatalogItem {
    const { UID: uid, name, isReadOnly } = endpoint.definition;
    return {
      uid,
      kind: 'endpoint',
      name,
      folder: name.slice(0, Math.max(0, name.lastIndexOf('/'))),
      isReadOnly,
      isBuiltIn: isBuiltIn(name),
      compiles: this.#verdicts.compiles(endpoint),
      updatedAt: endpoint.updatedAt,
      updatedBy: this.#author(endpoint.updatedBy),
    };
  }

  /** Users are never deleted. */
  #author(uid: string | null): Author | null {
    if (uid === null) return null;
    const id = this.#reader.id({ uid });
    const name = id === undefined ? undefined : this.#reader.field(id, 'UserName');
    return { uid, name: typeof name === 'string' ? name : '' };
  }
}
