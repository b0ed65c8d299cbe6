import type { ChatMessage } from '@trellis/contract/shapes/chat.ts';

export type ChatReply = Extract<ChatMessage, { role: 'assistant' }>;

const ENDS: Readonly<Partial<Record<NonNullable<ChatReply['ended']>, string>>> = {
  length: 'The answer is cut off: it reached the maximum length.',
  steps: 'The answer ends here: it reached the maximum number of steps.',
  'tool-calls': 'The answer ends here: it reached the maximum number of tool calls.',
  tokens: 'The answer ends here: it used all tokens of an answer.',
  stopped: 'This answer was stopped before its end.',
  interrupted: 'The server stopped before the end of this answer. Ask for it again.',
};

/** Why an answer is not whole. */
export function EndNote({ message: { ended, error } }: { readonly message: ChatReply }) {
  if (error !== null) {
    return (
      <p className="rounded-control bg-danger-soft px-3 py-2 text-danger">
        The answer failed: {error.message} <code className="font-mono">({error.code})</code>
      </p>
    );
  }
  const note = ended === null ? undefined : ENDS[ended];
  return note === undefined ? null : <p className="text-[13px] text-muted">{note}</p>;
}
