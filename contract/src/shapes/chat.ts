import { z } from 'zod';
import { moment } from '../bounded-shapes.ts';
import type { Immutable } from '../immutable.ts';
import {
  CHAT_COMMENT_CHARACTERS_MAX,
  CHAT_MESSAGE_CHARACTERS_MAX,
  CHAT_TITLE_CHARACTERS_MAX,
  CHAT_TOOLS_MAX,
  EMBEDDING_MODEL_CHARACTERS_MAX,
} from '../limits.ts';
import { pageQuery } from './list.ts';
import { nodeReference } from './node-reference.ts';
import { supportMembers } from './support.ts';
import { toolName } from './tool.ts';

const uid = z.string().min(1).max(100);

/** The body of `POST /api/chatai/chat` (open-shapes, section 7). */
export const chatTurn = z
  .strictObject({
    /** The conversation that it goes on; without one it begins a new one. */
    chatUID: uid.optional(),
    /** What the user says; may be left out where an answer is asked for again. */
    message: z.string().trim().min(1).max(CHAT_MESSAGE_CHARACTERS_MAX).optional(),
    /**
     * Names of tools, of those that the user may call: the model is offered no others. All of them
     * when left out.
     */
    tools: z.array(toolName).max(CHAT_TOOLS_MAX).optional(),
    /** The node that the user looks at. */
    viewingUID: nodeReference.optional(),
    /** One of those that an administrator allows; the first of them when left out. */
    model: z.string().min(1).max(EMBEDDING_MODEL_CHARACTERS_MAX).optional(),
    /** A message of the user, which this one replaces, and everything after it. */
    editUID: uid.optional(),
    /** An answer, which is asked for again; everything after it goes. */
    regenerateUID: uid.optional(),
    /**
     * The turn goes on when the connection closes; `GET .../events` follows it, `POST .../stop`
     * stops it. Without, whoever closes the connection stops the turn.
     */
    background: z.boolean().optional(),
  })
  .refine(
    ({ message, regenerateUID }) => (message === undefined) === (regenerateUID !== undefined),
    {
      path: ['message'],
      error: 'must be there, unless regenerateUID is',
    },
  )
  .refine(({ editUID, regenerateUID }) => editUID === undefined || regenerateUID === undefined, {
    path: ['editUID'],
    error: 'must not be there with regenerateUID',
  })
  .refine(
    ({ chatUID, editUID, regenerateUID }) =>
      chatUID !== undefined || (editUID === undefined && regenerateUID === undefined),
    { path: ['chatUID'], error: 'must say which conversation the message is of' },
  );
export type ChatTurn = Immutable<z.infer<typeof chatTurn>>;

/** A fact in an answer: `[id]` in its text stands for it. */
export const chatCitation = z.strictObject({
  id: z.int().min(1),
  /** The node that it comes from, which the reader may see. */
  uid: z.string(),
  text: z.string(),
});
export type ChatCitation = Immutable<z.infer<typeof chatCitation>>;

/** A call of a tool. With neither output nor error, the output was too large to be kept. */
export const chatToolCall = z.strictObject({
  tool: z.string(),
  input: z.record(z.string(), z.unknown()),
  output: z.unknown().optional(),
  error: z.strictObject({ code: z.string(), message: z.string() }).optional(),
  ms: z.number().min(0),
});
export type ChatToolCall = Immutable<z.infer<typeof chatToolCall>>;

const usage = z.strictObject({ inputTokens: z.int().min(0), outputTokens: z.int().min(0) });

/**
 * How an answer ended: "answer" as it should; "length", "steps", "tool-calls" and "tokens" at a
 * limit; "stopped" because the user wanted no more of it; "interrupted" because the server ended
 * before the answer did.
 */
const CHAT_ENDS = [
  'answer',
  'length',
  'steps',
  'tool-calls',
  'tokens',
  'stopped',
  'interrupted',
] as const;

/** What a turn is answered with. */
export const chatAnswer = z.strictObject({
  chatUID: z.string(),
  /** UID of the answer. */
  messageUID: z.string(),
  answer: z.string(),
  citations: z.array(chatCitation),
  toolCalls: z.array(chatToolCall),
  /** Null when it was stopped or interrupted: then it is not known. */
  usage: usage.nullable(),
  model: z.string(),
  ended: z.enum(CHAT_ENDS),
  ...supportMembers,
});
export type ChatAnswer = Immutable<z.infer<typeof chatAnswer>>;

