import { z } from 'zod';
import type { Immutable } from '../immutable.ts';
import { ADMIN_AGENT_MESSAGE_CHARACTERS_MAX, EMBEDDING_MODEL_CHARACTERS_MAX } from '../limits.ts';
import { chatToolCall } from './chat.ts';
import { diagnostic } from './endpoint.ts';
import { uidText } from '../bounded-shapes.ts';

/** A conversation with the admin agent, in a path. */
export const adminAgentSessionInPath = z.object({ id: z.string().min(1).max(100) });

/** A file as uploads answer it (specification, section 2.8). */
export const fileEntry = z.strictObject({
  UID: z.string(),
  /** Bytes. */
  Size: z.int().min(0),
  ContentType: z.string(),
});
export type FileEntry = Immutable<z.infer<typeof fileEntry>>;

/** The same as a conversation lists it. */
export const uploadedFile = fileEntry.extend({
  name: z.string(),
  /** Under which the agent reads it: `/home/uploads/<name>`. */
  path: z.string(),
});
export type UploadedFile = Immutable<z.infer<typeof uploadedFile>>;

const tokenUsage = z.strictObject({ inputTokens: z.int().min(0), outputTokens: z.int().min(0) });

export const adminAgentMessage = z.strictObject({
  role: z.enum(['user', 'assistant']),
  text: z.string(),
  at: z.iso.datetime(),
  /** Calls by the assistant; empty for a user. */
  toolCalls: z.array(chatToolCall),
});
export type AdminAgentMessage = Immutable<z.infer<typeof adminAgentMessage>>;

const definitionKind = z.enum(['endpoint', 'tool', 'agent', 'schema', 'search-settings']);

/**
 * What is wrong with one item; lines and columns are those of its code, and not there for what is
 * not about code.
 */
export const proposalDiagnostic = diagnostic.partial({ line: true, column: true, code: true });

/** One definition that the agent wants to make, change or delete. */
export const proposalItem = z.strictObject({
  kind: definitionKind,
  name: z.string(),
  action: z.enum(['create', 'change', 'delete']),
  /**
   * The definition as it was when this was proposed, and as it would be; null where there is none.
   */
  before: z.record(z.string(), z.unknown()).nullable(),
  after: z.record(z.string(), z.unknown()).nullable(),
  /** Unified: settings as JSON, then the code. */
  diff: z.string(),
  /**
   * Code is compiled in its scope, against the schema with what is proposed. Empty when all is
   * well.
   */
  diagnostics: z.array(proposalDiagnostic),
  /** By what more people could read or do more, in sentences; empty when by nothing. */
  widensAccess: z.array(z.string()),
});
export type ProposalItem = Immutable<z.infer<typeof proposalItem>>;

export const adminAgentProposal = z.strictObject({
  /** Another one whenever the agent proposes again. */
  id: z.string(),
  createdAt: z.iso.datetime(),
  /** In the words of the agent. */
  summary: z.string(),
  items: z.array(proposalItem),
  /** Whether it may be approved: no item has diagnostics. */
  isValid: z.boolean(),
});
export type AdminAgentProposal = Immutable<z.infer<typeof adminAgentProposal>>;

const sessionHead = {
  id: z.string(),
  /** The beginning of the first message; empty before it. */
  title: z.string(),
  createdAt: z.iso.datetime(),
};

export const adminAgentSession = z.strictObject({
  ...sessionHead,
  /** Oldest first. */
  messages: z.array(adminAgentMessage),
  /** By name. */
  uploads: z.array(uploadedFile),
  proposal: adminAgentProposal.nullable(),
});
export type AdminAgentSession = Immutable<z.infer<typeof adminAgentSession>>;

export const adminAgentSessionListed = z.strictObject({
  ...sessionHead,
  /** Time of the last message or change. */
  updatedAt: z.iso.datetime(),
  hasProposal: z.boolean(),
});
export type AdminAgentSessionListed = Immutable<z.infer<typeof adminAgentSessionListed>>;

export const adminAgentTurn = z.strictObject({
  message: z.string().trim().min(1).max(ADMIN_AGENT_MESSAGE_CHARACTERS_MAX),
  /** One of those that the settings of providers allow; the first of them when left out. */
  model: z.string().min(1).max(EMBEDDING_MODEL_CHARACTERS_MAX).optional(),
});
export type AdminAgentTurn = Immutable<z.infer<typeof adminAgentTurn>>;

export const adminAgentAnswer = z.strictObject({
  answer: z.string(),
  toolCalls: z.array(chatToolCall),
  usage: tokenUsage,
  model: z.string(),
  /** `answer` is the usual end; with any other the text may be cut short. */
  ended: z.enum(['answer', 'length', 'steps', 'tool-calls', 'tokens']),
  /** The proposal of the session after this turn. */
  proposal: adminAgentProposal.nullable(),
});
export type AdminAgentAnswer = Immutable<z.infer<typeof adminAgentAnswer>>;

/** The body of an approval; what is left out, and the whole body, may be left out. */
export const adminAgentApproval = z
  .strictObject({
    /** Refused with `version_conflict` when the session has another proposal by now. */
    proposal: uidText.optional(),
    /** Has to be true where an item of the proposal has `widensAccess`. */
    acceptWidenedAccess: z.boolean().optional(),
  })
  .nullish();
export type AdminAgentApproval = Immutable<z.infer<typeof adminAgentApproval>>;

const definitionChange = proposalItem.pick({ kind: true, name: true, action: true });

/** What an approval has done: the data of its event `result`. */
export const adminAgentCommit = z.strictObject({
  /** In the order in which it was done. */
  committed: z.array(
    definitionChange.extend({
      /** In the history of code; null for what has none. */
      historyVersion: z.int().min(1).nullable(),
    }),
  ),
  /** What could not be done, after which nothing more was; null when all was done. */
  failed: definitionChange
    .extend({ error: z.strictObject({ code: z.string(), message: z.string() }) })
    .nullable(),
  /** What was not begun. */
  notCommitted: z.array(definitionChange),
});
export type AdminAgentCommit = Immutable<z.infer<typeof adminAgentCommit>>;
