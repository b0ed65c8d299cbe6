import { nodeUid } from '@trellis/client/uid.ts';
import type { GitSource } from '@trellis/contract/shapes/connector.ts';
import type { GraphOperation } from '@trellis/contract/shapes/graph-operation.ts';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import type { ReadCommitResult } from 'isomorphic-git';
import type { ConnectorRun } from '../connector-run.ts';
import { type NodeReference, restrictTo } from '../restrict-to.ts';
import { type ConnectorReport, runConnector } from '../run-connector.ts';
import { refusalCode } from '../workspace-refusal.ts';
import { type GitFile, GitRepository, type Head, headOf } from './git-repository.ts';
import { edgesBothWays, linkBy } from './linked-nodes.ts';
import { PrincipalNames } from './principal-names.ts';
import type { ConnectorKind, KindTarget, SourceContext } from './source-context.ts';
import { readersOfTeam } from './source-readers.ts';

const INVERSES = {
  GitPartOf: 'GitHasPart',
  GitWrittenBy: 'GitWrote',
  GitFollows: 'GitFollowedBy',
  GitChanged: 'GitChangedBy',
} as const;
const link = linkBy(INVERSES);

/** A branch of a repository: files with their content, the last commits, and who made them. */
const SCHEMA: SchemaDocument = {
  nodes: [
    {
      type: 'GitRepository',
      key: 'Place',
      label: 'Place',
      fields: { Url: 'String', Branch: 'String', Head: 'String' },
    },
    {
      type: 'GitFile',
      key: 'Place',
      label: 'Path',
      fields: { Name: 'String', Path: 'String', Blob: 'String' },
    },
    {
      type: 'GitCommit',
      key: 'Place',
      label: 'Subject',
      fields: { Commit: 'String', Subject: 'String', Message: 'String', Time: 'Time' },
    },
    { type: 'GitAuthor', key: 'Email', label: 'Name', fields: { Name: 'String' } },
  ],
  edges: edgesBothWays(INVERSES),
};

/** What the last whole run has brought: nothing is fetched until one of them is another. */
interface Cursor {
  readonly head: string;
  readonly settings: string;
}

/** Files that one commit is told to have changed. */
const CHANGES_MAX = 500;
const MESSAGE_CHARACTERS_MAX = 20_000;
/** Files whose nodes are committed together before their content is sent. */
const FILES_AT_ONCE = 200;

export const gitKind: ConnectorKind<GitSource> = {
  async test(source, context) {
    const { branch, oid } = await headOf(source, context);
    return `The branch ${branch} is at ${oid.slice(0, 12)}`;
  },
  async run(source, target, context): Promise<ConnectorReport> {
    const { url } = source;
    const options = { ...target, name: `git ${url}`, schema: SCHEMA };
    return runConnector<Cursor>(options, async (run) => {
      const head = await headOf(source, context);
      const cursor = { head: head.oid, settings: JSON.stringify(source) };
      const isSame = run.cursor?.head === cursor.head && run.cursor.settings === cursor.settings;
      if (isSame && !context.isFull) return;
      await new GitBringer(source, head, { run, target, context }).bring();
      await run.checkpoint(cursor);
    });
  },
};

interface Bringing {
  readonly run: ConnectorRun<Cursor>;
  readonly target: KindTarget;
  readonly context: SourceContext;
}

class GitBringer {
  readonly #source: GitSource;
  readonly #head: Head;
  readonly #parts: Bringing;
  /** Host and path, by which nodes of different repositories are told apart. */
  readonly #place: string;
  /** Of the team that alone may see it; undefined for everybody. */
  #team: string | undefined;

  constructor(source: GitSource, head: Head, parts: Bringing) {
    this.#source = source;
    this.#head = head;
    this.#parts = parts;
    const { host, pathname } = new URL(source.url);
    this.#place = host + pathname.replace(/\/*(?:\.git)?\/*$/, '');
  }

