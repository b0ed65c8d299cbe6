import type { Page } from '@trellis/contract/shapes/list.ts';
import type {
  AdminAgentAnswer,
  AdminAgentSession,
  FileEntry,
  UploadedFile,
} from '@trellis/contract/shapes/admin-agent.ts';
import { type AuditTrail, deed } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import { must } from '#base/assert.ts';
import type { Clock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import { checkFileName, contentTypeOf, type StoredFile } from '#files/stored-file.ts';
import type { FileStore } from '#files/file-store.ts';
import { UPLOADS_MAX } from '@trellis/contract/limits.ts';
import type { ModelRunner } from '../model/model-run.ts';
import { type AdminAgentAsked, AdminAgentTurns } from './admin-agent-turn.ts';
import { uploadPath } from './file-tools.ts';
import type { Endpoints } from './kinds/endpoint-kind.ts';
import {
  type Approval,
  type CommitWatch,
  ProposalApproval,
  proposalOf,
} from './proposal-approval.ts';
import { changeOf, type CommitOutcome } from './proposal.ts';
import { type DefinitionKinds, ProposalReview } from './proposal-review.ts';
import {
  nodeOf,
  SessionStore,
  type SessionStoreParts,
  type StoredSession,
} from './session-store.ts';

export interface AdminAgentParts extends SessionStoreParts {
  readonly files: FileStore;
  readonly kinds: DefinitionKinds;
  readonly endpoints: Pick<Endpoints, 'check'>;
  readonly modelRunner: ModelRunner;
  /** Throws `llm_not_configured`. */
  readonly requireProvider: () => void;
  readonly audit: AuditTrail;
  readonly clock: Clock;
  /** Called with our own faults in a commit, which goes on without its caller. */
  readonly onFault: (error: unknown) => void;
}

/** One file that arrives: see `FileWriter`. */
export interface UploadWriter {
  write(bytes: Uint8Array): Promise<void>;
  end(): Promise<FileEntry>;
  abort(): Promise<void>;
}

/**
 * Conversations in which the agent proposes changes of definitions, and administrators approve them
 * (open-shapes, section 7). Each belongs to one administrator: for everybody else it is
 * `session_not_found`.
 */
export class AdminAgent implements AsyncDisposable {
  readonly #parts: AdminAgentParts;
  readonly #sessions: SessionStore;
  readonly #turns: AdminAgentTurns;
  readonly #approval: ProposalApproval;
  readonly #busy = new BusySessions();
  /** Running turns and commits: they go on when their caller has gone. */
  readonly #works = new Set<Promise<unknown>>();

  constructor(parts: AdminAgentParts) {
    this.#parts = parts;
    this.#sessions = new SessionStore(parts);
    const review = new ProposalReview(parts.kinds);
    const made = { ...parts, sessions: this.#sessions, review };
    this.#turns = new AdminAgentTurns(made);
    this.#approval = new ProposalApproval(made);
  }

  async create({ userUid }: Caller): Promise<AdminAgentSession> {
    return this.#shown(await this.#sessions.create(must(userUid, 'the user of a session')));
  }

  /** The last changed first. */
  list({ userUid }: Caller, { skip, take }: Page) {
    const { sessions, total } = this.#sessions.page(userUid, { skip, take });
    const items = sessions.map(({ id, title, createdAt, updatedAt, proposal }) => {
      return { id, title, createdAt, updatedAt, hasProposal: proposal !== null };
    });
    return { items, total, skip, take };
  }

  get(caller: Caller, id: string): AdminAgentSession {
    return this.#shown(this.#sessions.own(caller, id));
  }

  async delete(caller: Caller, id: string, address: string): Promise<void> {
    const session = this.#sessions.own(caller, id);
    using _busy = this.#busy.enter(id);
    const target = { kind: 'admin-agent', id };
    await this.#sessions.delete(session, [
      ...this.#parts.files.deletions(nodeOf(id)),
      this.#parts.audit.operation(deed('admin-agent.deleted', { caller, address }, target)),
    ]);
  }

  /** Rejects with `session_busy`, and as the runner of models does. */
  ask(id: string, asked: AdminAgentAsked): Promise<AdminAgentAnswer> {
    return this.#running(this.#ask(id, asked));
  }

  /** Throws `file_exists`, `too_many_files`, and `invalid_request` for an invalid file name. */
  upload(
    caller: Caller,
    id: string,
    file: { readonly name: string; readonly contentType: string },
    address: string,
  ): UploadWriter {
    const { files, audit } = this.#parts;
    const session = this.#sessions.own(caller, id);
    const { name } = file;
    checkFileName(name);
    const folder = nodeOf(session.id);
    if (files.filesOf(folder).length >= UPLOADS_MAX) {
      throw new Problem('too_many_files', `A conversation has at most ${UPLOADS_MAX} files.`);
    }
    const writer = files.begin({
      of: folder,
      name,
      contentType: contentTypeOf(file.contentType),
      fields: { Path: uploadPath(name) },
      owner: must(caller.userUid, 'the user of a session'),
      trace: ({ size, sha256 }) => {
        const target = { kind: 'admin-agent', id, name };
        return audit.operation(
          deed('file.uploaded', { caller, address }, target, { size, sha256 }),
        );
      },
    });
    return {
      write: (bytes) => writer.write(bytes),
      end: async () => {
        try {
          return entryOf(await writer.end());
        } catch (error) {
          // The conversation may have been deleted since the upload began.
          this.checkOwn(caller, id);
          throw error;
        }
      },
      abort: () => writer.abort(),
    };
  }

  /** Checks what is known before a file arrives. */
  checkOwn(caller: Caller, id: string): void {
    this.#sessions.own(caller, id);
  }

  /**
   * Carries out the proposal, and goes on when nobody waits for it any more. Before anything is
   * done it may reject with `session_busy`, `no_proposal`, `version_conflict`,
   * `proposal_not_valid`, `access_widened`.
   */
  approve(
    caller: Caller,
    id: string,
    approval: Approval,
    watch: CommitWatch,
  ): Promise<CommitOutcome> {
    return this.#running(this.#approve(caller, id, approval, watch));
  }

  async reject(caller: Caller, id: string, address: string): Promise<void> {
    const session = this.#sessions.own(caller, id);
    using _busy = this.#busy.enter(id);
    const { items } = proposalOf(session);
    const target = { kind: 'admin-agent', id };
    const details = { changes: items.map(changeOf) };
    const event = deed('admin-agent.rejected', { caller, address }, target, details);
    await this.#sessions.change(session, {
      proposal: null,
      messages: [{ role: 'user', text: 'I have rejected the proposal.', toolCalls: [] }],
      trace: this.#parts.audit.operation(event),
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled(this.#works);
  }

  #running<T>(work: Promise<T>): Promise<T> {
    this.#works.add(work);
    const ended = (): void => void this.#works.delete(work);
    work.then(ended, ended);
    return work;
  }

  async #ask(id: string, asked: AdminAgentAsked): Promise<AdminAgentAnswer> {
    const session = this.#sessions.own(asked.caller, id);
    using _busy = this.#busy.enter(id);
    const { text: answer, toolCalls, usage, model, ended } = await this.#turns.ask(session, asked);
    const { proposal } = this.#sessions.own(asked.caller, id);
    return { answer, toolCalls, usage, model, ended, proposal };
  }

  async #approve(
    caller: Caller,
    id: string,
    approval: Approval,
    watch: CommitWatch,
  ): Promise<CommitOutcome> {
    const session = this.#sessions.own(caller, id);
    using _busy = this.#busy.enter(id);
    // Awaited, because the conversation is busy until it is done.
    return await this.#approval.approve(caller, session, approval, watch);
  }

  #shown(session: StoredSession): AdminAgentSession {
    const { id, title, createdAt, proposal } = session;
    const messages = this.#sessions.messages(session);
    const uploads = this.#parts.files.filesOf(nodeOf(id)).map(uploaded);
    return { id, title, createdAt, messages, uploads, proposal };
  }
}

function entryOf({ UID, size, contentType }: StoredFile): FileEntry {
  return { UID, Size: size, ContentType: contentType };
}

function uploaded(file: StoredFile): UploadedFile {
  return { ...entryOf(file), name: file.name, path: file.path };
}

/** Conversations with a running turn or commit: each has one at a time. */
class BusySessions {
  readonly #busy = new Set<string>();

  /** Marks the conversation as busy until disposed. Throws `session_busy`. */
  enter(id: string): Disposable {
    if (this.#busy.has(id)) {
      throw new Problem('session_busy', 'An answer or a commit is under way in this conversation.');
    }
    this.#busy.add(id);
    return { [Symbol.dispose]: () => this.#busy.delete(id) };
  }
}
