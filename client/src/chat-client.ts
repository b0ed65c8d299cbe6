import type {
  Chat,
  ChatAnswer,
  ChatChange,
  ChatFeedback,
  ChatOptions,
  ChatSummary,
  ChatToolEvent,
  ChatTurn,
  NewChat,
} from '@trellis/contract/shapes/chat.ts';
import type { List } from '@trellis/contract/shapes/list.ts';
import { jsonBody } from './client-base.ts';
import { readEvents } from './event-stream.ts';
import type { PageRequest } from './pages.ts';
import { AgentsClient } from './agents-client.ts';
import type { CallOptions } from './transport.ts';
import { TrellisError } from './trellis-error.ts';

/** What happens in a turn: it has begun, more text, a tool, and last the whole answer. */
export type ChatEvent =
  | { readonly kind: 'begun'; readonly chatUID: string }
  | { readonly kind: 'delta'; readonly text: string }
  | { readonly kind: 'tool'; readonly tool: ChatToolEvent }
  | { readonly kind: 'result'; readonly answer: ChatAnswer };

const TURN = { method: 'POST', path: '/api/chatai/chat', once: true } as const;

/** Conversations with the assistant, each of its own user only. */
export class ChatClient extends AgentsClient {
  /** Waits for the whole answer; `streamChatMessage` gives it as it comes. Neither is repeated: what was said is kept when the model fails. */
  sendChatMessage(turn: ChatTurn, options?: CallOptions): Promise<ChatAnswer> {
    return this.transport.json({ ...TURN, ...jsonBody(turn), ...options });
  }

  /**
   * The events of a turn; `result` is the last. Whoever leaves early, or aborts, stops the turn. Throws what the service refuses with,
   * also when that is on the way.
   */
  async *streamChatMessage(
    turn: ChatTurn,
    options?: CallOptions,
  ): AsyncGenerator<ChatEvent, void, undefined> {
    const { response } = await this.transport.send({
      ...TURN,
      ...jsonBody(turn),
      headers: { accept: 'text/event-stream' },
      ...options,
      streams: true,
    });
    yield { kind: 'begun', chatUID: response.headers.get('msk-chat') ?? '' };
    try {
      for await (const { event, data } of readEvents(response)) {
        switch (event) {
          case 'delta':
            yield { kind: 'delta', text: (JSON.parse(data) as { readonly text: string }).text };
            break;
          case 'tool':
            yield { kind: 'tool', tool: JSON.parse(data) as ChatToolEvent };
            break;
          case 'result':
            yield { kind: 'result', answer: JSON.parse(data) as ChatAnswer };
            return;
          case 'error':
            throw (
              TrellisError.fromBody(response, data) ?? TrellisError.unexpectedAnswer(response, data)
            );
        }
      }
    } catch (error) {
      options?.signal?.throwIfAborted();
      if (!(error instanceof TypeError)) throw error;
      throw TrellisError.connectionFailed(this.transport.baseUrl, error);
    }
    const cause = new Error('the answer broke off');
    throw TrellisError.connectionFailed(this.transport.baseUrl, cause);
  }

  /** Which models and tools a turn may name; whether there is a provider at all. */
  getChatOptions(options?: CallOptions): Promise<ChatOptions> {
    return this.get('/api/chatai/options', options);
  }

  /** Begins one before anything is said in it; without a title it has that of its first message. */
  createChat(chat: NewChat = {}, options?: CallOptions): Promise<ChatSummary> {
    return this.post('/api/chatai/chats', chat, options);
  }

  /** The caller's own, the last used first; `query` are words in the title. */
  listChats(
    query: PageRequest & { readonly query?: string } = {},
    options?: CallOptions,
  ): Promise<List<ChatSummary>> {
    return this.get('/api/chatai/chats', options, { ...query });
  }

  /** With its messages, oldest first. */
  getChat(uid: string, options?: CallOptions): Promise<Chat> {
    return this.get(chatPath(uid), options);
  }

  /** Gives it another title. */
  putChat(uid: string, change: ChatChange, options?: CallOptions): Promise<ChatSummary> {
    return this.put(chatPath(uid), change, options);
  }

  deleteChat(uid: string, options?: CallOptions): Promise<void> {
    return this.tell('DELETE', chatPath(uid), undefined, options);
  }

  /** Resolves when no answer is under way any more; what was said so far is kept. */
  stopChat(uid: string, options?: CallOptions): Promise<void> {
    return this.tell('POST', `${chatPath(uid)}/stop`, undefined, options);
  }

  /** Of an answer; the value null takes it back. */
  putChatFeedback(
    uid: string,
    messageUID: string,
    feedback: ChatFeedback,
    options?: CallOptions,
  ): Promise<void> {
    const path = `${chatPath(uid)}/messages/${encodeURIComponent(messageUID)}/feedback`;
    return this.tell('PUT', path, feedback, options);
  }
}

function chatPath(uid: string): string {
  return `/api/chatai/chats/${encodeURIComponent(uid)}`;
}
