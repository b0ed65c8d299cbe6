import type {
  AdminAgentAnswer,
  AdminAgentApproval,
  AdminAgentCommit,
  AdminAgentSession,
  AdminAgentSessionListed,
  AdminAgentTurn,
  FileEntry,
} from '@trellis/contract/shapes/admin-agent.ts';
import type { ChatToolEvent } from '@trellis/contract/shapes/chat.ts';
import type { List } from '@trellis/contract/shapes/list.ts';
import { jsonBody } from './client-base.ts';
import { answerEvents, textIn } from './answer-events.ts';
import type { PageRequest } from './pages.ts';
import { DeepResearchClient } from './deep-research-client.ts';
import type { CallOptions } from './transport.ts';

/** What happens in a turn: more text, a tool, and last the whole answer. */
export type AdminAgentEvent =
  | { readonly kind: 'delta'; readonly text: string }
  | { readonly kind: 'tool'; readonly tool: ChatToolEvent }
  | { readonly kind: 'result'; readonly answer: AdminAgentAnswer };

/** Conversations with the admin agent, which proposes changes of definitions; for administrators, each with their own. */
export class AdminAgentClient extends DeepResearchClient {
  createAdminAgentSession(options?: CallOptions): Promise<AdminAgentSession> {
    return this.post(SESSIONS, undefined, options);
  }

  /** One page of the caller's own, newest first. */
  listAdminAgentSessions(
    page: PageRequest = {},
    options?: CallOptions,
  ): Promise<List<AdminAgentSessionListed>> {
    return this.get(SESSIONS, options, { ...page });
  }

  getAdminAgentSession(id: string, options?: CallOptions): Promise<AdminAgentSession> {
    return this.get(sessionPath(id), options);
  }

  /** The files that were uploaded to it go with it. */
  deleteAdminAgentSession(id: string, options?: CallOptions): Promise<void> {
    return this.tell('DELETE', sessionPath(id), undefined, options);
  }

  /** Waits for the whole answer; `streamAdminAgentMessage` gives it as it comes. */
  sendAdminAgentMessage(
    id: string,
    turn: AdminAgentTurn,
    options?: CallOptions,
  ): Promise<AdminAgentAnswer> {
    return this.post(`${sessionPath(id)}/messages`, turn, options);
  }

  /**
   * The events of a turn; `result` is the last. Whoever leaves early, or aborts, stops the turn. Throws what the service refuses with,
   * also when that is on the way.
   */
  async *streamAdminAgentMessage(
    id: string,
    turn: AdminAgentTurn,
    options?: CallOptions,
  ): AsyncGenerator<AdminAgentEvent, void, undefined> {
    const path = `${sessionPath(id)}/messages`;
    for await (const { event, data } of this.#events(path, turn, options)) {
      if (event === 'delta') yield { kind: event, text: textIn(data) };
      if (event === 'tool') yield { kind: event, tool: JSON.parse(data) as ChatToolEvent };
      if (event === 'result') yield { kind: event, answer: JSON.parse(data) as AdminAgentAnswer };
    }
  }

  /** Rejects with `file_exists` when the conversation has a file of this name; `details.entry` is that one. */
  uploadAdminAgentFile(
    id: string,
    name: string,
    content: Blob,
    options?: CallOptions,
  ): Promise<FileEntry> {
    const form = new FormData();
    form.set('file', content, name);
    const path = `${sessionPath(id)}/uploads`;
    return this.transport.json({ method: 'POST', path, body: form, ...options });
  }

  /** Does what is proposed, step by step; leaving does not stop it. What could not be done is in `failed`. */
  async approveAdminAgentCommit(
    id: string,
    approval?: AdminAgentApproval,
    options: CallOptions & { readonly onLog?: (text: string) => void } = {},
  ): Promise<AdminAgentCommit> {
    const { onLog, ...rest } = options;
    const path = `${sessionPath(id)}/commit/approve`;
    let commit: AdminAgentCommit | undefined;
    for await (const { event, data } of this.#events(path, approval ?? undefined, rest)) {
      if (event === 'log') onLog?.(textIn(data));
      if (event === 'result') commit = JSON.parse(data) as AdminAgentCommit;
    }
    // A stream that has come to its end has a result.
    return commit as AdminAgentCommit;
  }

  /** Drops what is proposed. */
  rejectAdminAgentCommit(id: string, options?: CallOptions): Promise<void> {
    return this.tell('POST', `${sessionPath(id)}/commit/reject`, undefined, options);
  }

  /** Those before `done`. */
  #events(path: string, body: unknown, options?: CallOptions) {
    const call = { method: 'POST', path, ...jsonBody(body), ...options } as const;
    return answerEvents(this.transport, call);
  }
}

const SESSIONS = '/api/admin-agent/sessions';

function sessionPath(id: string): string {
  return `${SESSIONS}/${encodeURIComponent(id)}`;
}
