import type {
  AdminAgentAnswer,
  AdminAgentApproval,
  AdminAgentCommit,
  AdminAgentTurn,
  FileEntry,
} from '@trellis/contract/shapes/admin-agent.ts';
import type { ChatToolEvent } from '@trellis/contract/shapes/chat.ts';

import { answerEvents, textIn } from '../event-stream.ts';
import { callTo, jsonBody } from '../operation-methods.ts';
import type { CallOptions, Transport } from '../transport.ts';
import { fileForm } from './files.ts';

/** What happens in a turn: more text, a tool, and last the whole answer. */
export type AdminAgentEvent =
  | { readonly kind: 'delta'; readonly text: string }
  | { readonly kind: 'tool'; readonly tool: ChatToolEvent }
  | { readonly kind: 'result'; readonly answer: AdminAgentAnswer };

/**
 * The events of a turn; `result` is the last. Whoever leaves early, or aborts, stops the turn.
 * Throws what the service refuses with, also when that is on the way.
 */
export async function* streamAdminAgentMessage(
  transport: Transport,
  id: string,
  turn: AdminAgentTurn,
  options?: CallOptions,
): AsyncGenerator<AdminAgentEvent, void, undefined> {
  const call = { ...callTo('adminAgent', 'send', id), ...jsonBody(turn), ...options };
  for await (const { event, data } of answerEvents(transport, call)) {
    if (event === 'delta') yield { kind: event, text: textIn(data) };
    if (event === 'tool') yield { kind: event, tool: JSON.parse(data) as ChatToolEvent };
    if (event === 'result') yield { kind: event, answer: JSON.parse(data) as AdminAgentAnswer };
  }
}

/**
 * Rejects with `file_exists` when the conversation has a file of this name; `details.entry` is that
 * one.
 */
export function uploadAdminAgentFile(
  transport: Transport,
  id: string,
  name: string,
  content: Blob,
  options?: CallOptions,
): Promise<FileEntry> {
  const target = callTo('adminAgent', 'uploadFile', id);
  return transport.json({ ...target, ...fileForm(name, content), ...options });
}

/**
 * Does what is proposed, step by step; leaving does not stop it. What could not be done is in
 * `failed`.
 */
export async function approveAdminAgentCommit(
  transport: Transport,
  id: string,
  approval?: AdminAgentApproval,
  options: CallOptions & { readonly onLog?: (text: string) => void } = {},
): Promise<AdminAgentCommit> {
  const { onLog, ...rest } = options;
  const call = { ...callTo('adminAgent', 'approveCommit', id), ...jsonBody(approval), ...rest };
  let commit: AdminAgentCommit | undefined;
  for await (const { event, data } of answerEvents(transport, call)) {
    if (event === 'log') onLog?.(textIn(data));
    if (event === 'result') commit = JSON.parse(data) as AdminAgentCommit;
  }
  // A stream that has come to its end has a result.
  return commit as AdminAgentCommit;
}