/** Data of the event `tool`: a call has begun, or ended; `id` says which. */
export const chatToolEvent = z.discriminatedUnion('state', [
  z.strictObject({
    state: z.literal('begun'),
    id: z.string(),
    tool: z.string(),
    input: z.record(z.string(), z.unknown()),
  }),
  chatToolCall.extend({ state: z.literal('ended'), id: z.string() }),
]);
export type ChatToolEvent = Immutable<z.infer<typeof chatToolEvent>>;

/** What a user thinks of an answer. */
export const chatFeedback = z.strictObject({
  /** Null takes it back. */
  value: z.enum(['up', 'down']).nullable(),
  comment: z.string().trim().max(CHAT_COMMENT_CHARACTERS_MAX).optional(),
});

const message = z.strictObject({ UID: z.string(), text: z.string(), at: z.iso.datetime() });

/**
 * `viewingUID` is null when the user looked at no node, or at one that they may not see any more.
 */
const chatQuestion = message.extend({
  role: z.literal('user'),
  viewingUID: z.string().nullable(),
});

const chatReply = message.extend({
  role: z.literal('assistant'),
  citations: z.array(chatCitation),
  toolCalls: z.array(chatToolCall),
  /**
   * The next four are null while it is under way; of one that was interrupted, usage is not known.
   */
  usage: usage.nullable(),
  model: z.string(),
  /** "failed": `error` says why. */
  ended: z.enum([...CHAT_ENDS, 'failed']).nullable(),
  error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
  feedback: chatFeedback.extend({ value: z.enum(['up', 'down']) }).nullable(),
  ...supportMembers,
});

export const chatMessage = z.discriminatedUnion('role', [chatQuestion, chatReply]);
export type ChatMessage = Immutable<z.infer<typeof chatMessage>>;

/** Which feedback is listed; `from` and `to` are times of answers. */
export const chatFeedbackQuery = pageQuery.extend({
  value: z.enum(['up', 'down']).optional(),
  /** Not before this time, and before that one. */
  from: moment.optional(),
  to: moment.optional(),
});
export type ChatFeedbackQuery = Immutable<z.output<typeof chatFeedbackQuery>>;

/** What a user thinks of an answer, for administrators. */
export const chatFeedbackItem = z.strictObject({
  messageUID: z.string(),
  value: z.enum(['up', 'down']),
  comment: z.string().nullable(),
  /** Time of the answer. */
  at: z.iso.datetime(),
  model: z.string(),
  user: z.strictObject({ uid: z.string(), name: z.string() }),
});
export type ChatFeedbackItem = Immutable<z.infer<typeof chatFeedbackItem>>;

/** Oldest message first; the last one is the answer. */
export const ratedConversation = chatFeedbackItem.extend({ messages: z.array(chatMessage) });
export type RatedConversation = Immutable<z.infer<typeof ratedConversation>>;

export const chatFeedbackInPath = z.object({ messageUID: uid });

/** A conversation of the caller. */
export const chatSummary = z.strictObject({
  UID: z.string(),
  title: z.string(),
  createdAt: z.iso.datetime(),
  /** Time of its last turn. */
  updatedAt: z.iso.datetime(),
  /** An answer is under way. */
  isBusy: z.boolean(),
  /** What it comes from: a turn, which can be watched, or a deep research, which is a job. */
  busyWith: z.enum(['turn', 'research']).nullable(),
});
export type ChatSummary = Immutable<z.infer<typeof chatSummary>>;

/** Oldest message first. */
export const chat = chatSummary.extend({ messages: z.array(chatMessage) });
export type Chat = Immutable<z.infer<typeof chat>>;

export const chatListQuery = pageQuery.extend({
  /** Words in the title. */
  query: z.string().max(CHAT_TITLE_CHARACTERS_MAX).optional(),
});

/** What a turn may ask for. */
export const chatOptions = z.strictObject({
  /** There is a provider of chat. */
  isConfigured: z.boolean(),
  /** The one that is asked when a turn names none. */
  model: z.string().nullable(),
  models: z.array(z.string()),
  /** The tools that the caller's model is offered, by name. */
  tools: z.array(z.strictObject({ name: toolName, description: z.string() })),
});
export type ChatOptions = Immutable<z.infer<typeof chatOptions>>;

/** Without a title it has that of its first message. */
export const newChat = z.strictObject({
  title: z.string().trim().max(CHAT_TITLE_CHARACTERS_MAX).optional(),
});

export const chatChange = z.strictObject({
  title: z.string().trim().min(1).max(CHAT_TITLE_CHARACTERS_MAX),
});

export const chatInPath = z.object({ uid });
export const chatMessageInPath = z.object({ uid, messageUID: uid });
