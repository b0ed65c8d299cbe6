import type { AdminAgentAsked } from '#assistant/admin-agent/admin-agent-turn.ts';
import type { CommitWatch } from '#assistant/admin-agent/proposal-approval.ts';
import type { Caller } from '#access/caller.ts';
import type {
  AdminAgentAnswer,
  AdminAgentApproval,
  AdminAgentCommit,
  AdminAgentSession,
  AdminAgentSessionListed,
  FileEntry,
} from '@trellis/contract/shapes/admin-agent.ts';
import type { List, Page } from '@trellis/contract/shapes/list.ts';
import type { UploadWriter } from './upload-writer.ts';
import type { Awaitable } from './answer.ts';

/** Conversations with the admin agent, each of its own administrator. What names one throws `session_not_found`. */
export interface AdminAgentService {
  create(caller: Caller): Promise<AdminAgentSession>;
  list(caller: Caller, page: Page): Awaitable<List<AdminAgentSessionListed>>;
  get(caller: Caller, id: string): Awaitable<AdminAgentSession>;
  /** This and all that follow throw `session_busy`. */
  delete(caller: Caller, id: string, address: string): Promise<void>;
  ask(id: string, asked: AdminAgentAsked): Promise<AdminAgentAnswer>;
  /** Goes on when nobody waits for it any more. Throws what the row of the contract names before `watch.onAccepted` is called. */
  approve(
    caller: Caller,
    id: string,
    approval: NonNullable<AdminAgentApproval>,
    watch: CommitWatch,
  ): Promise<AdminAgentCommit>;
  /** Throws `no_proposal`. */
  reject(caller: Caller, id: string, address: string): Promise<void>;
  /** Before a file is read. */
  checkOwn(caller: Caller, id: string): Awaitable<void>;
  /** Throws `file_exists`, `too_many_files`, `invalid_request`. */
  upload(
    caller: Caller,
    id: string,
    file: { readonly name: string; readonly contentType: string },
    address: string,
  ): UploadWriter<FileEntry>;
}
