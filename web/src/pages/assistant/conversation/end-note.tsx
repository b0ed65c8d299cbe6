import { endRemark } from '@trellis/client/answer-words.ts';
import type { ChatMessage } from '@trellis/contract/shapes/chat.ts';

export type ChatReply = Extract<ChatMessage, { role: 'assistant' }>;

/** Why an answer is not whole. */
export function EndNote({ message: { ended, error } }: { readonly message: ChatReply }) {
  if (error !== null) {
    return (
      <p className="rounded-control bg-danger-soft px-3 py-2 text-danger">
        The answer failed: {error.message} <code className="font-mono">({error.code})</code>
      </p>
    );
  }
  const note = endRemark(ended);
  return note === undefined ? null : <p className="text-[13px] text-muted">{note}</p>;
}