  async bring(): Promise<void> {
    const { run, target, context } = this.#parts;
    const { team, commits: depth } = this.#source;
    if (team !== null) {
      const names = new PrincipalNames(target.client);
      await names.look({ teams: [team] });
      this.#team = names.requireTeam(team);
    }
    const repository = await GitRepository.fetch(this.#source, this.#head, context);
    const commits = await repository.commits(this.#head, depth);
    const tree = commits[0]?.commit.tree;
    const files = tree === undefined ? [] : await repository.files(tree);
    await this.#repository();
    await this.#files(files, repository);
    await this.#commits(commits, new Set(files.map(({ path }) => path)), repository);
    await run.removeUnseen();
  }

  async #repository(): Promise<void> {
    const { branch, oid } = this.#head;
    const node = { type: 'GitRepository', key: this.#place };
    const fields = { Url: this.#source.url, Branch: branch, Head: oid };
    await this.#row('repository', node, fields);
  }

  async #files(files: readonly GitFile[], repository: GitRepository): Promise<void> {
    for (let at = 0; at < files.length; at += FILES_AT_ONCE) {
      const some = files.slice(at, at + FILES_AT_ONCE);
      for (const { path } of some) {
        const node = this.#fileOf(path);
        const fields = { Name: nameOf(path), Path: path };
        await this.#row(`file ${path}`, node, fields, [this.#partOf(node)]);
      }
      await this.#parts.run.commit();
      for (const file of some) await this.#content(file, repository);
    }
  }

  /**
   * The content of a file is a row of its own, which comes when the content is there: so an upload
   * that a crash cut off is done again.
   */
  async #content({ path, oid }: GitFile, repository: GitRepository): Promise<void> {
    const { run, target, context } = this.#parts;
    const { type, key } = this.#fileOf(path);
    const update: GraphOperation = { op: 'update', type, key, fields: { Blob: oid } };
    const id = `content ${path}`;
    if (!run.isUnchanged(id, [update]) && target.dryRun !== true) {
      const bytes = await repository.content(oid);
      if (bytes.length > this.#source.fileBytesMax || bytes.length === 0) return;
      try {
        const content = new Blob([new Uint8Array(bytes)]);
        await context.files.replace(nodeUid(type, key), nameOf(path), content, context.signal);
      } catch (error) {
        if (refusalCode(error) === undefined || !(error instanceof Error)) throw error;
        return context.log(`${path} comes without its content: ${error.message}`);
      }
    }
    await run.row(id, [update]);
  }

  async #commits(
    commits: readonly ReadCommitResult[],
    paths: ReadonlySet<string>,
    repository: GitRepository,
  ): Promise<void> {
    const trees = new Map(commits.map(({ oid, commit }) => [oid, commit.tree]));
    const authors = new Map<string, string>();
    // An author's newest name counts.
    for (const { commit } of commits.toReversed()) {
      authors.set(emailOf(commit.author.email), commit.author.name);
    }
    for (const [email, name] of authors) {
      await this.#row(`author ${email}`, { type: 'GitAuthor', key: email }, { Name: name });
    }
    for (const { oid, commit } of commits.toReversed()) {
      const [first] = commit.parent;
      const before = first === undefined ? undefined : trees.get(first);
      // What the oldest that was fetched has changed is not known.
      const isKnown = first === undefined || before !== undefined;
      const changed = isKnown ? await repository.changes(before, commit.tree, CHANGES_MAX) : [];
      const node = this.#commitOf(oid);
      await this.#row(`commit ${oid}`, node, fieldsOf(oid, commit), [
        this.#partOf(node),
        link(node, 'GitWrittenBy', {
          type: 'GitAuthor',
          key: emailOf(commit.author.email),
        }),
        ...commit.parent
          .filter((parent) => trees.has(parent))
          .map((parent) => link(node, 'GitFollows', this.#commitOf(parent))),
        ...changed
          .filter((path) => paths.has(path))
          .map((path) => link(node, 'GitChanged', this.#fileOf(path))),
      ]);
    }
  }

  #row(
    id: string,
    node: { readonly type: string; readonly key: string },
    fields: Readonly<Record<string, string>>,
    more: readonly GraphOperation[] = [],
  ): Promise<void> {
    const audience = this.#team === undefined ? 'everybody' : { teams: [this.#team] };
    const add: GraphOperation = { op: 'addOrUpdate', ...node, fields };
    const access = { node, readers: readersOfTeam(this.#source.team) };
    return this.#parts.run.row(id, [add, ...restrictTo(node, audience), ...more], access);
  }

  #partOf(node: NodeReference): GraphOperation {
    return link(node, 'GitPartOf', { type: 'GitRepository', key: this.#place });
  }

  #fileOf(path: string) {
    return { type: 'GitFile', key: `${this.#place}:${path}` };
  }

  #commitOf(oid: string) {
    return { type: 'GitCommit', key: `${this.#place}@${oid}` };
  }
}

function fieldsOf(oid: string, { message, author }: ReadCommitResult['commit']) {
  const [subject = ''] = message.split('\n', 1);
  const time = new Date(author.timestamp * 1_000);
  const isTime = Number.isFinite(time.getTime()) && time.getTime() >= 0;
  return {
    Commit: oid,
    Subject: subject.slice(0, MESSAGE_CHARACTERS_MAX).toWellFormed(),
    Message: message.slice(0, MESSAGE_CHARACTERS_MAX).toWellFormed(),
    ...(isTime && time.getUTCFullYear() < 10_000 ? { Time: time.toISOString() } : {}),
  };
}

function emailOf(text: string): string {
  return text.trim().toLowerCase() || 'unknown';
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
