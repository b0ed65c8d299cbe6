import git, { type HttpClient, type ReadCommitResult, type TreeEntry } from 'isomorphic-git';
import type { GitSource } from '@trellis/contract/shapes/connector.ts';
import { ConnectorError } from '../connector-error.ts';
import { MemoryFolder } from './memory-folder.ts';
import type { SourceContext, SourceFetch } from './source-context.ts';

export interface Head {
  /** Without `refs/heads/`. */
  readonly branch: string;
  readonly oid: string;
}

export interface GitFile {
  readonly path: string;
  /** Id of its content. */
  readonly oid: string;
}

const GITDIR = '/repository';
const REPOSITORY_BYTES_MAX = 256 * 1024 * 1024;
/** Entries of trees that are read: a tree may hold the same tree very often. */
const ENTRIES_MAX = 200_000;
const REQUEST_BYTES_MAX = 16 * 1024 * 1024;

/** The end of a branch, without what leads to it. */
export async function headOf(source: GitSource, context: SourceContext): Promise<Head> {
  const refs = await reaching(source.url, () =>
    git.listServerRefs({
      http: httpOf(context.fetch),
      url: source.url,
      protocolVersion: 2,
      prefix: source.branch === null ? 'HEAD' : `refs/heads/${source.branch}`,
      symrefs: true,
      onAuth: authOf(source, context),
    }),
  );
  const wanted = source.branch === null ? 'HEAD' : `refs/heads/${source.branch}`;
  const found = refs.find(({ ref }) => ref === wanted);
  if (found === undefined) {
    const what = source.branch === null ? 'no commits' : `no branch ${source.branch}`;
    throw new ConnectorError('source_failed', `The repository has ${what}`);
  }
  const branch = source.branch ?? found.target?.replace(/^refs\/heads\//, '') ?? 'HEAD';
  return { branch, oid: found.oid };
}

/**
 * A branch with its last commits, in memory: nothing of a repository that strangers write lies in a
 * file.
 */
export class GitRepository {
  readonly #fs = new MemoryFolder(REPOSITORY_BYTES_MAX);
  /** Of the library: the index of what was fetched. */
  readonly #cache = {};
  readonly #trees = new Map<string, readonly TreeEntry[]>();
  #entries = 0;

  static async fetch(
    source: GitSource,
    head: Head,
    context: SourceContext,
  ): Promise<GitRepository> {
    const repository = new GitRepository();
    await reaching(source.url, async () => {
      const place = { fs: repository.#fs, gitdir: GITDIR };
      await git.init({ ...place, bare: true });
      await git.addRemote({ ...place, remote: 'origin', url: source.url });
      await git.fetch({
        ...place,
        cache: repository.#cache,
        http: httpOf(context.fetch),
        url: source.url,
        ref: head.branch,
        remoteRef: head.branch,
        singleBranch: true,
        tags: false,
        depth: source.commits,
        onAuth: authOf(source, context),
      });
    });
    return repository;
  }

  /** The newest first. */
  commits(head: Head, depth: number): Promise<ReadCommitResult[]> {
    return git.log({ ...this.#place(), ref: head.oid, depth });
  }

  /** Files, without links and submodules, wherever they would lead. */
  async files(tree: string): Promise<GitFile[]> {
    const found: GitFile[] = [];
    const open = [{ oid: tree, path: '' }];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      for (const { type, mode, oid, path: name } of await this.#tree(next.oid)) {
        const path = next.path === '' ? name : `${next.path}/${name}`;
        if (type === 'tree') open.push({ oid, path });
        else if (type === 'blob' && mode.startsWith('100')) found.push({ path, oid });
      }
    }
    return found;
  }

  /** Paths of files that differ between two trees, up to so many; `before` undefined is nothing. */
  async changes(before: string | undefined, after: string, max: number): Promise<string[]> {
    const changed: string[] = [];
    const open = [{ before, after: after as string | undefined, path: '' }];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const old = await this.#entriesOf(next.before);
      const now = await this.#entriesOf(next.after);
      for (const name of new Set([...old.keys(), ...now.keys()])) {
        const [one, other] = [old.get(name), now.get(name)];
        if (one?.oid === other?.oid && one?.mode === other?.mode) continue;
        const path = next.path === '' ? name : `${next.path}/${name}`;
        const trees = [one, other].map((entry) => (entry?.type === 'tree' ? entry.oid : undefined));
        if (trees.some((oid) => oid !== undefined)) {
          open.push({ before: trees[0], after: trees[1], path });
        }
        if ([one, other].some((entry) => entry?.type === 'blob')) changed.push(path);
        if (changed.length >= max) return changed;
      }
    }
    return changed;
  }

  async content(oid: string): Promise<Uint8Array> {
    const { blob } = await git.readBlob({ ...this.#place(), oid });
    return blob;
  }

  #place() {
    return { fs: this.#fs, gitdir: GITDIR, cache: this.#cache };
  }

  async #entriesOf(oid: string | undefined): Promise<ReadonlyMap<string, TreeEntry>> {
    const entries = oid === undefined ? [] : await this.#tree(oid);
    return new Map(entries.map((entry) => [entry.path, entry]));
  }

  async #tree(oid: string): Promise<readonly TreeEntry[]> {
    const known = this.#trees.get(oid);
    const tree = known ?? (await git.readTree({ ...this.#place(), oid })).tree;
    if (known === undefined) this.#trees.set(oid, tree);
    this.#entries += known === undefined ? tree.length : 1;
    if (this.#entries <= ENTRIES_MAX) return tree;
    const message = `The repository has more than ${ENTRIES_MAX} entries of folders`;
    throw new ConnectorError('source_failed', message);
  }
}

/** What the library throws is told of the source. */
async function reaching<T>(url: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ConnectorError || !(error instanceof Error)) throw error;
    throw new ConnectorError('source_failed', `${url}: ${error.message}`, { cause: error });
  }
}

function authOf({ user }: GitSource, { secret }: SourceContext) {
  // The library asks once more when it was refused, and would ask for ever.
  let asked = 0;
  return () => {
    if (secret === undefined || ++asked > 2) return { cancel: true };
    return { username: user ?? 'token', password: secret };
  };
}

/** The library's way to the network, by ours. */
function httpOf(fetch: SourceFetch): HttpClient {
  return {
    async request({ url, method = 'GET', headers = {}, body }) {
      const content = body === undefined ? null : await gathered(body);
      const sent = { method, headers, body: content };
      const response = await fetch(url, sent);
      return {
        url,
        method,
        statusCode: response.status,
        statusMessage: response.statusText,
        headers: Object.fromEntries(response.headers),
        body: chunksOf(response),
      };
    },
  };
}

async function* chunksOf({ body }: Response): AsyncIterableIterator<Uint8Array> {
  if (body !== null) yield* body;
}

async function gathered(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > REQUEST_BYTES_MAX) throw new RangeError('a request of Git is too large');
  }
  return new Uint8Array(Buffer.concat(chunks));
}
