import type { ChatAnswer, ChatToolEvent, ChatTurn } from '@trellis/contract/shapes/chat.ts';
import { followEvents, readEvents, textIn, type WatchOptions } from '../event-stream.ts';
import { callTo, jsonBody } from '../operation-methods.ts';
import type { CallOptions, Transport } from '../transport.ts';
import { TrellisError } from '../trellis-error.ts';

/** What happens in a turn: it has begun, more text, a tool, and last the whole answer. */
export type ChatEvent =
  | { readonly kind: 'begun'; readonly chatUID: string }
  | { readonly kind: 'delta'; readonly text: string }
  | { readonly kind: 'tool'; readonly tool: ChatToolEvent }
  | { readonly kind: 'result'; readonly answer: ChatAnswer };

/** What a watched turn tells: which answer it is, then more text and tools. */
export type WatchedChatEvent =
  | { readonly kind: 'begun'; readonly messageUID: string }
  | Extract<ChatEvent, { kind: 'delta' | 'tool' }>;

const TURN = { ...callTo('chats', 'send'), once: true };

/**
 * Waits for the whole answer; `stream` gives it as it comes. Neither is repeated: what was said is
 * kept when the model fails.
 */
export function sendChatMessage(
  transport: Transport,
  turn: ChatTurn,
  options?: CallOptions,
): Promise<ChatAnswer> {
  return transport.json({ ...TURN, ...jsonBody(turn), ...options });
}

/**
 * The events of a turn; `result` is the last. Whoever leaves early, or aborts, stops the turn,
 * unless it runs in the `background`: then `watchChat` goes on with it. Throws what the service
 * refuses with, also when that is on the way.
 */
export async function* streamChatMessage(
  transport: Transport,
  turn: ChatTurn,
  options?: CallOptions,
): AsyncGenerator<ChatEvent, void, undefined> {
  const { response } = await transport.send({
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
          yield { kind: 'delta', text: textIn(data) };
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
    throw TrellisError.connectionFailed(transport.baseUrl, error);
  }
  const cause = new Error('the answer broke off');
  throw TrellisError.connectionFailed(transport.baseUrl, cause);
}

/**
 * The answer that is under way in a conversation: what there is of it already, then the rest as it
 * comes, across lost connections. It ends when the conversation has the answer, at once when none
 * is under way; leaving does not stop the turn. Throws what the service refuses with, or the
 * signal's reason.
 */
export async function* watchChat(
  transport: Transport,
  uid: string,
  options: Pick<WatchOptions, 'signal'> = {},
): AsyncGenerator<WatchedChatEvent, void, undefined> {
  const { path } = callTo('chats', 'watch', uid);
  for await (const { event, data } of followEvents(transport, { path, ...options })) {
    if (event === 'begun') {
      const { messageUID } = JSON.parse(data) as { readonly messageUID: string };
      yield { kind: event, messageUID };
    }
    if (event === 'delta') yield { kind: event, text: textIn(data) };
    if (event === 'tool') yield { kind: event, tool: JSON.parse(data) as ChatToolEvent };
  }
}
