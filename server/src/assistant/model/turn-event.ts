import { unreachable } from '#base/assert.ts';
import type { ModelEvent, ToolCall } from './model-run.ts';

/** What is told of a turn on its way, whoever answers: the events `delta` and `tool` of the contract. */
export type TurnEvent =
  | { readonly event: 'delta'; readonly data: { readonly text: string } }
  | { readonly event: 'tool'; readonly data: ToolNews };

/** A call of a tool has begun, or ended; `id` says which. */
type ToolNews =
  | ({ readonly state: 'begun'; readonly id: string } & Pick<ToolCall, 'tool' | 'input'>)
  | ({ readonly state: 'ended'; readonly id: string } & ToolCall);

export function turnEvent(event: ModelEvent): TurnEvent {
  switch (event.kind) {
    case 'text':
      return { event: 'delta', data: { text: event.text } };
    case 'tool-call': {
      const { id, tool, input } = event;
      return { event: 'tool', data: { state: 'begun', id, tool, input } };
    }
    case 'tool-result':
      return { event: 'tool', data: { state: 'ended', id: event.id, ...event.call } };
    default:
      return unreachable(event);
  }
}
