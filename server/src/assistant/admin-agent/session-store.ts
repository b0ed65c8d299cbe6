import type { Page } from '@trellis/contract/shapes/list.ts';
import type { Caller } from '#access/caller.ts';
import { must } from '#base/assert.ts';
import type { Clock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import { formatUid, randomUid } from '#base/uid.ts';
import { commitAndRead } from '#graph/commit-and-read.ts';
import type { CommitPort, WriterOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { ToolCall } from '../model/model-run.ts';
import type { Proposal } from './proposal.ts';

/** The node types of `#graph/system-schema.ts` in which conversations are kept. */
const SESSION_TYPE = '_AdminAgentSession';
const MESSAGE_TYPE = '_AdminAgentMessage';

export interface StoredSession {
  readonly id: string;
  readonly title: string;
  /** ISO 8601 UTC. */
  readonly createdAt: string;
  /** ISO 8601 UTC; the time of the last message or change. */
  readonly updatedAt: string;
  /** The number of messages. */
  readonly messages: number;
  readonly proposal: Proposal | null;
}

export interface NewMessage {
  readonly role: 'user' | 'assistant';
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
}

export interface StoredMessage extends NewMessage {
  /** ISO 8601 UTC. */
  readonly at: string;
}

/** What one commit changes of a conversation. */
export interface SessionChange {
  readonly title?: string;
  readonly messages?: readonly NewMessage[];
  /** Null removes it. */
  readonly proposal?: Proposal | null;
  /** The event for the audit trail. */
  readonly trace?: WriterOperation;
}

export interface SessionStoreParts {
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly clock: Clock;
}

/**
 * Conversations with the admin agent, stored as nodes. Only the owner of a conversation can read
 * it.
 */
export class SessionStore {
  readonly #parts: SessionStoreParts;

  constructor(parts: SessionStoreParts) {
    this.#parts = parts;
  }

  async create(owner: string): Promise<StoredSession> {
    const id = formatUid(randomUid());
    const now = this.#parts.clock.now();
    await commitAndRead(
      [
        {
          op: 'addOrUpdate',
          ...nodeOf(id),
          fields: { Title: '', Owner: owner, CreatedAt: new Date(now).toISOString(), Messages: 0 },
          timestamp: now,
          ifVersion: 0,
        },
      ],
      this.#parts,
    );
    return must(this.#find(id, owner), 'the conversation that was made');
  }

  /** Throws `session_not_found`, also for another user's conversation. */
  own({ userUid }: Caller, id: string): StoredSession {
    this.#parts.reader.refresh();
    const session = userUid === null ? undefined : this.#find(id, userUid);
    if (session !== undefined) return session;
    throw new Problem('session_not_found', 'You have no conversation with this id.');
  }

  /** The conversations of one user; the last changed comes first. */
  page(owner: string | null, { skip, take }: Page) {
    const { reader } = this.#parts;
    reader.refresh();
    const ids = reader.idsOfType(SESSION_TYPE).filter((id) => reader.field(id, 'Owner') === owner);
    const sessions = ids.slice(skip, skip + take).map((id) => this.#read(id));
    return { sessions, total: ids.length };
  }

  /** Oldest first. */
  messages({ id, messages }: StoredSession): StoredMessage[] {
    return Array.from({ length: messages }, (_, index) => this.#message(id, index));
  }

  /** Rejects with `session_not_found` when it was deleted in the same moment. */
  async change(session: StoredSession, change: SessionChange): Promise<StoredSession> {
    const { clock, reader } = this.#parts;
    const { title, messages = [], proposal, trace } = change;
    const now = clock.now();
    const owner = this.#ownerOf(session.id);
    const fields = {
      ...(messages.length === 0 ? {} : { Messages: session.messages + messages.length }),
      ...(title === undefined ? {} : { Title: title }),
      ...(proposal === undefined ? {} : { Proposal: jsonOf(proposal) }),
    };
    await commitAndRead(
      [
        { op: 'update', ...nodeOf(session.id), fields, timestamp: now },
        ...messages.map((message, index) =>
          messageOperation(session.id, session.messages + index, message, now),
        ),
        ...(trace === undefined ? [] : [trace]),
      ],
      this.#parts,
    );
    reader.refresh();
    return must(this.#find(session.id, owner), 'the conversation that was changed');
  }

  /** Deletes the conversation and its messages; `more` are operations for the same commit. */
  async delete({ id, messages }: StoredSession, more: readonly WriterOperation[]): Promise<void> {
    await commitAndRead(
      [
        ...more,
        ...Array.from({ length: messages }, (_, index) => ({
          op: 'delete' as const,
          type: MESSAGE_TYPE,
          key: messageKey(id, index),
        })),
        { op: 'delete', ...nodeOf(id) },
      ],
      this.#parts,
    );
  }

  #ownerOf(id: string): string {
    const { reader } = this.#parts;
    const node = reader.id(nodeOf(id));
    if (node === undefined) throw new Problem('session_not_found', 'The conversation was deleted.');
    return String(reader.field(node, 'Owner'));
  }

  #find(id: string, owner: string): StoredSession | undefined {
    const { reader } = this.#parts;
    const node = reader.id(nodeOf(id));
    if (node === undefined || reader.field(node, 'Owner') !== owner) return undefined;
    return this.#read(node);
  }

  #read(id: number): StoredSession {
    const node = must(this.#parts.reader.node(id), 'the node of a conversation');
    return {
      id: String(node.Id),
      title: String(node['Title'] ?? ''),
      createdAt: String(node['CreatedAt']),
      updatedAt: node.Timestamp,
      messages: Number(node['Messages']),
      proposal: (node['Proposal'] as Proposal | undefined) ?? null,
    };
  }

  #message(session: string, index: number): StoredMessage {
    const { reader } = this.#parts;
    const id = reader.id({ type: MESSAGE_TYPE, key: messageKey(session, index) });
    const node = must(reader.node(must(id, 'a message')), 'the node of a message');
    return {
      role: node['Role'] === 'assistant' ? 'assistant' : 'user',
      text: String(node['Text'] ?? ''),
      toolCalls: (node['ToolCalls'] ?? []) as ToolCall[],
      at: node.Timestamp,
    };
  }
}

/** The node of a conversation; its files belong to this node. */
export function nodeOf(id: string) {
  return { type: SESSION_TYPE, key: id };
}

function messageOperation(
  session: string,
  index: number,
  { role, text, toolCalls }: NewMessage,
  timestamp: number,
): WriterOperation {
  const fields = { Role: role, Text: text, ToolCalls: jsonOf(toolCalls) };
  const key = messageKey(session, index);
  return { op: 'addOrUpdate', type: MESSAGE_TYPE, key, fields, timestamp };
}

function messageKey(session: string, index: number): string {
  return `${session}/${index}`;
}

/** Without undefined members, because a field cannot store them. */
function jsonOf(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
