import type { ChatToolCall, ChatToolEvent } from '@trellis/contract/shapes/chat.ts';

/** A call of a tool in an answer that is under way. */
export interface LiveCall extends Omit<ChatToolCall, 'ms'> {
  readonly id: string;
  /** Undefined until it has ended. */
  readonly ms: number | undefined;
}

/** The calls after one more event. */
export function callsAfter(calls: readonly LiveCall[], event: ChatToolEvent): readonly LiveCall[] {
  if (event.state === 'begun') {
    const { id, tool, input } = event;
    return [...calls, { id, tool, input, ms: undefined }];
  }
  const { state: _state, ...ended } = event;
  return calls.some(({ id }) => id === ended.id)
    ? calls.map((call) => (call.id === ended.id ? ended : call))
    : [...calls, ended];
}
