import { hash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { Deployment, DeploymentDetails } from '@trellis/contract/shapes/deployment.ts';
import { reproducibleZip } from '#archive/write-zip.ts';
import { must } from '#base/assert.ts';
import {
  DEPLOYMENT_PART_BYTES_MAX,
  DEPLOYMENTS_BYTES_MAX,
  DEPLOYMENTS_MAX,
} from '#base/definition-limits.ts';
import { Problem } from '#base/problem.ts';
import type { WriterOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { DefinitionFile } from './definition-kind.ts';
import { MANIFEST_PATH } from './manifest.ts';

/** The node types in which deployments are stored: see `#graph/system-schema.ts`. */
const DEPLOYMENT_TYPE = '_Deployment';
const PART_TYPE = '_DeploymentPart';

/** A deployment as it is written, with its files. */
export type NewDeployment = DeploymentDetails & { readonly files: readonly DefinitionFile[] };

/** Equal definitions have equal digests, whichever version of the product has exported them. */
export function digestOf(files: readonly DefinitionFile[]): string {
  const own = files.filter(({ path }) => path !== MANIFEST_PATH);
  return hash('sha256', JSON.stringify(own.map(({ path, text }) => [path, text])));
}

/**
 * The states that the definitions of the workspace were in: each as a zip, in parts that a node can
 * hold. The newest is the state that the last import has left.
 */
export class DeploymentStore {
  readonly #reader: GraphReader;

  constructor(reader: GraphReader) {
    this.#reader = reader;
  }

  /** Newest first. */
  list({ skip, take }: { readonly skip: number; readonly take: number }) {
    const ids = this.#ids();
    const items = ids.slice(skip, skip + take).map((id) => withoutChanges(this.#read(id)));
    return { items, total: ids.length, skip, take };
  }

  /** Throws `deployment_not_found`. */
  get(key: string): DeploymentDetails {
    return this.#read(this.#require(key));
  }

  newest(): DeploymentDetails | undefined {
    const [id] = this.#ids();
    return id === undefined ? undefined : this.#read(id);
  }

  /** The definitions as they were. Throws `deployment_not_found`. */
  zip(key: string): Uint8Array {
    const size = this.#sizeOf(this.#require(key));
    const parts = partKeys(key, size).map((part) => {
      const id = must(this.#reader.id({ type: PART_TYPE, key: part }), 'a part of a deployment');
      return Buffer.from(String(this.#reader.field(id, 'Bytes')), 'base64');
    });
    return Buffer.concat(parts);
  }

  /**
   * For a commit with `system`: writes deployments, the newest last, and deletes the oldest beyond
   * what is kept. The newest two stay, however large they are, as they are what is gone back to.
   */
  async operations(added: readonly NewDeployment[]): Promise<WriterOperation[]> {
    const written = await Promise.all(added.map(packed));
    const known = this.#ids().map((id) => ({ key: this.#keyOf(id), size: this.#sizeOf(id) }));
    const all = [
      ...written.map(({ key, zip }) => ({ key, size: zip.length })).toReversed(),
      ...known,
    ];
    let bytes = 0;
    const old = all.filter(({ size }, i) => {
      bytes += size;
      return i >= 2 && (i >= DEPLOYMENTS_MAX || bytes > DEPLOYMENTS_BYTES_MAX);
    });
    return [
      ...written.flatMap(({ operations }) => operations),
      ...old.flatMap(({ key, size }) => removals(key, size)),
    ];
  }

  /** Those of one time are in the order in which they were written. */
  #ids(): number[] {
    this.#reader.refresh();
    return this.#reader.idsOfType(DEPLOYMENT_TYPE);
  }

  #require(key: string): number {
    this.#reader.refresh();
    const id = this.#reader.id({ type: DEPLOYMENT_TYPE, key });
    if (id !== undefined) return id;
    throw new Problem('deployment_not_found', `There is no deployment "${key}".`);
  }

  #keyOf(id: number): string {
    return String(this.#reader.field(id, 'Key'));
  }

  #sizeOf(id: number): number {
    return Number(this.#reader.field(id, 'Size'));
  }

  #read(id: number): DeploymentDetails {
    const node = must(this.#reader.node(id), 'the node of a deployment');
    const named = (uid: string, name: string) =>
      typeof node[uid] === 'string' ? ([node[uid], String(node[name] ?? '')] as const) : undefined;
    const by = named('ActorUid', 'ActorName');
    const token = named('TokenId', 'TokenName');
    return {
      id: String(node.Id),
      at: node.Timestamp,
      cause: node['Cause'] as Deployment['cause'],
      of: typeof node['Of'] === 'string' ? node['Of'] : null,
      by: by === undefined ? null : { uid: by[0], name: by[1] },
      token: token === undefined ? null : { id: token[0], name: token[1] },
      digest: String(node['Digest']),
      mirror: node['Mirror'] === true,
      totals: node['Totals'] as Deployment['totals'],
      changes: (node['Changes'] ?? []) as DeploymentDetails['changes'],
    };
  }
}

function withoutChanges({ changes: _changes, ...deployment }: DeploymentDetails): Deployment {
  return deployment;
}

async function packed({ files, ...deployment }: NewDeployment) {
  const zip = await buffer(reproducibleZip(files));
  const { id: key, at, cause, of, by, token, digest, mirror, totals, changes } = deployment;
  const fields = {
    Cause: cause,
    Of: of,
    ActorUid: by?.uid ?? null,
    ActorName: by?.name ?? null,
    TokenId: token?.id ?? null,
    TokenName: token?.name ?? null,
    Digest: digest,
    Mirror: mirror,
    Totals: { ...totals },
    Changes: changes.map((change) => ({ ...change })),
    Size: zip.length,
  };
  const parts = partKeys(key, zip.length).map((part, i): WriterOperation => {
    const start = i * DEPLOYMENT_PART_BYTES_MAX;
    const bytes = zip.subarray(start, start + DEPLOYMENT_PART_BYTES_MAX);
    const content = { Bytes: bytes.toString('base64') };
    return { op: 'addOrUpdate', type: PART_TYPE, key: part, fields: content };
  });
  const operations: WriterOperation[] = [
    { op: 'addOrUpdate', type: DEPLOYMENT_TYPE, key, fields, timestamp: at },
    ...parts,
  ];
  return { key, zip, operations };
}

function removals(key: string, size: number): WriterOperation[] {
  const parts = partKeys(key, size).map((part) => ({ type: PART_TYPE, key: part }));
  return [{ type: DEPLOYMENT_TYPE, key }, ...parts].map((node) => ({ op: 'delete', ...node }));
}

function partKeys(key: string, size: number): string[] {
  const count = Math.ceil(size / DEPLOYMENT_PART_BYTES_MAX);
  return Array.from({ length: count }, (_, i) => `${key}/${i}`);
}
